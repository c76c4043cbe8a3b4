"""Comments that silence findings: ``# noqa: FD101``, ``# fdlint: ignore[FD101] why``, ``# fdlint: ignore-file``.

A comment counts on the lines that a finding points at. Backslashes and strings join lines; only the last one can have a
comment, and it counts on all of them. Codes may be prefixes (``FD1``); without codes a comment silences all. flake8
reads ``# noqa`` in the same way: https://flake8.pycqa.org/en/stable/user/violations.html
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fdlint.core.finding import Span, Unused
from fdlint.report.findings.finding import Suppression
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.lines import normalised

_CODES = r"[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*"
_NOQA = re.compile(rf"#\s*(?P<file>flake8:\s*)?noqa(?::\s*(?P<codes>{_CODES}))?(?=[\s#,.;:]|$)", re.IGNORECASE)
_OWN = re.compile(r"#\s*fdlint:\s*(?P<verb>[\w-]*)(?:\s*\[(?P<codes>[^\]#]*)\])?", re.IGNORECASE)
_BETWEEN_CODES = re.compile(r"([,\s]+)")
_BEFORE_REASON = re.compile(r"[\s,.;:]*(?:[-–—]+(?=\s|$))?\s*")
_CODE_OF_OURS = re.compile(rb"noqa:(?:(?!noqa:)[^\r\n])*fd")
_VERBS = {"ignore": False, "ignore-file": True}
_STRING_STARTS = frozenset({"FSTRING_START", "TSTRING_START"})
_STRING_ENDS = frozenset({"FSTRING_END", "TSTRING_END"})
_LINE_ENDS = frozenset({"NL", "NEWLINE"})


def suppressions(data: bytes, path: str) -> tuple[Suppression, ...]:
    """Returns the comments of a file that silence findings, in order. If Python cannot read the file, it returns those
    before the error."""
    small = data.lower()  # with plain searches, because a pattern that ignores case is ten times slower
    return tuple(_found(data, path)) if b"noqa" in small or b"fdlint:" in small else ()


def speaks_of_fdlint(data: bytes) -> bool:
    """Whether a comment of a file may name fdlint's findings, so that fdlint reports it if it is unused."""
    small = data.lower()
    return b"fdlint:" in small or (b"noqa:" in small and _CODE_OF_OURS.search(small) is not None)


def _found(data: bytes, path: str) -> Iterator[Suppression]:
    try:
        for line in lines_of_code(decoded(data)[0]):
            if line.comment is not None:
                yield from _in(line.comment, 0 if line.first == line.last else line.first, path)
    except (tokenize.TokenError, SyntaxError, ValueError, LookupError):
        return


@dataclass(frozen=True, slots=True)
class CodeLine:
    """Lines of a file, usually one, that backslashes or a string join: the ``first``, the ``last`` and the comment at
    their end."""

    first: int
    last: int
    comment: tokenize.TokenInfo | None


def lines_of_code(text: str) -> Iterator[CodeLine]:
    """Yields all lines of a Python file on which comments can end. Raises ``tokenize.TokenError`` and ``SyntaxError``
    where it cannot be read."""
    first, comment, depth = 1, None, 0
    # tokenize itself does not recognise a lone carriage return
    for token in tokenize.generate_tokens(io.StringIO(normalised(text)).readline):
        kind = tokenize.tok_name[token.type]
        if kind in _STRING_STARTS:
            depth += 1
        elif kind in _STRING_ENDS:
            depth -= 1
        elif kind == "COMMENT":
            comment = token
        # Comments in the braces of an f-string exist since Python 3.12.
        if kind in _LINE_ENDS and (comment is not None or not depth) and token.start[0] >= first:
            yield CodeLine(first, token.start[0], comment)
            first, comment = token.start[0] + 1, None


def _in(token: tokenize.TokenInfo, since: int, path: str) -> Iterator[Suppression]:
    line, column = token.start

    def span(found: re.Match[str]) -> Span:
        return Span(path, line, column + found.start() + 1, line, column + found.end() + 1)

    for found in _OWN.finditer(token.string):
        verb = found["verb"].lower()
        if verb in _VERBS:
            yield Suppression(span(found), _split(found["codes"]), _VERBS[verb], own=True, since=since)
        else:
            yield Suppression(span(found), frozenset(), False, own=True, unknown=found["verb"])
    for found in _NOQA.finditer(token.string):
        codes = _split(found["codes"])
        yield Suppression(span(found), codes, found["file"] is not None, own=False, since=since)


def _split(codes: str | None) -> frozenset[str]:
    return frozenset(re.split(r"[,\s]+", codes.strip().upper())) - {""} if codes else frozenset()


def without(lines: Sequence[str], unused: Iterable[Unused]) -> list[str]:
    """Returns the lines of a file without unused comments or unused codes in them. The reason in a comment stays. A
    deleted line becomes an empty text. Raises ``ValueError`` if a comment is not where it is expected."""
    by_line: dict[int, list[Unused]] = defaultdict(list)
    for one in sorted(unused, key=lambda one: one.span):
        by_line[one.span.line - 1].append(one)
    new = list(lines)
    for number, comments in by_line.items():
        line = new[number] if number < len(new) else ""
        body = line.rstrip("\r\n")
        changed = _without(body, comments)
        new[number] = changed + line[len(body) :] if changed else ""
    return new


def _without(body: str, comments: Sequence[Unused]) -> str:
    """Returns one line without these comments, or without their idle codes; empty if nothing else is on the line."""
    parts: list[str] = []  # in reverse order
    end = len(body)
    for one in reversed(comments):
        start = one.span.column - 1
        comment = _OWN.match(body, start) or _NOQA.match(body, start)
        if comment is None or comment.end() != one.span.end_column - 1:
            raise ValueError(f"no comment at line {one.span.line}, column {one.span.column}")
        after = body[comment.end() : end]
        if one.keeps:
            first, last = comment.span("codes")
            parts += [after, body[last : comment.end()], _without_codes(comment["codes"], one.idle), body[start:first]]
        else:
            parts.append(after.lstrip() if after.lstrip().startswith("#") else _reason(after))
        end = start
    return (body[:end] + "".join(reversed(parts))).rstrip()


def _without_codes(codes: str, idle: frozenset[str]) -> str:
    """Returns a written list of codes without some of them."""
    code, *rest = _BETWEEN_CODES.split(codes.strip())
    pairs = [("", code), *zip(rest[::2], rest[1::2], strict=True)]
    kept = [(mark, code) for mark, code in pairs if code.upper() not in idle]
    return "".join(mark + code for mark, code in kept).removeprefix(kept[0][0])


def _reason(text: str) -> str:
    """Returns the comment that gives the reason behind a suppression, unless it silences something itself."""
    comment = f"# {_BEFORE_REASON.sub('', text, count=1)}"
    return "" if comment.strip() == "#" or _OWN.match(comment) or _NOQA.match(comment) else comment
