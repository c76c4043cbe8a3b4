"""What the calls in one file may do, as far as no path must be followed: whether they return, raise, start programs."""

from __future__ import annotations

from fdlint.core.dataflow.derivation import assignments, destinations
from fdlint.core.dataflow.makers import binding_steps, makers
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.limits import SMALL
from fdlint.core.engine.owning_classes import class_without_methods, plain_class
from fdlint.core.ir import RAISE, Advance, Assign, Call, Callee, Graph, Named, Place
from fdlint.program.facts import Kind, is_constructor
from fdlint.program.noreturn import Exits, Later, exits_of, exits_of_known, is_plain_class, returns_something
from fdlint.program.units import File, Function


class CallExits:
    """The part of a resolver of calls that follows no paths. ``_target`` returns the function called, ``_inside`` the
    resolver for the calls in a function, ``renamed`` the call under the catalog's name."""

    __slots__ = ()
    context: AnalysisContext
    file: File

    def _target(self, caller: Graph, callee: Callee, thorough: bool = False) -> Function | None:
        raise NotImplementedError

    def _inside(self, target: Function, same_object: bool) -> CallExits:
        raise NotImplementedError

    def _may(self, kind: Kind, function: Function) -> bool:
        raise NotImplementedError

    def renamed(self, caller: Graph, call: Call) -> Call:
        """Returns a call under the name that the catalog has for it."""
        raise NotImplementedError

    def exits(self, caller: Graph, call: Call, thorough: bool = False) -> tuple[bool, bool] | None:
        """Returns (may return, may raise); None when the function is not known.

        ``thorough``: also considers functions in files that have nothing to do with descriptors.
        """
        found = self._exits(caller, call, thorough)
        return found() if callable(found) else found

    def _exits(self, caller: Graph, call: Call, thorough: bool = False) -> Exits | Later | None:
        """Returns the same as ``exits``, or a function that finds it out when a function must be lowered for that."""
        target = self._target(caller, call.callee, thorough)
        if target is not None:
            return lambda: self._exits_of(target)
        callee = call.callee
        if callee.constructs and is_plain_class(self.file.lowered, self.context.catalog, callee.owner or callee.name):
            return True, False
        return exits_of_known(self.context.catalog.lookup(self.renamed(caller, call).callee.dotted or ""))

    def unregisters(self, caller: Graph, call: Call) -> bool:
        """Whether the function called, or one it calls, may end the registrations of all descriptors."""
        target = self._target(caller, call.callee)
        return target is not None and self._may(Kind.UNREGISTERS, target)

    def lender(self, caller: Graph, call: Call) -> Function | None:
        """Returns the function of the project called, which may ask an object for its number, or make one."""
        return self._target(caller, call.callee) if not self._is_known(call.callee) else None

    def starts(self, caller: Graph, call: Call) -> bool:
        """Whether the function called, or one it calls, may start a program that inherits what is open."""
        target = self._target(caller, call.callee)
        return target is not None and self._may(Kind.STARTS, target)

    def constructs(self, caller: Graph, call: Call) -> bool:
        """Whether the function called is the constructor of a class of the project."""
        target = self._target(caller, call.callee)
        return target is not None and is_constructor(target.unit)

    def captured_ends(self, graph: Graph, name: str) -> frozenset[Place]:
        """Returns the variables of a function that a function nested in it may close, itself or through others."""
        nested = Function(self.file, name)
        if not self._may(Kind.CLOSES, nested):
            return frozenset()
        return self.context.endings.of(nested, self.closer_called_by).closed & graph.captures[name]

    def closer_called_by(self, function: Function, call: Call) -> Function | None:
        """Returns the project function that a call means, if it may close something; None otherwise."""
        raise NotImplementedError

    def _is_known(self, callee: Callee) -> bool:
        return callee.dotted is not None and bool(self.context.catalog.lookup(callee.dotted))

    def makes_holder(self, caller: Graph, call: Call) -> bool:
        """Whether the function called may return a function, or an object of a class without methods."""
        target = self._target(caller, call.callee)
        return target is not None and self._may_make_holder(target)

    def _may_make_holder(self, target: Function) -> bool:
        if target.may_nest and target.graph.captures and returns_something(target.graph):
            return True
        if target.unit.facts.gives and _returns_function(target.graph):
            return True
        return self._may_make_plain(target) or any(map(self._may_make_holder, target.holds))

    def _may_make_plain(self, target: Function) -> bool:
        known, home = target.unit.facts, target.file
        called = [f"{one.root}.{one.name}" if one.root else one.name for one in known.calls] + [target.owner or ""]
        if not known.gives or not any(plain_class(self.context, home, one) for one in called):
            return False
        bound = binding_steps(target.graph)
        made = (one for value in target.graph.returned() for _, one, _ in makers(bound, value))
        return any(class_without_methods(self.context, home, one) is not None for one in made)

    def knows(self, caller: Graph, call: Call) -> bool:
        """Whether the call is of one of the project's own functions."""
        found = self.context.program.target(self.file, caller, call.callee, thorough=True)
        return found is not None or self.context.program.may_be_own(self.file, call.callee)

    def is_small(self, caller: Graph, call: Call) -> bool:
        """Whether the function called is known and short enough to be followed even if it gets no descriptor."""
        target = self._target(caller, call.callee, thorough=True)
        return target is not None and len(target.graph.blocks) <= SMALL

    def names_errors(self, caller: Graph, call: Call) -> bool:
        """Whether the function called is small, and all that it may raise are exceptions of known classes."""
        target = self._target(caller, call.callee)
        return target is not None and self._names_errors_of(target)

    def _names_errors_of(self, target: Function) -> bool:
        def work_out() -> bool:
            graph, inside = target.graph, self._inside(target, same_object=False)
            if graph.generator or len(graph.blocks) > SMALL:
                return False
            unknown = graph.language.exceptions.unknown
            ends = [block.end for block in graph.blocks if isinstance(block.end, Advance)]
            leaving = (step for step in graph.steps() if RAISE in step.pads.get(unknown, ()))
            return not any(RAISE in end.pads.get(unknown, ()) for end in ends) and all(
                isinstance(step.effect, Call) and inside.names_errors_within(graph, step.effect) for step in leaving
            )

        # The provisional answer is for a function that calls itself.
        return self.context.naming.of(target.key, work_out, True)

    def names_errors_within(self, graph: Graph, call: Call) -> bool:
        """Whether all that a call in a followed function may raise are exceptions of known classes."""
        apis = self.context.catalog.lookup(self.renamed(graph, call).callee.dotted or "")
        if apis:
            return all(one.raises != graph.language.exceptions.unknown and not one.applies for one in apis)
        return self.names_errors(graph, call)

    def _exits_of(self, target: Function) -> Exits | None:
        if target.graph.generator:
            return None

        def work_out() -> Exits:
            inside = self._inside(target, same_object=False)
            return exits_of(target.graph, self.context.catalog, lambda inner: inside._exits_within(target, inner))

        # The provisional answer is for a function that calls itself through others.
        returns, raises = self.context.exits.of(target.key, work_out, (True, True))
        return returns or target.graph.abstract, raises

    def _exits_within(self, caller: Function, call: Call) -> Exits | Later | None:
        """Returns the exits of a call. A call of the caller itself raises only what another call has raised."""
        if call.callee.name == (caller.name or "").rpartition(".")[2]:
            called = self._target(caller.graph, call.callee)
            if called is not None and called.key == caller.key:
                return True, False
        return self._exits(caller.graph, call)


def _returns_function(graph: Graph) -> bool:
    """Whether a function may return another one that it names, perhaps from a table."""
    named = [one.target for one in graph.effects() if isinstance(one, Assign) and isinstance(one.value, Named)]
    return bool(named) and not graph.returned().isdisjoint(destinations(named, assignments(graph)))
