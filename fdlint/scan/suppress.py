"""Comments that silence findings: ``# noqa: FD101``, ``# fdlint: ignore[FD101] why``, ``# fdlint: ignore-file``.

A comment counts on the lines that a finding points at. Backslashes and strings join lines; only the last one can have a
comment, and it counts on all of them. Codes may be prefixes (``FD1``); without codes a comment silences all. flake8
reads ``# noqa`` in the same way: https://flake8.pycqa.org/en/stable/user/violations.html
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fdlint.core.finding import Finding, Span, Unused
from fdlint.report.findings.finding import Suppression
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.lines import normalised

if TYPE_CHECKING:
    import tokenize

_CODES = r"[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*"
_NOQA = re.compile(rf"#\s*(?P<file>flake8:\s*)?noqa(?::\s*(?P<codes>{_CODES}))?(?=[\s#,.;:]|$)", re.IGNORECASE)
_OWN = re.compile(r"#\s*fdlint:\s*(?P<verb>[\w-]*)(?:\s*\[(?P<codes>[^\]#]*)\])?", re.IGNORECASE)
_BETWEEN_CODES = re.compile(r"([,\s]+)")
_BEFORE_REASON = re.compile(r"[\s,.;:]*(?:[-–—]+(?=\s|$))?\s*")
_CODE_OF_OURS = re.compile(rb"noqa:(?:(?!noqa:)[^\r\n])*fd")
_VERBS = {"ignore": False, "ignore-file": True}
_PREFIX = "FD"
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
    import tokenize

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
    import io
    import tokenize

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


@dataclass(frozen=True, slots=True)
class Silenced:
    """The remaining findings of a file, the unused comments, the hidden findings, and those that are part of others."""

    findings: tuple[Finding, ...]
    unused: tuple[Unused, ...] = ()
    hidden: tuple[Finding, ...] = ()
    absorbed: tuple[Finding, ...] = ()


def silence(
    findings: Sequence[Finding],
    comments: Sequence[Suppression],
    codes: Iterable[str],
    *,
    ignored: Callable[[str], bool] = lambda _code: False,
    noqa: bool = True,
) -> Silenced:
    """Applies a file's comments to all of its findings, whether they are reported or not: whether a comment is used
    does not depend on the selection.

    ``codes``: all codes. ``ignored``: whether a code is ignored explicitly; its comment does not count as unused.
    ``noqa`` False: flake8 applies ``# noqa`` itself, so such a comment silences nothing here, but counts as used.
    """
    known = frozenset(codes)
    used: dict[Suppression, set[str]] = {comment: set() for comment in comments}
    left: list[Finding] = []
    hidden: list[Finding] = []
    for finding in findings:
        by = [comment for comment in comments if _covers(comment, finding)]
        for comment in by:
            used[comment] |= {code for code in comment.codes if finding.code.startswith(code)} or {"*"}
        (hidden if any(noqa or comment.own for comment in by) else left).append(finding)
    unused = (_unused(comment, used[comment], known, ignored) for comment in comments)
    return Silenced(tuple(left), tuple(one for one in unused if one is not None), tuple(hidden))


def _covers(comment: Suppression, finding: Finding) -> bool:
    last = comment.span.line
    here = comment.whole_file or (finding.span.line <= last and (comment.since or last) <= finding.span.end_line)
    return here and not comment.unknown and (not comment.codes or finding.code.startswith(tuple(comment.codes)))


def _unused(
    comment: Suppression, used: set[str], known: frozenset[str], ignored: Callable[[str], bool]
) -> Unused | None:
    if comment.unknown is not None:
        why = f"`fdlint: {comment.unknown}` is not understood"
        return Unused(comment.span, why, frozenset(), frozenset(), understood=False)
    if not comment.codes:
        said = comment.own and not used and not comment.whole_file
        return Unused(comment.span, "nothing is found here", frozenset(), frozenset()) if said else None
    own = {code for code in comment.codes if comment.own or code.startswith(_PREFIX)}
    strange = {code for code in own if not any(one.startswith(code) for one in known)}
    idle = {code for code in own - used - strange if not any(ignored(one) for one in known if one.startswith(code))}
    reasons = [f"there is no rule {_listed(strange)}"] if strange else []
    reasons += [f"{_listed(idle)} is not found here"] if idle else []
    idle |= strange
    return Unused(comment.span, ", and ".join(reasons), frozenset(idle), comment.codes - idle) if idle else None


def _listed(codes: Iterable[str]) -> str:
    return ", ".join(sorted(codes))


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
