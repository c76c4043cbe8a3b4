"""FD103: ``try: … except BaseException: os.close(fd); raise`` around what can raise before the function closes the
descriptor or gives it away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from fdlint.core.finding import EventKind, Finding, Span
from fdlint.fixes.acquiring import Acquiring, acquiring, may_hold_none, rebinds
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile, Statement
from fdlint.fixes.trees import Change, Wrapped
from fdlint.fixes.wrapping import freed, with_handler

CODES = ("FD103",)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the handler around the statements whose exceptions leave the descriptor open. A close of one of several
    variables ends a handler, and the next one closes the others."""
    found = acquiring(file, finding)
    if found is None:
        return
    later = list(found.place.later)
    spans = (*finding.causes, *(event.span for event in finding.trace if event.kind is EventKind.RAISED))
    raising = [number for number, one in enumerate(later) if _raises(file, one, spans)]
    body = later[: raising[-1] + 1] if raising else []
    if not body or rebinds(body, found.names) or may_hold_none(file, body, found.names):
        return
    new: list[cst.BaseStatement] = []
    changes: list[Change] = []
    rest = found
    for segment, close in _segments(found, body):
        wrapped = _handled(rest, segment, spans, changes)
        if wrapped is None:
            return
        new += [*wrapped, *([close] if close is not None else [])]
        closed = found.closed(close) if close is not None else None
        if closed is not None:
            rest = replace(rest, names=[name for name in rest.names if name != closed.name])
    if not changes:
        return
    start, old = found.place.index + 1, found.place.block.body
    text = file.with_body(found.place.block, [*old[:start], *new, *old[start + len(body) :]])
    last = body[-1]  # if it gives the descriptor away and raises, it has not taken it
    before = body[:-1] if isinstance(last, cst.SimpleStatementLine) else body
    sound = found.is_sole(finding) or found.is_given_later(finding, before)
    yield Candidate(f"Close {found.listed} if something raises", text, changes, sound)


def _segments(found: Acquiring, body: Sequence[Statement]) -> Iterator[tuple[Sequence[Statement], Statement | None]]:
    """Splits statements at the closes among them. Yields each part with the close that ends it, if one does."""
    part: list[Statement] = []
    for one in body:
        if found.closed(one) is not None:
            yield part, one
            part = []
        else:
            part.append(one)
    if part:
        yield part, None


def _handled(
    found: Acquiring, body: Sequence[Statement], spans: Sequence[Span], changes: list[Change]
) -> Sequence[cst.BaseStatement] | None:
    """Returns statements with a handler around those up to the last that raises, and notes the changes. Returns None if
    that is not possible."""
    file = found.file
    end = max((number for number, one in enumerate(body) if _raises(file, one, spans)), default=-1) + 1
    if not end or not found.names:
        return body
    free = freed(found, body[:end], (cst.Raise,))
    if free is None:
        return None
    codes = (*found.closes(), "raise")
    changes += [Wrapped(found.clause("except BaseException", codes)), *free.removed]
    return [with_handler(free.statements, [file.statement(code) for code in codes]), *body[end:]]


def _raises(file: PythonFile, statement: Statement, spans: Sequence[Span]) -> bool:
    return any(file.covers(statement, span) for span in spans)
