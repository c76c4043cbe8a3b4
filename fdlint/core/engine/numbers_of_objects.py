"""Finds closes of a number that belongs to an object: of a live socket, file or selector that was asked for it.

No paths are followed. A name that is only ever bound to such numbers holds one wherever it is closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api, Borrowed, ForkPid, Instance
from fdlint.catalog.naming import gives_up
from fdlint.core.dataflow.derivation import binding_steps, closed_by, makers
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.engine.explore import qualified
from fdlint.core.engine.log import Places
from fdlint.core.engine.match_api import read_call
from fdlint.core.finding import Event as TraceEvent
from fdlint.core.finding import EventKind
from fdlint.core.ir import AccessPath, Assign, Call, Enter, Graph, Lit, Operand, Place, Step, spelled


def closes_of_objects(graph: Graph, catalog: Catalog, places: Places) -> Iterator[Happened]:
    """Yields the closes of numbers whose objects live on."""
    closing = [
        (step, place)
        for step in graph.steps()
        if isinstance(step.effect, Call) and not step.expected
        for place in closed_by(step.effect, catalog)
    ]
    if not closing:
        return
    numbers = _Numbers(graph, catalog)
    seen: set[int] = set()
    for step, place in closing:
        asked = numbers.asked(place)
        if asked and id(step.origin) not in seen and not numbers.gives_up:
            seen.add(id(step.origin))
            yield _misuse(graph, step, place, asked, places)


_FINALIZER = "finalizer"  # the parameter of a call that may put something else in the place of the close


@dataclass(slots=True)
class _Numbers:
    """The numbers of objects in one function."""

    graph: Graph
    catalog: Catalog
    bound: dict[Place, list[Step]] = field(init=False)

    def __post_init__(self) -> None:
        self.bound = binding_steps(self.graph)

    @property
    def gives_up(self) -> bool:
        """Whether the function may take a number from its object, or knows of a child that has copies of both."""
        return any(map(self._gives_up, self.graph.calls()))

    def _gives_up(self, call: Call) -> bool:
        apis = self.catalog.lookup(call.callee.dotted or "")
        forks = any(isinstance(api.returns, ForkPid) or (api.noreturn and api.inherits) for api in apis)
        return gives_up(call.callee.name) or forks or any(_FINALIZER in api.params for api in apis)

    def asked(self, place: Place) -> list[tuple[Step, Operand]]:
        """Returns the steps that ask an object for its number, each with the object; none if the place can hold
        another number."""
        found = []
        for step, call, _ in makers(self.bound, place):
            owner = self._owner(call)
            if owner is None:
                return []
            found.append((step, owner))
        return found

    def _owner(self, call: Call) -> Operand | None:
        """Returns the object whose number a call returns; None if it is not known to own one."""
        callee = call.callee
        if callee.dotted is not None:
            apis = self.catalog.lookup(callee.dotted)
            (api,) = apis if len(apis) == 1 else (None,)
            if api is None or not api.lends or not call.args:
                return None
            owner = call.args[0].value
            return owner if not api.name.startswith("*.") or self._made(owner) else None
        if not isinstance(callee.receiver, AccessPath):
            return None
        lends = any(isinstance(api.returns, Borrowed) for api in self.catalog.method(callee.name))
        return callee.receiver if lends and (self._is_typed(callee.receiver) or self._made(callee.receiver)) else None

    def _is_typed(self, place: Place) -> bool:
        return place in self.graph.types and self.catalog.knows_type(self.graph.types[place])

    def _made(self, operand: Operand) -> bool:
        """Whether an object is only ever the result of calls that give one which owns its descriptor."""
        pending, seen = [operand], {operand}
        found = False
        while pending:
            one = pending.pop()
            for step in self.bound.get(one, ()) if isinstance(one, AccessPath) else ():
                match step.effect:
                    case Assign(value=Lit(None)):  # it could not be made
                        continue
                    case Assign(value=AccessPath() as before) | Enter(manager=AccessPath() as before):
                        if before not in seen:
                            seen.add(before)
                            pending.append(before)
                    case Call() as call if self._gives_owner(call):
                        found = True
                    case _:
                        return False
            if not isinstance(one, AccessPath) or one not in self.bound:
                return False
        return found

    def _gives_owner(self, call: Call) -> bool:
        api = read_call(self.catalog, call, self.catalog.lookup(call.callee.dotted or "")).api
        return api is not None and not api.borrows and (api.finalized or _makes_object(api))


def _makes_object(api: Api) -> bool:
    """Whether a call gives an object that has the only copy of its number; with a mark, it made one of a number."""
    return isinstance(api.returns, Instance) or Event.FINALIZED in api.marks.values()


def _misuse(graph: Graph, step: Step, place: Place, asked: list[tuple[Step, Operand]], places: Places) -> Happened:
    span = places.span(step.origin)
    before = [(where, owner) for one, owner in asked if (where := places.span(one.origin)) <= span]
    where, owner = max(before, key=lambda pair: pair[0], default=(places.span(asked[0][0].origin), asked[0][1]))
    holder = f"`{spelled(owner)}`" if isinstance(owner, AccessPath) and not owner.is_temporary else "an object"
    trace = (
        TraceEvent(EventKind.TRANSFERRED, where, f"borrowed from {holder}, which closes it itself"),
        TraceEvent(EventKind.CLOSED, span, "closed here"),
    )
    name = None if place.is_temporary else place
    return Happened(Violation.CLOSE_OF_BORROWED, name, qualified(graph.name), span, None, trace)
