"""Recognises calls that create an object with worker processes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fdlint.catalog import Catalog
from fdlint.catalog.model import Instance, Worker
from fdlint.core.engine.match_api import bind, holds
from fdlint.core.ir import AccessPath, Arg, Assign, Call, Graph, Lit, Operand, Place, Step
from fdlint.program.units import File


@dataclass(frozen=True, slots=True)
class Hop:
    """A call between a loop and the construction."""

    step: Step
    file: File
    name: str


@dataclass(frozen=True, slots=True)
class Made:
    """An object that a function creates, directly or through a callee.

    ``needs``: the parameters that it depends on, None if unknown. ``count``: the parameter with the number of workers.
    ``asks``: the parameters that must be true (or false) for it to be created. ``shared``: one of its own workers
    received it. ``way``: the calls that led to the construction, the outermost
    first, and how many of them only ``returned`` it.
    """

    worker: Worker
    step: Step
    file: File
    function: str | None
    needs: frozenset[Place] | None
    count: Place | None = None
    asks: frozenset[tuple[Place, bool]] = frozenset()
    shared: bool = False
    way: tuple[Hop, ...] = ()
    returned: int = 0

    @property
    def distance(self) -> int:
        """The number of calls between the construction and the loss, without those that return it."""
        return len(self.way) - self.returned


@dataclass(frozen=True, slots=True)
class Produced:
    """The objects that a function ``gives`` its caller (and as which item of a tuple), and those that it ``loses``."""

    gives: tuple[tuple[Made, int | None], ...] = ()
    loses: tuple[Made, ...] = ()


def worker_made(graph: Graph, catalog: Catalog, call: Call) -> Worker | None:
    """Returns the worker object that a call creates, or None."""
    dotted = call.callee.dotted
    if dotted is None and call.callee.name in catalog.making:
        kind = type_of(graph, catalog, call.callee.receiver)
        dotted = f"{kind}.{call.callee.name}" if kind is not None else None
    if dotted is None:
        return None
    args = tuple(_known(graph, arg) for arg in call.args)
    makers = catalog.makers(dotted)
    return next((one for one in makers if all(holds(one.api, condition, args) for condition in one.api.when)), None)


def _known(graph: Graph, arg: Arg) -> Arg:
    """Returns an argument with the name of a constant replaced by its value."""
    if isinstance(arg.value, AccessPath) and arg.value in graph.constants and arg.value not in graph.parameters:
        return replace(arg, value=Lit(graph.constants[arg.value]))
    return arg


def type_of(graph: Graph, catalog: Catalog, place: Operand | None) -> str | None:
    """Returns the type of a variable's value, if the variable is only bound to results of one type."""
    if not isinstance(place, AccessPath):
        return None
    if place in graph.types:
        return graph.types[place]
    found: set[str | None] = set()
    for effect in graph.effects():
        match effect:
            case Call(result, callee) if result == place and callee.dotted is not None:
                shapes = [api.returns for api in catalog.lookup(callee.dotted)]
                found |= {one.type if isinstance(one, Instance) else None for one in shapes} or {None}
            case Assign(target, AccessPath() as value) if target == place and value != place:
                found.add(type_of(graph, catalog, value) if value.is_temporary else None)
    return found.pop() if len(found) == 1 else None


def count_of(worker: Worker, graph: Graph, call: Call) -> Place | None:
    """Returns the parameter that decides whether there are workers at all, if the function passes it on unchanged."""
    names = {condition.argument for condition in worker.api.when if condition.negated}
    found = [arg.value for name, arg in bind(worker.api, call.args) if name in names]
    return next((one for one in found if isinstance(one, AccessPath) and one in graph.parameters), None)
