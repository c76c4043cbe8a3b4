"""FD401: an object with worker processes ends in the round that makes it, or is made once before the loop.

It is never sound: how long the workers should live is a decision of the program.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.catalog import catalog_of
from fdlint.core.finding import Finding
from fdlint.fixes.acquiring import rebinds
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.importing import importing
from fdlint.fixes.managing import Made, ended, made_by, managed
from fdlint.fixes.python_file import PythonFile, nodes
from fdlint.fixes.trees import Inserted, Removed

CODES = ("FD401",)

_WITH = "with"


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes what the catalog knows: a ``with``, methods in a ``finally``, or ``del`` and the collector there. An
    object that stays the same in each round of a ``for`` moves before it."""
    workers = catalog_of(file.models).makers(finding.api or "")
    collectors = workers[0].collected_by if workers else ()
    made = made_by(file, finding)
    if made is None or not workers:
        return
    if collectors:
        yield from _hoisted(made)
        module, _, function = collectors[0].rpartition(".")
        given = importing(file, finding, module)
        again = made_by(given.file, given.finding)
        if again is not None:
            codes = (f"del {made.name}", f"{module}.{function}()")
            yield from ended(again, codes, [Inserted(code) for code in given.added])
    elif _WITH in workers[0].repaired_by:
        yield from managed(made)
    elif workers[0].repaired_by:
        yield from ended(made, [f"{made.name}.{method}()" for method in workers[0].repaired_by], ())


def _hoisted(made: Made) -> Iterator[Candidate]:
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
