"""FD103: ``try: … except BaseException: os.close(fd); raise`` around what can raise before the function gives the
descriptor away."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.findings.finding import EventKind, Finding, Holding, Span
from fdlint.fixes.acquiring import acquiring, may_hold_none, only_used, rebinds
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile
from fdlint.fixes.trees import Change, Wrapped
from fdlint.fixes.wrapping import freed, with_handler

CODES = ("FD103",)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the handler around the statements whose exceptions leave the descriptor open, and no others."""
    found = acquiring(file, finding)
    if found is None:
        return
    later = list(found.place.later)
    raising = [
        number
        for number, statement in enumerate(later)
        if any(file.covers(statement, span) for span in (*finding.causes, *_raised(finding)))
    ]
    if not raising:
        return
    body = later[: raising[-1] + 1]
    if rebinds(body, found.names) or may_hold_none(file, body, found.names):
        return
    free = freed(found, body, (cst.Raise,))
    if free is None or any(found.closed(one) is not None for one in body):
        return
    clean = [file.statement(code) for code in (*found.closes(), "raise")]
    start, old = found.place.index + 1, found.place.block.body
    new = [*old[:start], with_handler(free.statements, clean), *old[start + len(body) :]]
    rest = "except BaseException:\n" + "".join(f"    {code}\n" for code in (*found.closes(), "raise"))
    changes: list[Change] = [Wrapped(rest), *free.removed]
    sound = found.is_sole(finding) or (finding.holding is Holding.GIVES and only_used(file, body[:-1], found.names))
    title = f"Close {found.listed} if something raises"
    yield Candidate(title, file.with_body(found.place.block, new), changes, sound)


def _raised(finding: Finding) -> list[Span]:
    return [event.span for event in finding.trace if event.kind is EventKind.RAISED]
