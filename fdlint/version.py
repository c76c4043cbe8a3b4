"""The version. This module imports nothing, so that reading it is cheap."""

__version__ = "0.1.0"
