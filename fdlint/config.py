"""What a project says about itself: ``fdlint.toml``, or ``[tool.fdlint]`` in ``pyproject.toml``.

A configuration is found from a path that is to be scanned, upwards, and holds for everything reached from there. What
is not understood is an error that names the file and the key.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from fdlint.catalog import NO_MODELS, CatalogError, Models, models_of
from fdlint.catalog.errors import suggestion
from fdlint.catalog.model import UnknownCalls

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN_FILE, SHARED_FILE = "fdlint.toml", "pyproject.toml"
TABLE = "tool.fdlint"
_TOP_OF_REPOSITORY = ".git"
_MODELS = ("aliases", "api")
_CODES = ("extend-select", "ignore", "select")
_UNKNOWN_CALLS = "unknown-calls"
_GO = {"go-generated": False, "go-tests": True, "go-vendor": False}
_KEYS = sorted((*_MODELS, *_CODES, *_GO, _UNKNOWN_CALLS))


class ConfigError(Exception):
    """A configuration that cannot be read; the message names the file and the key."""


@dataclass(frozen=True, slots=True)
class Config:
    """``file`` is the one it was read from, as messages show it, or None. Codes may be prefixes (``FD1``). The last
    three: whether generated Go files, tests in Go, and what lies below a ``vendor`` directory are scanned."""

    file: str | None = None
    models: Models = NO_MODELS
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    go_generated: bool = _GO["go-generated"]
    go_tests: bool = _GO["go-tests"]
    go_vendor: bool = _GO["go-vendor"]

    def wants(self, code: str) -> bool:
        """Whether findings of a code are reported, as long as the command line does not say otherwise."""
        return wanted(code, self.select, self.extend_select, self.ignore, otherwise=True)


UNCONFIGURED = Config()


def wanted(
    code: str, select: tuple[str, ...], extend_select: tuple[str, ...], ignore: tuple[str, ...], *, otherwise: bool
) -> bool:
    """Whether a code is chosen; ``otherwise``: when nothing is selected, extended or ignored."""
    chosen = code.startswith(select) if select else otherwise
    return (chosen or code.startswith(extend_select)) and not code.startswith(ignore)


Choose: TypeAlias = Callable[[str], Config]
"""The configuration that holds for what is reached from a path. Raises ``ConfigError``."""


def no_config(_path: str) -> Config:
    """Nothing is configured, whatever lies about."""
    return UNCONFIGURED


def named(file: str) -> Choose:
    """This file's configuration holds for every path."""
    read = functools.cache(load)
    return lambda _path: read(Path(file))


def nearest() -> Choose:
    """What is found from a path upwards holds for everything reached from there. Each file is read once."""
    search, read = functools.cache(find), functools.cache(load)

    def choose(path: str) -> Config:
        place = Path(path).resolve()
        file = search(place if place.is_dir() else place.parent)
        return read(file) if file is not None else UNCONFIGURED

    return choose


def find(start: Path) -> Path | None:
    """The configuration file in a directory, or the nearest one above it, up to the top of the repository."""
    for directory in (start, *start.parents):
        for file in (directory / OWN_FILE, directory / SHARED_FILE):
            if file.is_file() and (file.name == OWN_FILE or _section(file) is not None):
                return file
        if (directory / _TOP_OF_REPOSITORY).exists():
            break
    return None


def load(file: Path) -> Config:
    """Reads a configuration file. Raises ``ConfigError``."""
    shown = _shown(file)
    section = _parsed(file) if file.name != SHARED_FILE else _section(file)
    if section is None:
        raise ConfigError(f"{shown}: there is no [{TABLE}]")
    for key in section:
        if key == "tool" and file.name != SHARED_FILE:
            raise ConfigError(f"{shown}: unknown key `tool` (the keys stand at the top level here, without [{TABLE}])")
        if key not in _KEYS:
            raise ConfigError(f"{shown}: unknown key `{key}`{suggestion(key, _KEYS) or _known_keys()}")
    unknown_calls = _unknown_calls(section, shown)
    tables = {key: section[key] for key in _MODELS if key in section}
    try:
        models = models_of(tables, shown, file.name, unknown_calls)
    except CatalogError as error:
        raise ConfigError(str(error)) from error
    select, extend_select, ignore = (_codes(section, key, shown) for key in ("select", "extend-select", "ignore"))
    generated, tests, vendor = (_flag(section, key, shown) for key in _GO)
    return Config(shown, models, select, extend_select, ignore, generated, tests, vendor)


def _known_keys() -> str:
    return f" (known are {', '.join(_KEYS)})"


def _section(file: Path) -> Mapping[str, Any] | None:
    """What a shared file says to fdlint, or None. One that does not mention fdlint is not even parsed."""
    if b"fdlint" not in _read(file):
        return None
    section: object = _parsed(file)
    for key in TABLE.split("."):
        section = section.get(key) if isinstance(section, Mapping) else None
    if section is not None and not isinstance(section, Mapping):
        raise ConfigError(f"{_shown(file)}: `{TABLE}` must be a table ([{TABLE}])")
    return section


def _parsed(file: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_read(file).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{_shown(file)}: {error}") from error


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{_shown(file)}: cannot be read: {error.strerror or error}") from error


def _shown(file: Path) -> str:
    """Relative to the working directory when it is below that."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


def _unknown_calls(section: Mapping[str, Any], shown: str) -> UnknownCalls:
    value = section.get(_UNKNOWN_CALLS, UnknownCalls.USE.value)
    known = {choice.value: choice for choice in UnknownCalls}
    if not isinstance(value, str) or value not in known:
        choices = " or ".join(f'"{choice}"' for choice in known)
        near = suggestion(value, known) if isinstance(value, str) else ""
        raise ConfigError(f"{shown}: `{_UNKNOWN_CALLS}` must be {choices}, not {value!r}{near}")
    return known[value]


def _flag(section: Mapping[str, Any], key: str, shown: str) -> bool:
    value = section.get(key, _GO[key])
    if not isinstance(value, bool):
        raise ConfigError(f"{shown}: `{key}` must be true or false, not {value!r}")
    return value


def _codes(section: Mapping[str, Any], key: str, shown: str) -> tuple[str, ...]:
    """Codes in capitals. Whether there are such rules is asked where the rules are known."""
    value = section.get(key, [])
    if not isinstance(value, list) or not all(isinstance(code, str) and code.strip() for code in value):
        raise ConfigError(f"{shown}: `{key}` must be a list of codes, not {value!r}")
    return tuple(code.strip().upper() for code in value)
