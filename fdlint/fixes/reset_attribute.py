"""FD204: the attribute lets go of the number before the close: ``fd, self.fd = self.fd, None``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile, fresh, nodes, only
from fdlint.fixes.sentinels import none_of, sentinels
from fdlint.fixes.trees import Change, Inserted, Replaced

CODES = ("FD204",)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the reset, with the constant that the class uses for "none". It is only sound if there is exactly one,
    and if no method closes that."""
    call = file.expression(finding.span)
    place = file.place(call) if call is not None else None
    if place is None or not isinstance(call, cst.Call) or len(call.args) != 1:
        return
    line, held, function = place.statement, call.args[0].value, file.function(call)
    name = fresh(function, "fd", "old_fd", "number") if function is not None else None
    if not isinstance(held, cst.Attribute) or not isinstance(held.value, cst.Name) or name is None:
        return
    small = only(line)
    if not isinstance(small, cst.Expr) or small.value is not call or file.code(call.func) not in file.closers:
        return
    code = file.code(held)
    none = none_of(sentinels(file, held))
    reset = f"{name}, {code} = {code}, {none or None}"
    closing = line.with_deep_changes(call.args[0], value=cst.Name(name)).with_changes(leading_lines=())
    first = file.statement(reset).with_changes(leading_lines=line.leading_lines)
    body = [*place.block.body[: place.index], first, closing, *place.later]
    changes: list[Change] = [Inserted(reset), Replaced(code, name)]
    sound = none is not None and (none.startswith("-") or _all_ask(file, held))
    yield Candidate(f"Reset `{code}` first", file.with_body(place.block, body), changes, sound)


def _all_ask(file: PythonFile, held: cst.Attribute) -> bool:
    """Whether each method of the class that closes the attribute asks first whether it holds a descriptor. A close of
    ``None`` raises another error than a second close of a number, which handlers may not expect."""
    code, owner = file.code(held), next((one for one in file.above(held) if isinstance(one, cst.ClassDef)), None)
    for node in nodes(owner) if owner is not None else ():
        if not isinstance(node, cst.Call) or file.code(node.func) not in file.closers:
            continue
        if any(file.code(one.value) == code for one in node.args):
            method = file.function(node)
            if method is None or not any(_asks(file, one, code) for one in nodes(method)):
                return False
    return owner is not None


def _asks(file: PythonFile, node: cst.CSTNode, code: str) -> bool:
    test = node.test if isinstance(node, (cst.If, cst.While, cst.IfExp)) else None
    return test is not None and any(isinstance(one, cst.Attribute) and file.code(one) == code for one in nodes(test))
