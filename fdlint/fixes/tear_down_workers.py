"""FD401: an object with worker processes ends in the round that makes it, or is made once before the loop.

It is never sound: how long the workers should live is a decision of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from fdlint.catalog import catalog_of
from fdlint.core.finding import Finding
from fdlint.fixes.acquiring import Acquiring, rebinds, used_elsewhere
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.importing import importing
from fdlint.fixes.python_file import Place, PythonFile, mentions, nodes
from fdlint.fixes.trees import Change, Inserted, Managed, Removed, Wrapped
from fdlint.fixes.wrapping import with_finally

CODES = ("FD401",)

_WITH = "with"


@dataclass(frozen=True, slots=True)
class _Made:
    """A statement ``name = call`` that makes the object, or gets it from a function that does."""

    file: PythonFile
    name: str
    small: cst.Assign
    place: Place


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes what the catalog knows: a ``with``, methods in a ``finally``, or ``del`` and the collector there. An
    object that stays the same in each round of a ``for`` moves before it."""
    workers = catalog_of(file.models).makers(finding.api or "")
    collectors = workers[0].collected_by if workers else ()
    made = _made(file, finding)
    if made is None or not workers:
        return
    if collectors:
        yield from _hoisted(made)
        module, _, function = collectors[0].rpartition(".")
        given = importing(file, finding, module)
        again = _made(given.file, given.finding)
        if again is not None:
            codes = (f"del {made.name}", f"{module}.{function}()")
            yield from _ended(again, codes, [Inserted(code) for code in given.added])
    elif _WITH in workers[0].repaired_by:
        yield from _managed(made)
    elif workers[0].repaired_by:
        yield from _ended(made, [f"{made.name}.{method}()" for method in workers[0].repaired_by], ())


def _made(file: PythonFile, finding: Finding) -> _Made | None:
    """Returns the statement that binds the object. A function that only returns it passes it on to its caller."""
    for event in finding.trace:
        call = file.expression(event.span) if event.span.path == finding.span.path else None
        place = file.place(call) if call is not None else None
        line = place.statement if place is not None else None
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        if place is None or small is None:
            return None
        if isinstance(small, cst.Assign) and small.value is call and len(small.targets) == 1:
            target = small.targets[0].target
            return _Made(file, target.value, small, place) if isinstance(target, cst.Name) else None
        if not isinstance(small, cst.Return) or small.value is not call:
            return None
    return None


def _last_use(made: _Made) -> int | None:
    """Returns how many statements behind it use the object. Returns None if it is used elsewhere, too."""
    found = Acquiring(made.file, [made.name], made.place, ())
    later = made.place.later
    if rebinds(later, [made.name]) or used_elsewhere(found):
        return None
    uses = [number for number, one in enumerate(later) if mentions(one, made.name)]
    return uses[-1] + 1 if uses else None


def _hoisted(made: _Made) -> Iterator[Candidate]:
    """Moves the statement before its loop, if nothing in the loop changes what it reads."""
    file, place = made.file, made.place
    loop = file.parents.get(place.block)
    outer = file.place(loop) if isinstance(loop, cst.For) and loop.body is place.block else None
    if outer is None or not isinstance(loop, cst.For):
        return
    read = {node.value for node in nodes(made.small.value) if isinstance(node, cst.Name)}
    targets = {node.value for node in nodes(loop.target) if isinstance(node, cst.Name)}
    if read & targets or rebinds(loop.body.body, read) or len(place.block.body) < 2:
        return
    without = loop.with_deep_changes(
        loop.body, body=[*place.block.body[: place.index], *place.later]
    ).with_changes(leading_lines=())  # fmt: skip
    first = made.place.statement.with_changes(leading_lines=loop.leading_lines)
    text = file.with_body(outer.block, [*outer.block.body[: outer.index], first, without, *outer.later])
    code = file.code(made.small)
    yield Candidate(f"Make `{made.name}` once", text, [Removed(code), Inserted(code)], sound=False)


def _managed(made: _Made) -> Iterator[Candidate]:
    """Puts the uses into a ``with``."""
    end = _last_use(made)
    if end is None:
        return
    file, place = made.file, made.place
    item = cst.WithItem(made.small.value, cst.AsName(cst.Name(made.name)))
    body = list(place.later[:end])
    new = cst.With([item], cst.IndentedBlock(body), leading_lines=place.statement.leading_lines)
    text = file.with_body(place.block, [*place.block.body[: place.index], new, *place.later[end:]])
    head = f"with {file.code(made.small.value)} as {made.name}:"
    yield Candidate(f"Use `{made.name}` in a `with`", text, [Managed(file.code(made.small), head)], sound=False)


def _ended(made: _Made, codes: Sequence[str], changes: Sequence[Change]) -> Iterator[Candidate]:
    """Ends the object in a ``finally`` behind its last use."""
    end = _last_use(made)
    if end is None:
        return
    file, place = made.file, made.place
    found = Acquiring(file, [made.name], place, ())
    wrapped = with_finally(place.later[:end], [file.statement(code) for code in codes])
    text = file.with_body(place.block, [*place.block.body[: place.index + 1], wrapped, *place.later[end:]])
    changes = [*changes, Wrapped(found.clause("finally", codes))]
    yield Candidate(f"End `{made.name}` in a `finally`", text, changes, sound=False)
