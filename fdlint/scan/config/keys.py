"""Converts the keys of a file to the fields of ``Config``: codes in capitals, paths and patterns with their
directory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from fdlint.languages.registry import FLAGS, OWN_TABLES, SETTINGS
from fdlint.scan.config.model import FileIgnores, Patterns

if TYPE_CHECKING:
    from fdlint.scan.config.schema import GeneralKeys

MODELS = ("aliases", "api", "worker", *OWN_TABLES)
UNKNOWN_CALLS = "unknown-calls"
_FLAGS = frozenset(one.key for one in SETTINGS)


def settings(section: Mapping[str, Any], directory: str) -> dict[str, Any]:
    """Returns the fields of ``Config`` for the keys of a section, without the models. Raises ``WrongValueError``."""
    from fdlint.catalog.decode import decoded
    from fdlint.scan.config.schema import Configuration

    read = cast(
        "GeneralKeys", decoded({key: value for key, value in section.items() if key not in MODELS}, Configuration)
    )
    fields = (key.replace("-", "_") for key in section if key not in _FLAGS.union(MODELS))
    found = {field: _setting(read, field, directory) for field in fields}
    flags = {key: section[key] for key in section if key in _FLAGS}
    return {**found, "flags": frozenset(key for key in _FLAGS if flags.get(key, key in FLAGS))} if flags else found


def _setting(read: GeneralKeys, field: str, directory: str) -> object:
    value = getattr(read, field)
    match field:
        case "select" | "ignore":
            return tuple(map(_cased, value))
        case "include" | "exclude" | "extend_exclude" | "test_files":
            return _patterns(field.replace("_", "-"), value, directory)
        case "per_file_ignores":
            return tuple(_file_ignores(value, directory))
        case "severity":
            return tuple((_cased(code), severity) for code, severity in value.items())
        case "baseline":
            return os.path.normpath(os.path.join(directory, value))
    return value


def _cased(word: str) -> str:
    return word.strip() if "-" in word else word.strip().upper()


def _patterns(key: str, lines: tuple[str, ...], directory: str) -> Patterns:
    from fdlint.catalog.decode import WrongValueError
    from fdlint.scan.git.ignore import TooManyError, compiled

    found = Patterns(directory, tuple(_pattern(line, key, line) for line in lines))
    try:
        compiled(directory, found.lines)
    except TooManyError as error:
        raise WrongValueError([key], f"has {error}") from None
    return found


def _file_ignores(listed: Mapping[str, tuple[str, ...]], directory: str) -> Iterator[FileIgnores]:
    for name, codes in listed.items():
        pattern = _pattern(name.removeprefix("!"), "per-file-ignores", name)
        if codes:
            yield FileIgnores(Patterns(directory, (pattern,)), tuple(map(_cased, codes)), name.startswith("!"))


def _pattern(line: str, key: str, shown: str) -> str:
    from fdlint.catalog.decode import WrongValueError
    from fdlint.scan.git.ignore import pattern

    read = pattern(line)
    if read is None:
        raise WrongValueError([key, shown], "is not a pattern as in .gitignore")
    return read
