"""Writes comments that silence findings in Go: ``//nolint:FD101``.

fdlint has no parser for Go, so a small lexer tells code, strings and comments apart. The specification:
https://go.dev/ref/spec#Lexical_elements
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from fdlint.core.finding import Finding

_TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)
    | (?P<block>/\*.*?(?:\*/|\Z))
    | (?P<raw>`[^`]*(?:`|\Z))
    | (?P<text>"(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'?)
    | (?P<code>[^/`"']+ | /)""",
    re.DOTALL | re.VERBOSE,
)
_NOLINT = re.compile(r"//\s*nolint:(?P<names>[\w,\s-]*)")
_SPANS_LINES = frozenset({"block", "raw"})


def with_ignores(lines: Sequence[str], findings: Iterable[Finding]) -> list[str]:
    """Returns the lines of a Go file with a comment for each finding. Raises ``ValueError`` if no line can have one."""
    comments = dict(_comments("".join(lines)))
    codes: dict[int, set[str]] = defaultdict(set)
    for finding in findings:
        codes[_line(comments, finding)].add(finding.code)
    new = list(lines)
    for number, wanted in codes.items():
        line = new[number - 1]
        body = line.rstrip("\r\n")
        column = comments[number]
        new[number - 1] = _with_codes(body[:column], body[column:], sorted(wanted)) + line[len(body) :]
    return new


def code_of(text: str) -> list[str]:
    """Returns a Go file without its line comments and the white space before them: equal for files that differ only in
    these."""
    parts = (found[0] for found in _TOKEN.finditer(text) if found.lastgroup != "line")
    return [line.rstrip() for line in "".join(parts).split("\n")]


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """Yields each line, from 1, that can end in a comment, and the column, from 0, where one starts or would start."""
    number, start = 1, 0
    column: int | None = None
    for found in _TOKEN.finditer(text):
        if found.lastgroup == "line":
            column = found.start() - start
        for newline in re.finditer("\n", found[0]):
            end = found.start() + newline.start()
            if found.lastgroup not in _SPANS_LINES:
                yield number, end - start if column is None else column
            number, start, column = number + 1, end + 1, None
    if start < len(text):
        yield number, len(text) - start if column is None else column


def _line(comments: Iterable[int], finding: Finding) -> int:
    can = set(comments)
    for number in range(finding.span.line, finding.span.end_line + 1):
        if number in can:
            return number
    raise ValueError(f"no comment can stand at line {finding.span.line}")


def _with_codes(code: str, comment: str, wanted: Sequence[str]) -> str:
    found = _NOLINT.search(comment)
    if found is not None:
        names = found["names"].rstrip()
        known = {name.upper() for name in re.split(r"[,\s]+", names)}
        added = "".join(f",{one}" for one in wanted if one not in known)
        start, end = comment[: found.start("names")], comment[found.start("names") + len(names) :]
        return f"{code}{start}{names}{added}{end}".rstrip()
    return f"{f'{code}{comment}'.rstrip()} //nolint:{','.join(wanted)}"
