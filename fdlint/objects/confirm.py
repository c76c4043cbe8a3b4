"""What functions of which the texts say that they may acquire, close or make workers really do for their callers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fdlint.callgraph.modules import Function
from fdlint.callgraph.seeds import Kind
from fdlint.engine.call_resolution import FileCallees
from fdlint.engine.context import Knowledge, Worth
from fdlint.objects.workers.callers import Workers
from fdlint.objects.workers.constructors import Produced


def _acquires(knowledge: Knowledge, function: Function) -> Worth:
    callees = FileCallees(knowledge, function.file)
    return Worth.ALL if callees.gives(function) or callees.fills_some(function) else Worth.NOTHING


def _closes(knowledge: Knowledge, function: Function) -> Worth:
    """What it closes of its own object's is the affair of the other methods alone."""
    callees = FileCallees(knowledge, function.file)
    closed = knowledge.endings.of(function, callees.closer_called_by).closed
    if any("." not in place for place in closed):
        return Worth.ALL
    return Worth.OWN if closed else Worth.NOTHING


def _makes_workers(knowledge: Knowledge, function: Function) -> Worth:
    return Worth.ALL if Workers(knowledge).produced(function) != Produced() else Worth.NOTHING


CONFIRM: Mapping[Kind, Callable[[Knowledge, Function], Worth]] = {
    Kind.ACQUIRES: _acquires,
    Kind.CLOSES: _closes,
    Kind.WORKS: _makes_workers,
}
