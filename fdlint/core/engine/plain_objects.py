"""Creates the objects of classes without methods. Such an object only holds what others put into its attributes: as
long as only its function has it, they are like variables."""

from __future__ import annotations

from fdlint.core.domain.contents import OBJECT, Contents
from fdlint.core.domain.owner import Record
from fdlint.core.domain.state import State
from fdlint.core.domain.values import ContainerSite, Known, Maker, Value, mentions_any
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.transfer_call import CallTransfer
from fdlint.core.ir import AccessPath, Call, Step


def plain_object(caller: CallTransfer, state: State, step: Step, call: Call) -> Value | None:
    """Returns the object that a call creates if its class has no methods; None for any other call."""
    callees, graph = caller.objects.callees, caller.graph
    if callees is None or graph.language.records:
        return None
    wrapped = caller.objects.wrapped(state, call)
    if wrapped is not None:
        return wrapped
    values = [value_of(state, graph, arg.value) for arg in call.args]
    record = callees.record(state, graph, call, values)
    if record is None:
        return None
    _note(caller, state, step, record)
    caller.objects.present = True
    contents = Contents((Known.UNKNOWN, *record.values), True, (OBJECT, *record.names))
    return state.new_box(ContainerSite(Maker.RECORD, step.node, 0, graph.name or ""), contents)


def _note(caller: CallTransfer, state: State, step: Step, record: Record) -> None:
    """Notes what the attributes of a new object keep. A tuple keeps nothing: its items may be closed one by one."""
    for name, value in zip(record.names, record.values, strict=True) if record.type else ():
        if mentions_any(value):
            caller.note_kept(state, value, step, AccessPath(record.type).attribute(name), record.type, local=True)
