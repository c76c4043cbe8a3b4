"""Errors in a configuration."""


class ConfigError(Exception):
    """The configuration is invalid. The message names the file and the key."""
