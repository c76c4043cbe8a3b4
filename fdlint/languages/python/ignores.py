"""Writes comments that silence findings: ``# fdlint: ignore[FD101]``.

A comment goes on the first line that a finding points at. If backslashes or a string join lines, it goes on the last of
these: the others cannot have one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from fdlint.core.finding import Finding
from fdlint.languages.python.comments import CodeLine, lines_of_code

_IGNORE = re.compile(r"(?P<start>#\s*fdlint:\s*ignore\s*\[)(?P<codes>[^\]#]*)\](?P<reason>[^#]*)", re.IGNORECASE)


def with_ignores(lines: Sequence[str], findings: Iterable[Finding]) -> list[str]:
    """Returns the lines of a Python file with a comment for each of its findings. Adds codes to an existing comment.
    Raises ``ValueError`` if no line can have one, and the errors of ``tokenize``."""
    places = list(lines_of_code("".join(lines)))
    codes: dict[CodeLine, set[str]] = defaultdict(set)
    for finding in findings:
        codes[_place(places, finding)].add(finding.code)
    new = list(lines)
    for place, wanted in codes.items():
        line = new[place.last - 1]
        body = line.rstrip("\r\n")
        column = place.comment.start[1] if place.comment is not None else len(body)
        changed = _with_codes(body[:column], body[column:], wanted)
        new[place.last - 1] = changed + line[len(body) :]
    return new


def _place(places: Sequence[CodeLine], finding: Finding) -> CodeLine:
    """Returns the lines for the comment: those with a comment of fdlint's, or the first ones."""
    first = bisect_left(places, finding.span.line, key=lambda place: place.last)
    end = bisect_left(places, finding.span.end_line, key=lambda place: place.last) + 1
    touched = places[first:end]
    if not touched:
        raise ValueError(f"no comment can stand at line {finding.span.line}")
    own = (place for place in touched if place.comment is not None and _IGNORE.search(place.comment.string))
    return next(own, touched[0])


def _with_codes(code: str, comment: str, wanted: Iterable[str]) -> str:
    """Returns one line, from its code and its comment, which may be empty."""
    found = _IGNORE.search(comment)
    if found is None:
        text = f"{code}{comment}".rstrip()
        added = f"# fdlint: ignore[{', '.join(sorted(wanted))}]"
        return f"{text}  {added}" if text else added
    old = [one for one in re.split(r"[,\s]+", found["codes"].strip()) if one]
    codes = [*old, *sorted(one for one in wanted if not one.startswith(tuple(map(str.upper, old)) or ("#",)))]
    rest = comment[found.end() :]
    written = f"{found['start']}{', '.join(codes)}] {found['reason'].strip()}".rstrip()
    return f"{code}{comment[: found.start()]}{written}{'  ' if rest else ''}{rest}".rstrip()
