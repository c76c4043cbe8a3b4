"""The keys of a configuration: what each takes, and what is said of anything else."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from fdlint.catalog.added import UnknownCalls
from fdlint.catalog.errors import suggestion
from fdlint.config.model import FileIgnores, Patterns
from fdlint.findings.finding import Severity

MODELS = ("aliases", "api", "worker")
UNKNOWN_CALLS = "unknown-calls"
_CODE = re.compile(r"[A-Za-z]+[0-9]*|[A-Za-z]+(?:-[A-Za-z]+)+")


class WrongValueError(Exception):
    """What is wrong with a value, after the name of its key."""


Read: TypeAlias = Callable[[Any, str], object]
"""From TOML, and the directory that paths are relative to, to a field of ``Config``. Raises ``WrongValueError``."""


def _flag(value: object, _directory: str) -> bool:
    if not isinstance(value, bool):
        raise WrongValueError(f"must be true or false, not {value!r}")
    return value


def _codes(value: object, _directory: str) -> tuple[str, ...]:
    """Codes in capitals, names as they are. Whether there are such rules is asked where the rules are known."""
    if not isinstance(value, list) or not all(isinstance(code, str) and code.strip() for code in value):
        raise WrongValueError(f"must be a list of codes, not {value!r}")
    return tuple(_cased(code) for code in value)


def _cased(word: str) -> str:
    return word.strip() if "-" in word else word.strip().upper()


def _patterns(value: object, directory: str) -> Patterns:
    if not isinstance(value, list) or not all(isinstance(line, str) and line.strip() for line in value):
        raise WrongValueError(f"must be a list of patterns, not {value!r}")
    found = []
    for line in value:
        try:
            found.append(_pattern(line))
        except WrongValueError as error:
            raise WrongValueError(f"`{line}` {error}") from None
    from fdlint.git.ignore import TooManyError, compiled

    try:
        compiled(directory, tuple(found))
    except TooManyError as error:
        raise WrongValueError(f"has {error}") from None
    return Patterns(directory, tuple(found))


def _pattern(line: str) -> str:
    from fdlint.git.ignore import pattern

    read = pattern(line)
    if read is None:
        raise WrongValueError("is not a pattern as in .gitignore")
    return read


def _per_file_ignores(value: object, directory: str) -> tuple[FileIgnores, ...]:
    if not isinstance(value, Mapping):
        raise WrongValueError(f"must be a table from patterns to lists of codes, not {value!r}")
    found = []
    for name, listed in value.items():
        others = name.startswith("!")
        try:
            pattern = _pattern(name.removeprefix("!"))
            codes = _codes(listed, directory)
        except WrongValueError as error:
            raise WrongValueError(f"`{name}` {error}") from None
        if codes:
            found.append(FileIgnores(Patterns(directory, (pattern,)), codes, others))
    return tuple(found)


def _severities(value: object, _directory: str) -> tuple[tuple[str, Severity], ...]:
    if not isinstance(value, Mapping):
        raise WrongValueError(f"must be a table from codes to severities, not {value!r}")
    known = [severity.value for severity in Severity]
    found = []
    for code, word in value.items():
        if not _CODE.fullmatch(code.strip()):
            raise WrongValueError(f"`{code}` is neither a code nor the name of a rule")
        try:
            found.append((_cased(code), Severity(_one_of(word, known))))
        except WrongValueError as error:
            raise WrongValueError(f"`{code}` {error}") from None
    return tuple(found)


def _unknown_calls(value: object, _directory: str) -> UnknownCalls:
    return UnknownCalls(_one_of(value, [choice.value for choice in UnknownCalls]))


def _one_of(value: object, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        choices = " or ".join(f'"{choice}"' for choice in known)
        near = suggestion(value, known) if isinstance(value, str) else ""
        raise WrongValueError(f"must be {choices}, not {value!r}{near}")
    return value


def _path(value: object, directory: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise WrongValueError(f"must be the path of a file, not {value!r}")
    return os.path.normpath(os.path.join(directory, value))


READERS: Mapping[str, Read] = {
    "baseline": _path,
    "exclude": _patterns,
    "extend-exclude": _patterns,
    "extend-select": _codes,
    "force-exclude": _flag,
    "go-generated": _flag,
    "go-tests": _flag,
    "go-vendor": _flag,
    "ignore": _codes,
    "include": _patterns,
    "per-file-ignores": _per_file_ignores,
    "select": _codes,
    "severity": _severities,
    UNKNOWN_CALLS: _unknown_calls,
}
KEYS = tuple(sorted((*MODELS, *READERS)))


def read(key: str, value: object, directory: str) -> object:
    """The value of one key, all but the models. Raises ``WrongValueError``, beginning with the key."""
    try:
        return READERS[key](value, directory)
    except WrongValueError as error:
        inside = str(error).startswith("`")
        raise WrongValueError(f"`{key}`{':' if inside else ''} {error}") from None


def field_of(key: str) -> str:
    """The name of a key's field in ``Config``."""
    return key.replace("-", "_")
