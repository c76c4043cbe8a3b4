"""Reads the comments that silence findings in Go."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fdlint.core.finding import Span
from fdlint.report.findings.finding import Suppression

_NOLINT = re.compile(r"//\s*nolint(?::(?P<names>[\w,\s-]*))?(?=\s*(?://|$)|\W)")
_IGNORE = re.compile(r"\bfdlint:\s{0,9}ignore(?![\w-])(?:\s{0,9}\[(?P<names>[^\]]{0,200})\])?", re.IGNORECASE)
_CODE = re.compile(r"FD\d*", re.IGNORECASE)
_NAME = "fdlint"


def suppressions(path: str, lines: Sequence[str]) -> tuple[Suppression, ...]:
    """Returns ``//nolint``, ``//nolint:fdlint``, ``//nolint:FD101`` and ``// fdlint: ignore[FD101]``, each for its own
    line. ``lines``: those of the file."""
    found: list[Suppression] = []
    for number, line in enumerate(lines, start=1):
        codes = _codes_in(line) if "//" in line else None
        if codes is not None:
            span = Span(path, number, 1, number, len(line) + 1)
            found.append(Suppression(span, frozenset(codes), whole_file=False, own=False))
    return tuple(found)


def _codes_in(line: str) -> Sequence[str] | None:
    """Returns the codes that the comments of a line silence, an empty list for all of them; None if they silence
    nothing."""
    comment = line.find("//")
    nolint, ignore = _NOLINT.search(line), _IGNORE.search(line, comment) if comment >= 0 else None
    named = [_silenced(nolint)] if nolint is not None else []
    if ignore is not None:
        named.append([one.upper() for one in re.split(r"[,\s]+", (ignore["names"] or "").strip()) if one])
    known = [one for one in named if one is not None]
    return [] if () in map(tuple, known) else [code for one in known for code in one] if known else None


def _silenced(comment: re.Match[str]) -> Sequence[str] | None:
    """Returns the codes that a ``nolint`` silences, an empty list for all of them, or None if it addresses other
    tools."""
    if comment["names"] is None:
        return ()
    names = re.split(r"[,\s]+", comment["names"].strip())
    if _NAME in names or "all" in names:
        return ()
    return [name.upper() for name in names if _CODE.fullmatch(name)] or None
