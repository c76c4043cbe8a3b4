"""Matches patterns in the language of .gitignore, in time that is linear in the length of a name, for any pattern.

https://git-scm.com/docs/gitignore#_pattern_format. A regular expression for ``*a*a*a*b`` would backtrack again and
again. This matcher takes the first place of each stretch between two stars, and never tries another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

MAX_LENGTH, MAX_PARTS = 1_000, 50
"""The limits of a pattern, in characters and in parts. A longer pattern matches nothing."""
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": r"\x20-~", "punct": r"!-/:-@\[-`{-~", "space": r" \t-\r", "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}  # fmt: skip
_PIECE = re.compile(r"(?P<stars>\*+)|(?P<one>\?)|(?P<slash>/)|(?P<bracket>\[)|\\(?P<escaped>.)|(?P<plain>[^*?/[\\]+)")
_MEMBER = re.compile(r"\[:(?P<name>[^]:]*):\]|\\?(?P<first>.)(?:-(?!\])\\?(?P<last>.))?", re.DOTALL)

Part: TypeAlias = "str | re.Pattern[str] | None"
"""A part of a pattern: a name, a regular expression for one name, or None for any number of names."""
States: TypeAlias = frozenset[int]
"""The numbers of parts that may have matched the names of a path so far; several can be possible at once."""


class _BrokenError(Exception):
    """A pattern that git does not understand. It matches nothing."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a pattern as a regular expression. ``text``: the only text that it matches, if there is only one."""

    expression: str
    text: str | None = None


_STAR, _STARS = _Piece("*"), _Piece("**")


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern. ``brings_back``: it begins with ``!``. ``directories``: it matches only directories. ``anchored``:
    it matches a path; otherwise it matches a name at any depth."""

    brings_back: bool
    directories: bool
    anchored: bool
    parts: tuple[Part, ...]
    suffix: str | None = None
    """The common end of all names that the pattern matches, if any name with that end matches."""

    @property
    def literal(self) -> str | None:
        """The only name, or path, that the pattern matches, if there is only one."""
        names = [part for part in self.parts if isinstance(part, str)]
        return "/".join(names) if len(names) == len(self.parts) else None

    def start(self) -> States:
        """The states before the first name of a path."""
        return self._with_none(0)

    def after(self, states: States, name: str) -> States:
        """Returns the states one directory further down."""
        found: States = frozenset()
        for state in states:
            if state < len(self.parts):
                part = self.parts[state]
                if is_meant(part, name):
                    found |= self._with_none(state if part is None else state + 1)
        return found

    def ends(self, states: States, name: str) -> bool:
        """Whether the pattern matches a path whose last name is this one."""
        last = len(self.parts) - 1
        return last in states and is_meant(self.parts[last], name)

    def _with_none(self, state: int) -> States:
        """Yields the states that follow if ``**`` matches no names at all."""
        more = state < len(self.parts) and self.parts[state] is None
        return frozenset((state, state + 1) if more else (state,))


def is_meant(part: Part, name: str) -> bool:
    """Whether a part of a pattern matches a name."""
    if isinstance(part, str):
        return part == name
    return part is None or part.match(name) is not None


def parse(line: str) -> Glob | None:
    """Parses a line. Returns None if it matches nothing because it is empty, a comment or broken."""
    line = _without_spaces(line)
    if line.startswith("#") or len(line) > MAX_LENGTH:
        return None
    pattern = line.removeprefix("!")
    directories = pattern.endswith("/")
    pattern = pattern[:-1] if directories else pattern
    try:
        segments = [*_segments(pattern)]
    except _BrokenError:
        return None
    anchored = "/" in pattern
    if len(segments) > 1 and not segments[0]:
        del segments[0]  # the leading slash
    if not all(segments) or len(segments) > MAX_PARTS:
        return None
    parts = _parts(segments, anchored)
    if len(parts) == 2 and parts[0] is None:  # a name in any directory
        anchored, parts = False, parts[1:]
    suffix = segments[-1][1].text if not anchored and segments[-1][:-1] == [_STAR] else None
    return Glob(line.startswith("!"), directories, anchored, tuple(parts), suffix)


def _without_spaces(line: str) -> str:
    """Removes the spaces at the end, unless a backslash keeps one."""
    line = line.removesuffix("\r")
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and len(bare) < len(line) else bare


def _parts(segments: list[list[_Piece]], anchored: bool) -> list[Part]:
    parts: list[Part] = []
    for segment in segments:
        part = None if segment == [_STARS] and anchored else _part(segment)
        if part is not None or not parts or parts[-1] is not None:
            parts.append(part)
    if parts[-1] is None:
        parts.append(_part([_STAR]))  # only the contents of a directory, not the directory itself
    return parts


def _part(segment: list[_Piece]) -> Part:
    texts = [piece.text for piece in segment if piece.text is not None]
    if len(texts) == len(segment):
        return "".join(texts)
    stretches = [""]
    for piece in segment:
        if piece in (_STAR, _STARS):
            stretches.append("")
        else:
            stretches[-1] += piece.expression
    if len(stretches) == 1:
        return re.compile(stretches[0] + r"\Z", re.DOTALL)
    first, *between, last = stretches
    once = "".join(f"(?=(?P<g{number}>.*?{one}))(?P=g{number})" for number, one in enumerate(between) if one)
    return re.compile(rf"{first}{once}.*{last}\Z", re.DOTALL)


def _segments(pattern: str) -> Iterator[list[_Piece]]:
    """Yields the pieces between the slashes of a pattern. Raises ``_BrokenError``."""
    at = 0
    segment: list[_Piece] = []
    while at < len(pattern):
        found = _PIECE.match(pattern, at)
        if found is None:
            raise _BrokenError(pattern)  # a backslash at the end
        at = found.end()
        match found.lastgroup:
            case "slash":
                yield segment
                segment = []
            case "stars":
                segment.append(_STARS if len(found[0]) > 1 else _STAR)
            case "one":
                segment.append(_Piece("."))
            case "bracket":
                expression, at = _class(pattern, at)
                segment.append(_Piece(expression))
            case _:
                text = found["escaped"] or found["plain"]
                segment.append(_Piece(re.escape(text), text))
    yield segment


def _class(pattern: str, at: int) -> tuple[str, int]:
    """Translates a class of characters to a regular expression. Returns it and its end. Raises ``_BrokenError``."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    while not members or pattern[at : at + 1] != "]":
        found = _MEMBER.match(pattern, at)
        if found is None:
            raise _BrokenError(pattern)
        at = found.end()
        members.append(_member(found))
    return f"[{'^' if negated else ''}{''.join(members)}]", at + 1


def _member(found: re.Match[str]) -> str:
    if found["name"] is not None:
        if found["name"] not in _CLASSES:
            raise _BrokenError(found[0])
        return _CLASSES[found["name"]]
    first, last = found["first"], found["last"]
    one = re.escape(first)
    return f"{one}{one}-{re.escape(last)}" if last is not None and first <= last else one
