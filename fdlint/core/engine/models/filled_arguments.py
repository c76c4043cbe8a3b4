"""Models calls that put what they acquire into an argument: an array, a buffer, or a field of a structure."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.catalog.model import Api
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Box, Const, ContainerSite, Maker, Seq, Typed, Value, mentions_any
from fdlint.core.engine.allocate import Doer
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.match_api import operand_of
from fdlint.core.engine.models.containers import mark_bound
from fdlint.core.ir import AccessPath, Arg, Graph, Operand, Step

FAILED = Const(-1)
"""The result of a function of C that has failed."""


def fill(doer: Doer, state: State, step: Step, api: Api, bound: Iterable[tuple[str, Arg]], made: Value) -> Value:
    """Returns the result of a call that has made ``made``: that, unless the call puts it into an argument. Then it is
    the bytes of a new buffer if the argument has no name, otherwise the number 0."""
    if api.fills is None or doer.graph.language.records:
        return made
    argument = operand_of(tuple(bound), api.fills)
    if not mentions_any(made):
        return UNKNOWN
    if not isinstance(argument, AccessPath) or not _is_own(doer.graph, argument):
        doer.hand_over(state, made, step)
        return UNKNOWN
    inside = _filled(state, doer.graph, api, argument, made, step.node)
    if not argument.is_named:
        return inside
    state.env[argument] = inside
    mark_bound(state, inside)
    doer.log.name(state, inside, argument)
    return Const(0)


def _is_own(graph: Graph, argument: Operand) -> bool:
    """Whether an argument is a variable or an expression of the function, so that nobody else has it."""
    if not isinstance(argument, AccessPath) or argument.is_attribute or graph.module:
        return False
    return argument not in graph.parameters and argument not in graph.globals and argument not in graph.free


def _filled(state: State, graph: Graph, api: Api, argument: AccessPath, made: Value, node: int) -> Value:
    """Returns the value of an argument after a call has put ``made`` into it. Nothing is known of the order of a
    buffer's bytes."""
    before = value_of(state, graph, argument)
    if isinstance(made, Seq):
        return made
    contents = state.heap.get(before.container, Contents()) if isinstance(before, Box) else None
    is_buffer = isinstance(before, Seq | Typed) or (contents is not None and contents.keys is None)
    if api.field is None or is_buffer:
        return Seq((made,), exact=False)
    others = contents if contents is not None else Contents()
    fields = {**dict(zip(others.keys or (), others.items, strict=True)), api.field: made}
    site = ContainerSite(Maker.DISPLAY, node, 1, graph.name or "")
    return state.new_box(site, Contents(tuple(fields.values()), True, tuple(fields)))
