"""FD105: the attribute's descriptor is closed before another value takes its place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile, fresh, only
from fdlint.fixes.sentinels import none_of, present, sentinels
from fdlint.fixes.trees import Change, Inserted, Removed

CODES = ("FD105",)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the close, under a test for the constant that means "none". The attribute gets that first, in case the
    new value never comes. It is never sound: other code may hold the number."""
    place = file.place_at(finding.span.line)
    line = place.statement if place is not None else None
    small = only(line)
    if place is None or line is None or not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return
    held = small.targets[0].target
    if not isinstance(held, cst.Attribute) or not isinstance(held.value, cst.Name) or not file.closers:
        return
    code = file.code(held)
    if not finding.message.startswith(f"`{code}` ") or " an open descriptor " not in finding.message:
        return
    none, function = none_of(sentinels(file, held)), file.function(small)
    name = fresh(function, "fd", "old_fd", "number") if function is not None else None
    if none is None or name is None:
        return
    codes = (f"{name}, {code} = {code}, {none}", f"if {present(name, none)}:\n    {file.closers[0]}({name})\n")
    first, *rest = map(file.statement, codes)
    added = [first.with_changes(leading_lines=line.leading_lines), *rest]
    changes: list[Change] = [Inserted(one) for one in codes]
    if file.code(small.value) == none:
        changes.append(Removed(file.code(small)))
    else:
        added.append(line.with_changes(leading_lines=()))
    text = file.with_body(place.block, [*place.block.body[: place.index], *added, *place.later])
    yield Candidate(f"Close `{code}` first", text, changes, sound=False, closes=(code,))
