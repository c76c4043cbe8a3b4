"""What functions of which the texts say that they may acquire, close or make workers really do for their callers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fdlint.callgraph.modules import Function
from fdlint.callgraph.seeds import Kind
from fdlint.engine.call_resolution import CallResolver
from fdlint.engine.context import AnalysisContext, Worth
from fdlint.objects.workers.callers import Workers
from fdlint.objects.workers.constructors import Produced


def _acquires(context: AnalysisContext, function: Function) -> Worth:
    callees = CallResolver(context, function.file)
    return Worth.ALL if callees.gives(function) or callees.fills_some(function) else Worth.NOTHING


def _closes(context: AnalysisContext, function: Function) -> Worth:
    """What it closes of its own object's is the affair of the other methods alone."""
    callees = CallResolver(context, function.file)
    closed = context.endings.of(function, callees.closer_called_by).closed
    if any(not place.is_attribute for place in closed):
        return Worth.ALL
    return Worth.OWN if closed else Worth.NOTHING


def _makes_workers(context: AnalysisContext, function: Function) -> Worth:
    return Worth.ALL if Workers(context).produced(function) != Produced() else Worth.NOTHING


CONFIRM: Mapping[Kind, Callable[[AnalysisContext, Function], Worth]] = {
    Kind.ACQUIRES: _acquires,
    Kind.CLOSES: _closes,
    Kind.WORKS: _makes_workers,
}
