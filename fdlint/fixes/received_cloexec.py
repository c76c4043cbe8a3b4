"""FD301: received descriptors become non-inheritable, by a flag of the call or by a loop behind it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.catalog.repairs import repairs_of
from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile, behind, fresh, nodes, only
from fdlint.fixes.trees import Inserted, Replaced

CODES = ("FD301",)

_POSITION = 2  # of the flags of `recvmsg`


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the loop for ``recv_fds``, and the flag for ``recvmsg``. The loop is sound if nothing in the file starts
    a process. The flag is not: other systems than Linux lack it."""
    call = file.expression(finding.span)
    place = file.place(call) if call is not None else None
    if place is None or not isinstance(call, cst.Call):
        return
    callee = call.func.attr.value if isinstance(call.func, cst.Attribute) else file.code(call.func)
    if callee == "recvmsg" and len(call.args) == _POSITION and not any(one.keyword or one.star for one in call.args):
        module = file.imported("socket")
        if module is not None:
            flag = cst.Arg(cst.parse_expression(f"{module}.MSG_CMSG_CLOEXEC"))
            new = call.with_changes(args=behind(call.args, flag))
            text = file.with_node(call, new)
            yield Candidate(
                "Ask for `MSG_CMSG_CLOEXEC`", text, [Replaced(file.code(call), file.code(new))], sound=False
            )
        return
    line, module = place.statement, file.imported("os")
    small = only(line)
    function = file.function(call)
    name = fresh(function, "received", "received_fd") if function is not None else None
    if callee != "recv_fds" or not isinstance(small, cst.Assign) or small.value is not call or name is None:
        return
    target = small.targets[0].target if len(small.targets) == 1 else None
    given = target.elements[1].value if isinstance(target, cst.Tuple) and len(target.elements) == 4 else None
    if isinstance(given, cst.Name) and module is not None:
        code = f"for {name} in {given.value}:\n    {module}.set_inheritable({name}, False)\n"
        body = [*place.block.body[: place.index + 1], file.statement(code), *place.later]
        text = file.with_body(place.block, body)
        yield Candidate(f"Make `{given.value}` non-inheritable", text, [Inserted(code)], not starts(file))


def starts(file: PythonFile) -> bool:
    """Whether the file may start a process, which may need the descriptors."""
    names = (node.value for node in nodes(file.module) if isinstance(node, cst.Name))
    return any(name.startswith(repairs_of("python").starting) for name in names)
