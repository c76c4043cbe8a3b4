"""Decodes TOML to typed structs, strictly: an error names the wrong key and the values that it may have.

The structs are the one table of all keys. ``key`` and ``value`` attach the descriptions that errors, the JSON Schema
and the tables of the documentation use.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from fdlint.catalog.errors import suggestion

T = TypeVar("T")
_FEW = 24  # the maximum number of keys that a message about an unknown one lists
_LONG = 200  # characters of a value that a message shows
_UNIONS = (Union, types.UnionType)
_EXPECTED = {bool: "true or false", str: "a string", tuple: "a list of strings", dict: "a table"}


def key(meaning: str, *, default: str = "") -> Meta:
    """Describes a key. ``default`` describes the default in words."""
    return Meta(description=meaning, extra={"default": default})


def value(expected: str, *, wrong: str = "") -> Meta:
    """Describes the values of a type. ``wrong`` is the message about an invalid string."""
    return Meta(extra={"expected": expected, "wrong": wrong})


@dataclass(frozen=True, slots=True)
class Key:
    """One row of a struct's table: the name in TOML, the type, and the data from ``key`` and ``value``."""

    name: str
    kind: Any
    required: bool
    default: object
    meaning: str
    default_in_words: str
    expected: str


class WrongValueError(Exception):
    """A value does not fit. ``path`` leads to the wrong table or value."""

    def __init__(self, path: Sequence[str], message: str, *, unknown: bool = False) -> None:
        super().__init__(path, message)
        self.path, self.message = tuple(path), message
        self.tables = self.path if unknown else self.path[:-1]

    def said(self, table: str = "`{}`") -> str:
        """Returns the message with its tables and key: ``[aliases]: `a` must be a string``."""
        tables = "".join(f"{table.format(one)}: " for one in self.tables)
        return f"{tables}{''.join(f'`{one}` ' for one in self.path[len(self.tables) :])}{self.message}"


@functools.cache
def keys(table: type[Struct]) -> tuple[Key, ...]:
    """Returns the rows of a struct's table."""
    return tuple(_key(field.encode_name, field) for field in msgspec.structs.fields(table))


def _key(name: str, field: msgspec.structs.FieldInfo) -> Key:
    kind = field.type
    meaning = next((meta.description for meta in _metas(kind) if meta.description), "")
    return Key(name, kind, field.required, field.default, meaning, _note(kind, "default"), _expected(kind))


def decoded(raw: object, kind: type[T]) -> T:
    """Converts a value from TOML with msgspec. Raises ``WrongValueError``."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _wrong(raw, kind, ()) or error from None


def _wrong(raw: object, kind: Any, path: tuple[str, ...]) -> WrongValueError | None:
    """Returns the first error in a value, or None."""
    try:
        msgspec.convert(raw, kind)
    except msgspec.ValidationError:
        inside = (wrong for option in _options(kind) for wrong in _wrong_inside(raw, option, path))
        near = suggestion(raw, _choices(kind)) if isinstance(raw, str) else ""
        shown = repr(raw)
        shown = shown if len(shown) <= _LONG else f"{shown[:_LONG]}…"
        outside = WrongValueError(path, f"must be {_expected(kind)}, not {shown}{near}")
        return next(inside, None) or _misspelt(raw, kind, path) or outside
    return None


def _wrong_inside(raw: object, kind: Any, path: tuple[str, ...]) -> Iterator[WrongValueError]:
    parts = get_args(kind)
    if isinstance(raw, Mapping) and isinstance(kind, type) and issubclass(kind, Struct):
        names = {one.name: one for one in keys(kind)}
        for name in (name for name in raw if name not in names):
            listed = f" (known are {', '.join(sorted(names))})" if len(names) <= _FEW else ""
            yield WrongValueError(path, f"unknown key `{name}`{suggestion(name, names) or listed}", unknown=True)
        yield from filter(None, (_wrong(one, names[name].kind, (*path, name)) for name, one in raw.items()))
        missing = (name for name, one in names.items() if one.required and name not in raw)
        yield from (WrongValueError((*path, name), "is required") for name in missing)
    elif isinstance(raw, Mapping) and get_origin(kind) is dict:
        misnamed = (name for name in raw if _wrong(name, parts[0], path))
        yield from (WrongValueError((*path, name), _note(parts[0], "wrong")) for name in misnamed)
        yield from filter(None, (_wrong(one, parts[1], (*path, name)) for name, one in raw.items()))
    elif isinstance(raw, list) and get_origin(kind) is tuple:
        yield from filter(None, (_misspelt(one, parts[0], path) for one in raw if _wrong(one, parts[0], path)))


def _misspelt(raw: object, kind: Any, path: tuple[str, ...]) -> WrongValueError | None:
    wrong = _note(kind, "wrong")
    return WrongValueError(path, f"`{raw}` {wrong}") if wrong and raw and isinstance(raw, str) else None


def _expected(kind: Any) -> str:
    if _choices(kind):
        *others, last = (f'"{word}"' for word in _choices(kind))
        return f"{', '.join(others)} or {last}"
    return _note(kind, "expected") or _EXPECTED.get(get_origin(_options(kind)[0]) or _options(kind)[0], "a table")


def _choices(kind: Any) -> tuple[str, ...]:
    first = _options(kind)[0]
    return tuple(word.value for word in first) if isinstance(first, type) and issubclass(first, enum.Enum) else ()


def _note(kind: Any, name: str) -> str:
    """Returns the text that ``value`` attached to a type, or to a part of it."""
    return next((meta.extra[name] for meta in _metas(kind) if meta.extra and name in meta.extra), "")


def _metas(kind: Any) -> Iterator[Meta]:
    parts: tuple[Any, ...] = get_args(kind)
    if get_origin(kind) is Annotated:
        yield from kind.__metadata__
        yield from _metas(parts[0])
    elif type(None) in parts:
        for part in parts:
            yield from _metas(part)


def _options(kind: Any) -> list[Any]:
    """Returns the types that a value may have, without their annotations."""
    if get_origin(kind) is Annotated:
        return _options(get_args(kind)[0])
    if get_origin(kind) in _UNIONS:
        return [inner for one in get_args(kind) if one is not type(None) for inner in _options(one)]
    return [kind]
