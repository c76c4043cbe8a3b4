"""Which files of a package a build for Linux includes: by their names and their build constraints."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from fdlint.languages.go.lowering.constants import MAX_DEPTH

_OTHER_SYSTEMS = (
    "windows|darwin|freebsd|openbsd|netbsd|dragonfly|solaris|illumos|aix|plan9|js|wasip1|android|ios|zos|wasm|appengine"
)
_FOR_OTHERS = re.compile(rf"_({_OTHER_SYSTEMS}|bsd|unsupported|nolinux|other|others|stub)(_\w+)?\.go$")
_CONSTRAINT = re.compile(rb"^//go:build\s+(.+)$", re.MULTILINE)
_OLD_CONSTRAINT = re.compile(rb"^// \+build\s+(.+)$", re.MULTILINE)
_TOKEN = re.compile(r"&&|\|\||[!()]|[\w.]+")
_LINUX = frozenset({"linux", "unix"})
_OTHERS = frozenset(_OTHER_SYSTEMS.split("|"))
_USUAL = re.compile(r"cgo|gc|amd64|go1\.\d+")

Known: TypeAlias = "bool | None"
"""Whether a tag or a constraint holds; None if that depends on the build."""


def is_for_others(name: str, data: bytes = b"") -> bool:
    """Whether no build for Linux includes a file, by its name and its text."""
    return _FOR_OTHERS.search(name) is not None or _value(data, _on_linux) is False


def is_usual(data: bytes) -> bool:
    """Whether a build for Linux includes a file if it asks for no tag of the project."""
    return _value(data, _by_default) is not False


def _on_linux(tag: str) -> Known:
    return True if tag in _LINUX else False if tag in _OTHERS else None


def _by_default(tag: str) -> Known:
    return tag in _LINUX or _USUAL.fullmatch(tag) is not None


def _value(data: bytes, holds: Callable[[str], Known]) -> Known:
    """Returns whether the constraint of a file holds; None also for one that is too long: the parser calls itself."""
    head = data[: data.find(b"\npackage ") + 1]
    found = _CONSTRAINT.search(head)
    text = found[1].decode("utf-8", "replace") if found else _translated(_OLD_CONSTRAINT.findall(head))
    tokens = _TOKEN.findall(text.partition("//")[0])
    if not tokens or len(tokens) > MAX_DEPTH:
        return None
    return _any(tokens[::-1], holds)


def _translated(lines: list[bytes]) -> str:
    """Returns the old form of a constraint in the new one: a comma is *and*, a space is *or*, all lines hold."""
    texts = [line.decode("utf-8", "replace").replace(",", " && ").strip() for line in lines]
    return " && ".join(f"({re.sub(r'(?<!&&) +(?!&&)', ' || ', one)})" for one in texts)


def _any(tokens: list[str], holds: Callable[[str], Known]) -> Known:
    """Takes alternatives off the end of a list of tokens, which is in reverse order."""
    value = _all(tokens, holds)
    while tokens and tokens[-1] == "||":
        tokens.pop()
        other = _all(tokens, holds)
        value = True if True in (value, other) else None if None in (value, other) else False
    return value


def _all(tokens: list[str], holds: Callable[[str], Known]) -> Known:
    value = _one(tokens, holds)
    while tokens and tokens[-1] == "&&":
        tokens.pop()
        other = _one(tokens, holds)
        value = False if False in (value, other) else None if None in (value, other) else True
    return value


def _one(tokens: list[str], holds: Callable[[str], Known]) -> Known:
    token = tokens.pop() if tokens else ""
    if token == "!":
        value = _one(tokens, holds)
        return None if value is None else not value
    if token != "(":
        return holds(token)
    value = _any(tokens, holds)
    if tokens and tokens[-1] == ")":
        tokens.pop()
    return value
