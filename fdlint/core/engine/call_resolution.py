"""Finds the project's own functions that calls mean, and computes their summaries when a caller first asks.

A function is followed once for each kind of arguments (a descriptor, None, a list of two), from the state in which it
would start. The ways in which it can end are its summary. Chains of calls that are too deep are not followed: the
caller then reports nothing about the descriptors that it passed.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from fdlint.catalog.shape import acquires
from fdlint.core.budget import Budget
from fdlint.core.dataflow.derivation import closed_by
from fdlint.core.dataflow.nested_functions import named_functions
from fdlint.core.dataflow.slice import correlated, touches
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.correlated import Correlated
from fdlint.core.domain.owner import Begins, OwnerClass, Record
from fdlint.core.domain.state import State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import PLAIN, SOME_FUNCTION, UNKNOWN, ContainerSite, Fn, Maker, Value, is_portable
from fdlint.core.engine.asked_constants import Asked, asked_through, has_constant, tell_constants
from fdlint.core.engine.bind_arguments import as_given, bind_arguments
from fdlint.core.engine.call_exits import CallExits
from fdlint.core.engine.candidates import Candidates
from fdlint.core.engine.context import AnalysisContext, Worth
from fdlint.core.engine.explore import entry_state
from fdlint.core.engine.limits import MAX_CALLS, SMALL
from fdlint.core.engine.match_api import asked_parameters, constants_given, ways_to_acquire
from fdlint.core.engine.numbers_of_objects import closed_in, numbers_of_parameters
from fdlint.core.engine.owning_classes import (
    as_class,
    class_created,
    class_passed_on,
    class_without_methods,
    makes_owner,
    record_created,
)
from fdlint.core.engine.parameter_effects import filled_places, gather_stars, kept_parameters
from fdlint.core.engine.path_conditions import add_path_conditions, asked_about, asked_in, has_path_conditions, symbols
from fdlint.core.engine.provenance import Calls
from fdlint.core.engine.start_states import starts
from fdlint.core.engine.summarize import Task, summarise
from fdlint.core.engine.summary import Ended, Guess, Outcome, Renaming, Shared, Summary, entry, used_only
from fdlint.core.engine.summary_fixpoint import remembered
from fdlint.core.engine.touched import NOTHING, Touched, touched_in
from fdlint.core.finding import AssumptionKind
from fdlint.core.ir import NESTED, NOWHERE, RESULT, Arg, Call, Callee, Field, Graph, Lit, Place
from fdlint.program.facts import Kind
from fdlint.program.modules import owner_of
from fdlint.program.noreturn import returns_something
from fdlint.program.overrides import may_be_overridden, may_construct_subclass
from fdlint.program.units import File, Function


@dataclass(frozen=True, slots=True)
class CallResolver(CallExits):
    """Resolves the calls in one file to functions of the project.

    ``owner`` is the class of the object whose methods are being followed, as its file and its name. Without an owner,
    the object may be of any subclass. ``fields`` are the paths of the attributes and globals that are followed.
    """

    context: AnalysisContext
    file: File
    owner: tuple[File, str] | None = None
    fields: frozenset[Field] = frozenset()

    @property
    def budget(self) -> Budget:
        """Returns the budget of the file under analysis."""
        return self.context.budget

    def _target(self, caller: Graph, callee: Callee, thorough: bool = False) -> Function | None:
        on_itself = callee.receiver is not None and callee.receiver == caller.receiver
        if self.owner is not None and on_itself and not callee.inherited:
            return self.context.program.method(*self.owner, callee.name, thorough)
        found = self.context.program.target(self.file, caller, callee, thorough)
        if found is None or callee.inherited:
            return found
        if not thorough and not (found.file.touches or self.context.reads_all):
            return None
        if found is not callee.function:
            found = self._decorated(found)
        if found is None or (
            may_be_overridden(found) if callee.owner is None else may_construct_subclass(found, callee)
        ):
            return None
        return found

    def _inside(self, target: Function, same_object: bool) -> CallResolver:
        """Returns the resolver for the calls inside a callee. ``same_object``: the callee is a method of the same
        object."""
        if same_object:
            return CallResolver(self.context, target.file, self.owner, self.fields)
        here = self.fields if target.file is self.file else frozenset()
        return CallResolver(self.context, target.file, None, frozenset(one for one in here if not one.is_attribute))

    def touches_fields(self, state: State, caller: Graph, call: Call) -> bool:
        """Whether the function called touches fields that are followed: attributes of the same object, or globals."""
        fields = self.fields
        if any(one.status is Status.HELD for one in state.resources.values()):
            held = Shared(caller.receiver, caller.globals).values(state).items()
            fields |= {one for one, value in held if any(map(state.is_held, state.reachable([value])))}
        if not caller.calls_own(call):
            fields = frozenset(one for one in fields if not one.is_attribute)
        target = self._target(caller, call.callee) if fields else None
        if target is None:
            return False
        touched = self.touched(target)
        return target.graph.abstract or bool(fields & touched.fields) or (touched.whole and caller.calls_own(call))

    def touched(self, target: Function) -> Touched:
        """Returns the fields that a function or its callees touch: attributes of its object, and globals."""

        def work_out() -> Touched:
            inside = self._inside(target, same_object=True)
            found = touched_in(target, inside._touched_by)
            held = (inside.touched(one).globals() for one in target.holds if one.file is target.file)
            return functools.reduce(operator.or_, held, found)

        # The provisional answer is for a method that calls itself.
        return self.context.touched.of((target.key, self.owner), work_out, NOTHING)

    def _touched_by(self, caller: Graph, call: Call) -> Touched:
        same_object = caller.calls_own(call)
        if not same_object and not caller.globals:
            return NOTHING
        called = self._target(caller, call.callee)
        if called is None or (not same_object and called.file is not self.file):
            return NOTHING
        return self.touched(called) if same_object else self.touched(called).globals()

    @property
    def candidates(self) -> Candidates:
        """Returns the functions that may acquire, close or create workers."""
        return Candidates(self.context, self._worth)

    def _worth(self, kind: Kind, function: Function) -> Worth:
        """Returns how much it matters to callers that a function acquires or closes. Closing attributes of its own
        object matters only to other methods of that object."""
        callees = CallResolver(self.context, function.file)
        if kind is Kind.LENDS:
            graph, catalog = function.graph, self.context.catalog
            places = graph.returned() | closed_in(graph, catalog)
            return Worth.ALL if numbers_of_parameters(graph, catalog, places) else Worth.NOTHING
        if kind is Kind.ACQUIRES:
            gives = callees.gives(function) or callees.fills_some(function)
            return Worth.ALL if gives or makes_owner(self.context, function) else Worth.NOTHING
        closed = self.context.endings.of(function, callees.closer_called_by).closed
        if any(not one.is_attribute or one.root != function.graph.receiver for one in closed):
            return Worth.ALL
        return Worth.OWN if closed else Worth.NOTHING

    def may_acquire(self, graph: Graph) -> bool:
        """Whether a function of this file acquires, or calls one that gives it a descriptor."""
        if not self.candidates.is_candidate(Kind.ACQUIRES, Function(self.file, graph.name)):
            return False
        if self._makes(graph) or any(self.gives(one) or self.fills_some(one) for one in self._called(graph)):
            return True
        if any(self.gives(Function(self.file, nested)) for nested in graph.captures if graph.name is not None):
            return True
        calls = *graph.calls(), *(Call(NOWHERE, one, ()) for one in named_functions(graph))
        return any(self.created(graph, call) is not None for call in calls)

    def _may(self, kind: Kind, function: Function) -> bool:
        return self.candidates.may(kind, function) or any(self._may(kind, one) for one in function.holds)

    def may_misuse(self, graph: Graph) -> bool:
        """Whether a function of this file closes something, which it may have closed or used up before."""
        if not self.candidates.is_candidate(Kind.CLOSES, Function(self.file, graph.name)):
            return False
        return any(closed_by(call, self.context.catalog) or self.ends(graph, call).closed for call in graph.calls())

    def _makes(self, graph: Graph) -> bool:
        return self.context.relevance.may_acquire(graph, self.file.source.code, lambda call: self.renamed(graph, call))

    def giving(self) -> list[str]:
        """Returns the names of the functions and public methods of this file that give their callers descriptors, and
        of the classes whose objects own one."""
        context, owners = self.context, self.context.owners
        names = [*self.file.classes] if owners is not None else []
        classes = [name for name in names if owners is not None and owners.acquires(context, self.file, name)]
        found = [one.name for one in self.candidates.lower(self.file, (Kind.ACQUIRES,)) if one.name is not None]
        public = [name for name in found if NESTED not in name and "._" not in name]
        questions = [functools.partial(self._may_give, Function(self.file, name)) for name in public]
        giving = [name for name, question in zip(public, questions, strict=True) if self.context.is_so(question)]
        return [*dict.fromkeys(name.rpartition(".")[2] for name in giving), *classes]

    def _may_give(self, function: Function) -> bool:
        return self.gives(function) or self.fills_some(function)

    def acquires(self, caller: Graph, call: Call) -> bool:
        """Whether the function called returns a descriptor that it, or one of its callees, acquired."""
        made = self.created(caller, call)
        return (made is not None and made.begins is Begins.CREATED) or self.acquires_number(caller, call)

    def acquires_number(self, caller: Graph, call: Call) -> bool:
        """Whether the function called returns what it, or one of its callees, acquired; not whether it is a class."""
        target = self._target(caller, call.callee)
        return target is not None and self.gives(target)

    def created(self, caller: Graph, call: Call) -> OwnerClass | None:
        """Returns the class of the object that a call creates, if the object owns a descriptor; None otherwise."""
        made = class_created(self.context, self.file, caller, call)
        target = self._target(caller, call.callee) if made is None and not call.callee.constructs else None
        return made or class_passed_on(self.context, target, self._inside)

    def record(self, state: State, caller: Graph, call: Call, values: list[Value]) -> Record | None:
        """Returns the object that a call creates if its class only holds attributes; None otherwise."""
        return record_created(self.context, self.file, caller, state, call, values)

    def method_of(self, owner: OwnerClass, name: str) -> Hashable:
        """Returns a method of a class, as the function of a callee; None if the class has no such method."""
        assert isinstance(owner.home, File)
        return self.context.program.method(owner.home, owner.name, name, thorough=True)

    def fills(self, caller: Graph, call: Call) -> bool:
        """Whether the function called may put a descriptor that it acquires into a container argument."""
        target = self._target(caller, call.callee)
        return target is not None and self.fills_some(target)

    def fills_some(self, function: Function) -> bool:
        """Whether a function puts a descriptor that it acquires into a container argument."""

        def work_out() -> bool:
            if not self._may(Kind.ACQUIRES, function):
                return False
            fresh = self.may_be_fresh(function) - {RESULT}
            into = self._filled(function) if fresh else {}
            return any(place.root in fresh for place in into) and self._puts_fresh(function, into)

        return self.context.once(("fills", function.key), False, work_out)

    def gives(self, function: Function) -> bool:
        """Whether a function returns a descriptor that it acquired, whatever its arguments are."""

        def work_out() -> bool:
            settled = self.candidates.is_settled(Kind.ACQUIRES, function)
            return not settled and self._may(Kind.ACQUIRES, function) and self._returns_fresh(function)

        return self.context.once(("gives", function.key), False, work_out)

    def _filled(self, function: Function) -> Mapping[Place, bool]:
        def work_out() -> Mapping[Place, bool]:
            return filled_places(function, self.context.catalog, self._called_in, self._filled)

        return self.context.once(("filled", function.key), {}, work_out)

    def _puts_fresh(self, function: Function, into: Mapping[Place, bool]) -> bool:
        """Whether a function called with empty containers leaves a descriptor that it acquired in one of them.

        ``into`` maps the places to fill to whether they are filled by key.
        """
        start = entry_state(function.graph, function.captured)
        for number, (place, by_key) in enumerate(sorted(into.items())):
            made = ContainerSite(Maker.ANYBODY, number)
            start.env[place] = start.new_box(made, Contents((), True, () if by_key else None))
        gather_stars(start, function.graph.signature)
        found = self.alone(function, start)
        return any(one.fills for one in found)

    def _returns_fresh(self, function: Function) -> bool:
        """Whether a function returns a descriptor that it acquired, for unknown arguments and an unknown caller, or for
        a constant that decides whether a call in it acquires."""
        graph = function.graph
        if graph.generator or graph.abstract or not returns_something(graph):
            return False
        border = RESULT, graph.signature.double_star
        if not function.captured and self.may_be_fresh(function).isdisjoint(border):
            return False
        starts = (
            entry_state(graph, (*function.captured, *given)) for given in ways_to_acquire(graph, self.context.catalog)
        )
        return any(outcome.fresh for start in starts for outcome in self.alone(function, start))

    def _parameters_asked(self, function: Function) -> frozenset[Place]:
        work_out = functools.partial(asked_parameters, function.graph, self.context.catalog)
        return self.context.once(("asked parameters", function.key), frozenset(), work_out)

    def _constants_asked(self, function: Function) -> Mapping[Place, Asked]:
        """Returns what a function, and those that it calls, ask about its parameters and what it captures."""

        def work_out() -> Mapping[Place, Asked]:
            inside = self._inside(function, same_object=True)
            return asked_through(function, functools.partial(self._called_in, function), inside._constants_asked)

        return self.context.once(("constants asked", function.key, self.owner), {}, work_out)

    def may_be_fresh(self, function: Function) -> frozenset[Place]:
        """Returns the parameters and the result that may lead to a descriptor that it acquired. Reads only graphs."""
        return self.context.provenances.of(function, self._calls()).fresh

    def _calls(self) -> Calls:
        def inside(function: Function) -> CallResolver:
            return CallResolver(self.context, function.file)

        return Calls(
            lambda function, call: inside(function).renamed(function.graph, call),
            lambda function, call: inside(function)._target(function.graph, call.callee),
            lambda function: self._may(Kind.ACQUIRES, function),
            lambda function, call: inside(function).created(function.graph, call) is not None,
            lambda function, call: class_without_methods(self.context, function.file, call) is not None,
        )

    def alone(self, function: Function, start: State, shared: Shared | None = None) -> tuple[Outcome, ...]:
        """Returns the outcomes of a function without regard to a caller; none when it is too much to follow.
        ``shared``: the fields in ``start``, by the function's own names."""
        stack, self.context.active = self.context.active, []
        functions, self.context.functions = self.context.functions, []
        try:
            found = self._remembered(function, start, shared=shared)
        finally:
            self.context.active, self.context.functions = stack, functions
        return found.outcomes if found is not None else ()

    def _called(self, graph: Graph) -> list[Function]:
        """Returns the project's functions that a function calls, or gives to others, who may call them."""

        def work_out() -> list[Function]:
            targets = (self._target(graph, one) for one in named_functions(graph) if not self._is_known(one))
            return list({target.key: target for target in targets if target is not None}.values())

        return self.context.called.of(id(graph), work_out)

    def guessed(self, caller: Graph, call: Call) -> Guess | None:
        """Returns what is assumed about the callee; None if it is known."""
        by_name = self.context.program.guessed(self.file, caller, call.callee)
        if by_name is not None:
            return Guess(AssumptionKind.CALLEE_BY_NAME, by_name)
        target = self._target(caller, call.callee, thorough=True)
        if target is None or not target.may_be_decorated or target.captured:
            return None
        body, find = target.file.lowered.body, self.context.program.target
        unknown = (one for one in target.graph.wrappers if one.name not in target.graph.language.decorators.known)
        found = (find(target.file, body, one, thorough=True) for one in unknown)
        return Guess(AssumptionKind.DECORATOR_CALLS, target.name or "") if None in found else None

    def renamed(self, caller: Graph, call: Call) -> Call:
        """Returns the call under the catalog's name when the callee stands for a function of the catalog.

        The callee may be a name that a module of the project imports, or a method that a class of the project inherits.
        A method of a class of the project counts as the project's own. Any other call is returned as it is.
        """
        if self._is_known(call.callee):
            return call
        if call.callee.dotted is not None:
            meant = self.context.program.meaning(self.file, call.callee.dotted)
        elif caller.calls_own(call):
            meant = self._inherited(caller, call.callee.name)
        else:
            meant = None
            if not call.callee.own and self.context.program.is_method(self.file, caller, call.callee):
                return replace(call, callee=replace(call.callee, own=True))
        return replace(call, callee=replace(call.callee, dotted=meant, own=False)) if meant is not None else call

    def _inherited(self, caller: Graph, method: str) -> str | None:
        """Returns the catalog's name of a method that the class of the caller's object inherits; None if there is
        none."""
        program = self.context.program
        name = owner_of(caller.name or "", self.file)
        owner = self.owner or ((self.file, name) if name is not None else None)
        return program.inherited(*owner, method) if owner is not None else None

    def correlated(self, graph: Graph, holding: frozenset[Place], followed: object = None) -> Correlated:
        """Returns which plain values of a function must be told apart. ``holding``: the places that hold descriptors
        when it is entered. ``followed``: the origin of the only acquiring call that counts; None if all count."""
        work_out = functools.partial(
            correlated,
            graph,
            self.context.catalog,
            holding,
            lambda call: self._touches(graph, call),
            followed,
            lambda call: self.fills(graph, call),
        )
        return self.context.correlated.of((id(graph), self.owner, holding, followed), work_out)

    def _touches(self, caller: Graph, call: Call) -> bool:
        """Whether a call may acquire a descriptor, close one or take one over, whatever its arguments are."""
        if touches(self.renamed(caller, call), self.context.catalog):
            return True
        if self._is_known(call.callee):
            return False
        return self.acquires(caller, call) or self.fills(caller, call) or any(self.ends(caller, call))

    def _kept(self, target: Function) -> frozenset[Place]:
        """Returns the parameters that a constructor, or a function that it calls, may keep in some form."""

        def work_out() -> frozenset[Place]:
            kept = kept_parameters(target, self.context.catalog, self._called_by)
            return frozenset(target.graph.parameters) if self._makes_number(target) else kept

        return self.context.kept.of(target.key, work_out)

    def _makes_number(self, target: Function) -> bool:
        """Whether a constructor is that of a class of numbers, whose objects are what it gets."""
        owner = target.graph.owner
        lineage = self.context.program.lineage(target.file, owner) if owner is not None else ()
        return target.graph.language.types.of(0) in lineage

    def ends(self, caller: Graph, call: Call) -> Ended:
        """Returns the arguments that the function called may close or wrap in an object that owns them, and the
        standard streams that it may close."""
        function, endings = Function(self.file, caller.name), self.context.endings
        streams = endings.streams(function, call, self.closer_called_by)
        return endings.by_call(function, call, self.closer_called_by)._replace(streams=streams)

    def closer_called_by(self, function: Function, call: Call) -> Function | None:
        """Returns the project function that a call means, if it may close something; None otherwise.

        The texts show which functions may close something, so others need not be lowered.
        """
        called = self._called_in(function, call) if not self._is_known(call.callee) else None
        return called if called is not None and self._may(Kind.CLOSES, called) else None

    def _called_in(self, function: Function, call: Call) -> Function | None:
        """Returns the project's function that a call in another one means, as itself or in a captured variable."""
        called = self._inside(function, same_object=True)._target(function.graph, call.callee)
        return called or function.held_by(call.callee.variable)

    def _called_by(self, function: Function, call: Call) -> Function | None:
        if self._is_known(call.callee):
            return None
        return self._inside(function, same_object=True)._target(function.graph, call.callee, thorough=True)

    # -- functions as values

    def calls_back(self, caller: Graph, given: Callee) -> bool:
        """Whether a function which is given to another one may return a descriptor that it acquired."""
        if given.dotted is not None and (apis := self.context.catalog.lookup(given.dotted)):
            return any(acquires(api.returns) for api in apis)
        return self.acquires(caller, Call(NOWHERE, given, ()))

    def portable(self, state: State, caller: Graph, value: Value) -> Value:
        """Returns a value in a form that other functions understand: a function as itself, not only by its name."""
        if not isinstance(value, Fn) or is_portable(value):
            return value
        target = self._target(caller, value.callee, thorough=True)
        if target is None:
            return SOME_FUNCTION
        seen = [(name, self.portable(state, caller, held)) for name, held in value.captured]
        captured = (*seen, *target.captured)
        made = replace(target, captured=captured)
        if made.depth > MAX_CALLS:
            return SOME_FUNCTION  # each round of a loop wraps the function again
        function = self.context.closures.setdefault((target.file, target.name, captured), made)
        receiver = Lit(True) if value.callee.receiver is not None else None
        callee = as_class(self.context, self.file, value.callee, target)
        return Fn(replace(callee, function=function, receiver=receiver))

    def _captured(self, state: State, caller: Graph, target: Function) -> list[tuple[Place, Value]]:
        """Returns the variables that a nested function captures, with their values."""
        maker = (target.name or "").rpartition(NESTED)[0]
        if not maker or caller.name is None or not f"{caller.name}{NESTED}".startswith(f"{maker}{NESTED}"):
            return list(target.captured)
        names = [name for name in sorted(target.graph.free) if name in state.env]
        return [(name, self.portable(state, caller, state.env[name])) for name in names]

    def _decorated(self, found: Function | None) -> Function | None:
        """Returns the function that a decorated name stands for; None if it is not known."""
        if found is None or found.captured or not found.may_be_decorated or not found.graph.wrappers:
            return found
        plain: Function | None = found  # for a decorator that calls what it decorates
        return self.context.once(("decorated", found.key), plain, lambda: self._wrapped(found))

    def _wrapped(self, found: Function) -> Function | None:
        inside = CallResolver(self.context, found.file)
        body = found.file.lowered.body
        current: Value = Fn(Callee(found.name or "", own=True, function=found))
        for wrapper in found.graph.wrappers:
            if self.context.program.target(found.file, body, wrapper, thorough=True) is None:
                continue  # not the project's: assume that it calls what it decorates
            known = inside.summary(State(), body, Call(NOWHERE, wrapper, (Arg(NOWHERE),)), [current])
            results = {one.result for one in known[0].outcomes if not one.raised} if known is not None else set()
            current = results.pop() if len(results) == 1 else UNKNOWN
        function = current.callee.function if isinstance(current, Fn) else None
        return replace(function, method=found.graph.signature.bound) if isinstance(function, Function) else None

    # -- summaries

    def summary(self, state: State, caller: Graph, call: Call, values: list[Value]) -> tuple[Summary, Renaming] | None:
        """Returns the summary of the function called, and the caller's names for what it mentions.

        None when the function is not known or too much to follow. ``values``: the values of the arguments.
        """
        target = self._target(caller, call.callee, thorough=True)
        if target is None or target.graph.abstract:
            return None
        given = values
        values, worth = symbols(state, self._asked(caller), call, values)
        bound = bind_arguments(state, target, call, [self.portable(state, caller, value) for value in values])
        if bound is None:
            return None
        if caller.language.records:
            filled = self._filled(target) if self.fills_some(target) else {}
            bound = [(place, value if place in filled else as_given(state, value)) for place, value in bound]
        captured = self._captured(state, caller, target)
        worth |= {one for _, value in captured for one in asked_about(state, self._asked(caller), value)}
        same_object = caller.calls_own(call) and target.graph.receiver is not None
        names = caller.globals if target.file is self.file else frozenset()
        names |= caller.shared.intersection(call.captured)
        there = Shared(target.graph.receiver if same_object else None, names)
        known = there if same_object or names else None
        here = Shared(caller.receiver if same_object else None, names)
        if same_object:
            here = replace(here, apart=self.apart(state, target, here, [value for _, value in (*captured, *bound)]))
        given_fields = list(here.values(state).items())
        if len(target.graph.blocks) > SMALL:  # it does not get to know plain attributes
            given_fields = [(path, one) for path, one in given_fields if path in self.fields or type(one) not in PLAIN]
        fields = [(there.place(path), value) for path, value in given_fields]
        start, renaming = entry(state, [*captured, *bound, *fields], here if known is not None else None)
        start.env |= constants_given(self._parameters_asked(target), bound)
        if any(has_constant(value) for _, value in (*captured, *bound)):
            tell_constants(start, self._constants_asked(target), [*captured, *bound])
        alone = start.copy()
        add_path_conditions(start, renaming.symbols, worth)
        told = self._asked_by_both(caller, here, target, there) if same_object else frozenset[Field]()
        found = self._remembered(target, start, call.callee.constructs, known, told)
        if found is None and (told or has_path_conditions(start)):
            found = self._remembered(target, alone, call.callee.constructs, known)
        if found is not None and found.lets_go and any(map(state.leads_anywhere, here.kept_apart(state))):
            self.context.letting_go.put((target.key, self.owner), True)
            return self.summary(state, caller, call, given)
        if found is not None and target.graph.generator:
            found = used_only(found, alone)
        return (found, renaming) if found is not None else None

    def apart(self, state: State, target: Function, here: Shared, given: list[Value]) -> frozenset[Field]:
        """Returns the attributes that a method does not touch. They keep their values and do not go along.

        An attribute goes along after all if another value that goes along leads to the same descriptors, or if it
        leads to a descriptor that is certain to have ended.
        """
        touched, held = self.touched(target).fields, here.values(state)
        near = {
            path
            for path in held
            if not path.is_attribute or any(path.leads_through(one) or one.leads_through(path) for one in touched)
        }
        apart = held.keys() - near
        if self.context.letting_go.has((target.key, self.owner)):
            apart = {path for path in apart if not state.leads_anywhere(held[path])}
        before: set[Field] = set()
        while apart and apart != before:
            before = apart
            going = [*given, *(value for path, value in held.items() if path not in apart)]
            fds, boxes = state.reachable(going), state.containers(going)
            fds |= {fd for fd, resource in state.resources.items() if resource.certain}
            apart = {
                path
                for path in apart
                if fds.isdisjoint(state.reachable([held[path]])) and boxes.isdisjoint(state.containers([held[path]]))
            }
        return frozenset(apart)

    def _asked_by_both(self, caller: Graph, here: Shared, target: Function, there: Shared) -> frozenset[Field]:
        """Returns the attributes that a method and its caller both test: the caller learns about them from the call."""
        asked = {path for place in self._asked(caller) if (path := here.field(place)) is not None}
        return frozenset(path for place in self._asked(target.graph) if (path := there.field(place)) in asked)

    def _asked(self, caller: Graph) -> frozenset[Place]:
        return self.context.asked.of(id(caller), lambda: asked_in(caller))

    def _remembered(
        self,
        target: Function,
        start: State,
        constructs: bool = False,
        shared: Shared | None = None,
        told: frozenset[Field] = frozenset(),
    ) -> Summary | None:
        """Returns the summary of a function that starts in a given state; None when it is too much to follow.

        ``told``: the attributes about which the caller wants to learn.
        """
        options = (self.owner, self.fields, shared, told) if shared is not None else None
        kept = self._kept(target) if constructs else None

        def followed(start: State) -> Summary | None:
            key = target.key, start.key(), constructs, options
            inside = self._inside(target, shared is not None and shared.receiver is not None)
            task = Task(target, start, inside, shared, kept, told)
            return remembered(
                self.context, target.key, key, len(target.graph.blocks), lambda: summarise(task, self.context)
            )

        found = None
        for one in starts(start, target.graph):
            found = followed(one)
            if found is None:
                break
        return found
