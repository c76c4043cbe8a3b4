"""Puts the uses of an object into a ``with``, or into a ``try`` that ends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from fdlint.core.finding import Finding
from fdlint.fixes.acquiring import Acquiring, rebinds, used_elsewhere
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import Place, PythonFile, Statement, mentions, only
from fdlint.fixes.trees import Change, Managed, Removed, Wrapped
from fdlint.fixes.wrapping import with_finally


@dataclass(frozen=True, slots=True)
class Made:
    """A statement ``name = call`` that makes the object, or gets it from a function that does."""

    file: PythonFile
    name: str
    small: cst.Assign
    place: Place


def made_by(file: PythonFile, finding: Finding) -> Made | None:
    """Returns the statement that binds the object. A function that only returns it passes it on to its caller."""
    for event in finding.trace:
        call = file.expression(event.span) if event.span.path == finding.span.path else None
        place = file.place(call) if call is not None else None
        small = only(place.statement) if place is not None else None
        if place is None or small is None:
            return None
        if isinstance(small, cst.Assign) and small.value is call and len(small.targets) == 1:
            target = small.targets[0].target
            return Made(file, target.value, small, place) if isinstance(target, cst.Name) else None
        if not isinstance(small, cst.Return) or small.value is not call:
            return None
    return None


def _used(made: Made) -> Sequence[Statement]:
    """Returns the statements behind it up to the last use of the object; none if it is used elsewhere, too."""
    found = Acquiring(made.file, [made.name], made.place, ())
    later = made.place.later
    if rebinds(later, [made.name]) or used_elsewhere(found):
        return ()
    uses = [number for number, one in enumerate(later) if mentions(one, made.name)]
    return later[: uses[-1] + 1] if uses else ()


def managed(made: Made, needless: str = "") -> Iterator[Candidate]:
    """Puts the uses into a ``with``. ``needless``: the statement that may end them, which goes."""
    body, rest, removed = _parted(made, needless)
    if not body:
        return
    file, place = made.file, made.place
    item = cst.WithItem(made.small.value, cst.AsName(cst.Name(made.name)))
    new = cst.With([item], cst.IndentedBlock(body), leading_lines=place.statement.leading_lines)
    text = file.with_body(place.block, [*place.block.body[: place.index], new, *rest])
    head = f"with {file.code(made.small.value)} as {made.name}:"
    changes: list[Change] = [Managed(file.code(made.small), head), *removed]
    yield Candidate(f"Use `{made.name}` in a `with`", text, changes, sound=False)


def ended(made: Made, codes: Sequence[str], changes: Sequence[Change] = (), needless: str = "") -> Iterator[Candidate]:
    """Ends the object in a ``finally`` behind its last use. It is sound if a needless end stood there before."""
    body, rest, removed = _parted(made, needless)
    if not body:
        return
    file, place = made.file, made.place
    found = Acquiring(file, [made.name], place, ())
    wrapped = with_finally(body, [file.statement(code) for code in codes])
    text = file.with_body(place.block, [*place.block.body[: place.index + 1], wrapped, *rest])
    changes = [*changes, Wrapped(found.clause("finally", codes)), *removed]
    yield Candidate(f"End `{made.name}` in a `finally`", text, changes, sound=bool(removed))


def _parted(made: Made, needless: str) -> tuple[Sequence[Statement], Sequence[Statement], Sequence[Removed]]:
    """Returns the uses of an object, without a needless statement at their end, and what comes behind them."""
    used = _used(made)
    rest = made.place.later[len(used) :]
    if needless and used and made.file.code(used[-1]) == needless:
        return used[:-1], rest, [Removed(needless)]
    return used, rest, []
