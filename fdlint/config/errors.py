"""What is wrong with a configuration."""


class ConfigError(Exception):
    """A configuration that cannot be read; the message names the file and the key."""
