"""fdlint finds raw file descriptors that Python code acquires and then loses."""

__version__ = "0.1.0"
