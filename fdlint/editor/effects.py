"""Shows what functions do to descriptors: as hints behind their first lines, and on hover."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from fdlint.editor.text import Text
from fdlint.report.findings.effects import Effect


def hints(text: Text, effects: Iterable[Effect], first: int, last: int) -> Iterator[types.InlayHint]:
    """Yields the hints between two lines, from 0 and inclusive."""
    for effect in effects:
        line = defined_at(text, effect)
        if line is not None and first <= line <= last:
            yield types.InlayHint(position=text.end_of(line), label=f"fd: {effect.said}", padding_left=True)


def described(text: Text, effects: Iterable[Effect], line: int) -> str | None:
    """Returns the effect of the function that is defined on a line, in Markdown."""
    for effect in effects:
        if defined_at(text, effect) == line:
            return f"**fdlint**: `{effect.name}` {effect.said}"
    return None


def defined_at(text: Text, effect: Effect) -> int | None:
    """Returns the line of the ``def``, from 0: decorators stand before it."""
    written = re.compile(rf"\s*(?:async\s+)?def\s+{re.escape(effect.name.rpartition('.')[2])}\b")
    for number in range(effect.line - 1, len(text.lines)):
        if written.match(text.lines[number]):
            return number
    return None
