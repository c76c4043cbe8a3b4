"""FD302: a call opens close-on-exec, by the flag, the command or the argument that asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.catalog import catalog_of
from fdlint.catalog.model import Api
from fdlint.catalog.repairs import repairs_of
from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile, behind
from fdlint.fixes.received_cloexec import starts
from fdlint.fixes.trees import Replaced

CODES = ("FD302",)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the call that asks for it. It is sound if nothing in the file starts a process, which may need the
    descriptor."""
    call = file.expression(finding.span)
    if not isinstance(call, cst.Call) or any(one.star for one in call.args):
        return
    for api in catalog_of(file.models).lookup(finding.api or ""):
        new = _onto(call, api) if api.duplicates_onto is not None else _flagged(file, call, api) or _renamed(file, call)
        if new is not None:
            text, changes = file.with_node(call, new), [Replaced(file.code(call), file.code(new))]
            yield Candidate(f"Write `{file.code(new)}`", text, changes, not starts(file))
            return


def _flagged(file: PythonFile, call: cst.Call, api: Api) -> cst.Call | None:
    """Returns the call with the flag that an alternative of the catalog asks for."""
    asked = next((one for one in api.when if one.mentions and not api.inheritable), None)
    if asked is None:
        return None
    module, _, name = asked.mentions[0].rpartition(".")
    prefix = file.code(call.func).rpartition(".")[0] or file.imported(module)
    at = _position(call, api, asked.argument)
    if prefix is None or at is None:
        return None
    old, flag = file.code(call.args[at].value), f"{prefix}.{name}"
    return _with(call, at, flag if old == "0" else f"{old} | {flag}")


def _position(call: cst.Call, api: Api, parameter: str) -> int | None:
    """Returns the position of the argument of a parameter."""
    names = [one.keyword.value if one.keyword is not None else "" for one in call.args]
    if parameter in names:
        return names.index(parameter)
    at = api.params.index(parameter)
    return at if at < len(names) and not names[at] else None


def _renamed(file: PythonFile, call: cst.Call) -> cst.Call | None:
    """Returns the call with the command that does the same and asks for close-on-exec."""
    better = repairs_of("python").renamed
    for at, arg in enumerate(call.args):
        before, dot, last = file.code(arg.value).rpartition(".")
        if last in better and (dot or before):
            return _with(call, at, f"{before}{dot}{better[last]}")
    return None


def _onto(call: cst.Call, api: Api) -> cst.Call | None:
    """Returns the call that duplicates onto a number with another value for the parameter that decides."""
    asked = next((one for one in api.when if False in one.values), None)
    if asked is None or any(one.keyword is not None for one in call.args) or len(call.args) >= len(api.params):
        return None
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    added = cst.Arg(cst.Name("False"), keyword=cst.Name(asked.argument), equal=equal)
    return call.with_changes(args=behind(call.args, added))


def _with(call: cst.Call, at: int, code: str) -> cst.Call:
    changed = call.args[at].with_changes(value=cst.parse_expression(code))
    return call.with_changes(args=[*call.args[:at], changed, *call.args[at + 1 :]])
