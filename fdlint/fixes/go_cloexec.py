"""FD301 and FD302 in Go: the call gets the flag that makes its descriptor close-on-exec."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fdlint.catalog.repairs import repairs_of
from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.go_acquiring import NUMERIC, PACKAGES
from fdlint.fixes.go_file import FUNCTIONS, GoText, TextEdit, above, below, named
from fdlint.fixes.trees import Replaced
from fdlint.languages.go.lowering.constants import Node, arguments_of
from fdlint.languages.go.names import KEEPS

CODES = ("FD301", "FD302")

_KEEPS = re.compile(KEEPS)


def propose(file: GoText, finding: Finding) -> Iterator[Candidate]:
    """Proposes the flag. It is sound if nothing in the file starts a process, which may need the descriptor, and if the
    function keeps the descriptor to itself: others may want it open in a process that they start."""
    call = file.call(finding.span)
    callee = call.child_by_field_name("function") if call is not None else None
    if call is None or callee is None:
        return
    package, _, name = file.code(callee).rpartition(".")
    repairs = repairs_of("go")
    known = repairs.cloexec.get(name)
    given = arguments_of(call)
    if known is None or not package.isidentifier() or known.argument >= len(given):
        return
    number, flag = known.argument, known.flag
    old = file.code(given[number])
    new = f"{package}.{flag}" if old == "0" else f"{old}|{package}.{flag}"
    edit = TextEdit(given[number].start_byte, given[number].end_byte, new)
    whole = file.code(call)
    at = given[number].start_byte - call.start_byte
    data = whole.encode()
    changed = (data[:at] + new.encode() + data[at + len(old.encode()) :]).decode()
    starts = any(
        file.code(node).rpartition(".")[2] in repairs.starting
        for node in below(file.root)
        if node.type == "selector_expression"
    )
    yield Candidate(
        f"Add `{package}.{flag}`", file.edited([edit]), [Replaced(whole, changed)], not starts and _is_kept(file, call)
    )


def _is_kept(file: GoText, call: Node) -> bool:
    """Whether a function only uses what a call gives: it passes that to no function that may keep it, and nowhere
    else."""
    line = file.statement(call)
    left = line.child_by_field_name("left") if line is not None else None
    at = next((one for one in above(call) if one.type in FUNCTIONS), None)
    names = [file.code(one) for one in left.named_children] if left is not None else []
    if at is None or line is None or not names:
        return False
    return all(
        _is_used(file, one)
        for one in named(file, at, names[0])
        if not line.start_byte <= one.start_byte < line.end_byte
    )


def _is_used(file: GoText, name: Node) -> bool:
    above = name.parent
    callee = above.parent.child_by_field_name("function") if above is not None and above.parent is not None else None
    if above is None or above.type != "argument_list" or callee is None:
        return above is not None and above.type == "binary_expression"
    package, _, last = file.code(callee).rpartition(".")
    if last == "Close" and package in {file.imports.get(path) for path in PACKAGES}:
        return True
    return _KEEPS.search(last) is None and last not in NUMERIC
