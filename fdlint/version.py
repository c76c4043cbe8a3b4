"""The version, alone, so that nothing else is imported to know it."""

__version__ = "0.1.0"
