"""The configuration of a project, in ``fdlint.toml`` or ``[tool.fdlint]``: each path has the nearest one, and unknown
keys are errors."""

from fdlint.scan.config.file import (
    OWN_FILE,
    SHARED_FILE,
    Choose,
    ConfigError,
    find,
    isolated,
    load,
    named,
    nearest,
    no_config,
)
from fdlint.scan.config.model import UNCONFIGURED, Config, Patterns, resolved, wanted

__all__ = [
    "OWN_FILE",
    "SHARED_FILE",
    "UNCONFIGURED",
    "Choose",
    "Config",
    "ConfigError",
    "Patterns",
    "find",
    "isolated",
    "load",
    "named",
    "nearest",
    "no_config",
    "resolved",
    "wanted",
]
