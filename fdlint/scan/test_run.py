"""Reads what the pytest plugin has written. The file can come from anywhere, so everything in it is checked."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from fdlint.report.findings.sightings import SeenLeak
from fdlint.scan.reading import intake

LIMIT = 100_000_000
"""The limit of the file, in bytes: 100,000 leaks."""
_Line = Annotated[int, Meta(ge=1, le=10_000_000)]
_Text = Annotated[str, Meta(max_length=4096)]
_INSIDE = re.compile(r"(?![/\\]|[A-Za-z]:)[^\0]+")


class NotARunError(Exception):
    """The file is not from the plugin. The message is the reason."""


class _Place(Struct):
    path: _Text
    line: _Line
    function: _Text


class _Leak(Struct):
    test: _Text
    kind: _Text
    stack: Annotated[list[_Place], Meta(max_length=100)]


class _Run(Struct):
    version: Literal[1]
    tool: Literal["fdlint-pytest"]
    leaks: Annotated[list[_Leak], Meta(max_length=1_000_000)]


def read_run(file: str) -> list[SeenLeak]:
    """Returns the leaks in a file. Raises ``NotARunError``, and ``OSError`` if the file cannot be read."""
    try:
        run = msgspec.json.decode(intake.read(file, LIMIT), type=_Run)
    except RecursionError:
        raise NotARunError("it is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotARunError(str(error)) from None
    return [_leak(one) for one in run.leaks]


def _leak(raw: _Leak) -> SeenLeak:
    for place in raw.stack:
        if not _INSIDE.fullmatch(place.path) or ".." in place.path.replace("\\", "/").split("/"):
            raise NotARunError(f"{place.path!r} is not a path inside the working directory")
    function = raw.stack[0].function if raw.stack else ""
    return SeenLeak(raw.test, raw.kind, function, tuple((one.path, one.line) for one in raw.stack))
