"""FD101 to FD104, FD110: ``try: … finally: os.close(fd)`` around everything from the acquisition to the close.

Without a close, it ends with the last use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from fdlint.catalog.repairs import repairs_of
from fdlint.core.finding import Finding, Holding
from fdlint.fixes.acquiring import Acquiring, acquiring, leaving, may_hold_none, only_used, rebinds, used_elsewhere
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.leaving import results
from fdlint.fixes.python_file import PythonFile, Statement, mentions, nodes
from fdlint.fixes.trees import Change, Inserted, Removed, Wrapped
from fdlint.fixes.wrapping import freed, moved, with_finally

CODES = ("FD101", "FD102", "FD103", "FD104", "FD109", "FD110")

_EXITS = (cst.Return, cst.Raise, cst.Break, cst.Continue)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the ``finally``. Closes that stand right before a ``return`` or a ``raise`` become needless; no close
    moves behind another effect."""
    found = acquiring(file, finding)
    if found is None or rebinds(found.place.later, found.names) or used_elsewhere(found):
        return
    later = list(found.place.later)
    last = max((number for number, one in enumerate(later) if found.named_in(one)), default=-1)
    if last < 0:
        if not _is_held(found, finding):
            yield _right_after(found, finding)
            return
        last = len(later) - 1
    end = last + 1
    while end and found.closed(later[end - 1]) is not None:
        end -= 1
    closing = {close.name for close in map(found.closed, later[end : last + 1]) if close is not None}
    if not end or (closing and closing != set(found.names)):
        return
    made = results(found) if not closing or finding.code != "FD103" else ()
    if made is None or used_elsewhere(found, made):
        return
    if not closing:
        needed = (number for number, one in enumerate(later) if any(mentions(one, name) for name in made))
        end = max(end, *(number + 1 for number in needed), 0)
    for one in _wrapped(found, finding, later[:end], len(closing)):
        yield replace(one, sound=one.sound and not made)  # an object around it may write when it is collected


def _wrapped(found: Acquiring, finding: Finding, body: list[Statement], closes: int) -> Iterator[Candidate]:
    free = freed(found, body, _EXITS)
    if (
        free is None
        or not only_used(found.file, body, found.names, lent=bool(closes))
        or may_hold_none(found.file, body, found.names)
    ):
        return
    if finding.holding is Holding.GIVES and not closes:
        return  # some path hands it over
    file, place = found.file, found.place
    start, old = place.index + 1, place.block.body
    after = start + len(body)
    closing = [
        (one, close.code) for one in found.place.later[len(body) : len(body) + closes] if (close := found.closed(one))
    ]
    clean = [moved(one) for one, _ in closing] or [file.statement(code) for code in found.closes()]
    codes = [code for _, code in closing] or found.closes()
    new = [*old[:start], with_finally(free.statements, clean), *old[after + closes :]]
    changes: list[Change] = [Wrapped(found.clause("finally", codes)), *free.removed]
    changes += [Removed(code) for _, code in closing]
    certain = found.is_sole(finding) or (
        finding.code == "FD103" and bool(closes) and not free.removed and not any(leaving(body))
    )
    sound = certain and not (finding.code != "FD103" and lasts(found))
    yield Candidate(f"Close {found.listed} in a `finally`", file.with_body(place.block, new), changes, sound)


def _is_held(found: Acquiring, finding: Finding) -> bool:
    """Whether the code may hold something open that it does not use, while other code runs. What comes with a path is
    not for that."""
    happens = (isinstance(node, (cst.Call, cst.Await, cst.Yield)) for one in found.place.later for node in nodes(one))
    return any(happens) and not (finding.api or "").endswith(repairs_of("python").pairs)


def _right_after(found: Acquiring, finding: Finding) -> Candidate:
    """Closes what nothing uses."""
    file, place = found.file, found.place
    clean = [file.statement(code) for code in found.closes()]
    body = [*place.block.body[: place.index + 1], *clean, *place.later]
    sound = found.is_sole(finding) and not lasts(found)
    changes = [Inserted(code) for code in found.closes()]
    return Candidate(f"Close {found.listed}", file.with_body(place.block, body), changes, sound)


def lasts(found: Acquiring) -> bool:
    """Whether the code may want the descriptor open for longer: it holds a lock, or a child process has it too."""
    function = found.file.function(found.place.statement)
    for node in nodes(function) if function is not None else ():
        if isinstance(node, cst.Call):
            callee = node.func
            name = callee.attr.value if isinstance(callee, cst.Attribute) else getattr(callee, "value", "")
            if name in repairs_of("python").lasting:
                return True
    return False
