"""Finds and reads the file of a configuration.

The search begins at a path of the command line and goes upwards. The configuration applies to everything that the scan
reaches from that path. An unknown key is an error that names the file and the key.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from fdlint.catalog import CatalogError, Models
from fdlint.catalog.added import UnknownCalls
from fdlint.scan.config.keys import MODELS, settings
from fdlint.scan.config.model import ISOLATED, UNCONFIGURED, Config
from fdlint.scan.reading import intake

OWN_FILE, SHARED_FILE = "fdlint.toml", "pyproject.toml"
TABLE = "tool.fdlint"
_TOP_OF_REPOSITORY = ".git"

Choose: TypeAlias = Callable[[str], Config]
"""Returns the configuration for the files that are reached from a path. Raises ``ConfigError``."""


class ConfigError(Exception):
    """The configuration is invalid. The message names the file and the key."""


def no_config(_path: str) -> Config:
    """Returns the defaults, and reads no file."""
    return UNCONFIGURED


def isolated(_path: str) -> Config:
    """Returns the defaults, with which the scanned tree cannot hide code in other ways either."""
    return ISOLATED


def named(file: str) -> Choose:
    """Returns a function that applies one file's configuration to every path. Paths in the file are relative to the
    working directory, as with ruff's ``--config``."""
    read_once = functools.cache(load)
    return lambda _path: read_once(Path(file), os.getcwd())


def nearest() -> Choose:
    """Returns a function that applies the nearest configuration file at or above a path. It reads each file once."""
    search = functools.cache(find)

    @functools.cache
    def read_once(file: Path) -> Config:
        return replace(load(file), found=True)

    def choose(path: str) -> Config:
        place = Path(path).resolve()
        file = search(place if place.is_dir() else place.parent)
        return read_once(file) if file is not None else UNCONFIGURED

    return choose


def find(start: Path) -> Path | None:
    """Returns the configuration file in a directory, or the nearest one above it, up to the top of the repository."""
    for directory in (start, *start.parents):
        for file in (directory / OWN_FILE, directory / SHARED_FILE):
            if file.is_file() and (file.name == OWN_FILE or _section(file) is not None):
                return file
        if (directory / _TOP_OF_REPOSITORY).exists():
            break
    return None


def load(file: Path, directory: str | None = None) -> Config:
    """Reads a configuration file. Paths in it are relative to ``directory``, or else to the file's directory. Raises
    ``ConfigError``."""
    shown = _shown(file)
    section = _parsed(file) if file.name != SHARED_FILE else _section(file)
    if section is None:
        raise ConfigError(f"{shown}: there is no [{TABLE}]")
    if "tool" in section and file.name != SHARED_FILE:
        raise ConfigError(f"{shown}: unknown key `tool` (the keys stand at the top level here, without [{TABLE}])")
    from fdlint.catalog.decode import WrongValueError

    base = os.path.realpath(directory if directory is not None else file.parent).replace(os.sep, "/")
    try:
        fields = settings(section, base)
        unknown_calls = fields.pop("unknown_calls", UnknownCalls.USE)
        tables = {key: section[key] for key in MODELS if key in section}
        models = _models(tables, shown, file.name, unknown_calls)
    except WrongValueError as error:
        raise ConfigError(f"{shown}: {error.said()}") from None
    except CatalogError as error:
        raise ConfigError(str(error)) from error
    return Config(file=shown, directory=base, given=frozenset(section), models=models, **fields)


def _models(tables: Mapping[str, Any], shown: str, source: str, unknown_calls: UnknownCalls) -> Models:
    """Returns a configuration's models. Imports the catalog only if there are any."""
    if not tables:
        return Models(source=source, unknown_calls=unknown_calls)
    from fdlint.catalog import models_of

    return models_of(tables, shown, source, unknown_calls)


def _section(file: Path) -> Mapping[str, Any] | None:
    """Returns fdlint's section of a shared file, or None. Does not parse a file that does not mention fdlint."""
    if b"fdlint" not in _read(file):
        return None
    section: object = _parsed(file)
    for key in TABLE.split("."):
        section = section.get(key) if isinstance(section, Mapping) else None
    if section is not None and not isinstance(section, Mapping):
        raise ConfigError(f"{_shown(file)}: `{TABLE}` must be a table ([{TABLE}])")
    return section


def _parsed(file: Path) -> Mapping[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(_read(file).decode("utf-8"))
    except ValueError as error:  # from TOML, from UTF-8, or from a number with too many digits
        raise ConfigError(f"{_shown(file)}: {error}") from error
    except RecursionError:
        raise ConfigError(f"{_shown(file)}: nested too deeply") from None


def _read(file: Path) -> bytes:
    try:
        return intake.read(file, intake.CONFIGURATION)
    except OSError as error:
        raise ConfigError(f"{_shown(file)}: {intake.why(error)}") from error


def _shown(file: Path) -> str:
    """Returns the path relative to the working directory if it is below that."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)
