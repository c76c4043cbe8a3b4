"""Finds the calls that create an object which owns a descriptor, now or later, and those that create one which is no
more than its attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from fdlint.catalog.naming import adds_nothing, is_named_tuple
from fdlint.core.dataflow.liveness import read_places
from fdlint.core.dataflow.makers import binding_steps, makers, sources, steps_binding
from fdlint.core.domain.owner import Begins, OwnerClass, Record
from fdlint.core.domain.state import State
from fdlint.core.domain.values import Value
from fdlint.core.engine.bind_arguments import bind_arguments, given_by
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.summary import Callees
from fdlint.core.ir import AccessPath, Assign, Call, Callee, Drop, Effect, Enter, Graph, Leaving, Operand, Place, Yield
from fdlint.program.facts import is_constructor
from fdlint.program.overrides import subclasses_of
from fdlint.program.units import File, Function, Unit
from fdlint.report.findings.grounds import REST


def class_created(context: AnalysisContext, file: File, caller: Graph, call: Call) -> OwnerClass | None:
    """Returns the class of the object that a call creates, if its objects own a descriptor; None otherwise."""
    callee = call.callee
    if context.owners is None or caller.language.records or callee.inherited or callee.variable is not None:
        return None
    constructs = callee.constructs or callee.dotted is not None or (callee.owner is None and callee.receiver is None)
    if not constructs or (callee.dotted is not None and context.catalog.lookup(callee.dotted)):
        return None
    name, of_class = callee.owner or callee.dotted or callee.name, callee.constructs and callee.owner is not None
    if of_class and isinstance(callee.function, Function):  # a class that came in
        file, of_class = callee.function.file, False
    found = context.program.class_at(file, name, thorough=False) if call.args else None
    parts = tuple(_parts(context, file, caller, call, found)) if found is not None else ()
    owners = context.owners

    def work_out() -> OwnerClass | None:
        found = context.program.class_at(file, name, thorough=False)
        if found is None or (of_class and subclasses_of(*found)):
            return None  # `cls()` may create an object of a subclass
        return owners.of(context, *found, parts)

    known = context.creating.of((file, name, of_class, parts), work_out)
    if known is not None:
        assert isinstance(known.home, File)
        context.program.consulted.note(file.unit(caller.name or REST), [Unit(known.home, known.name)])
    return known


def class_passed_on(
    context: AnalysisContext, target: Function | None, inside: Callable[[Function, bool], Callees]
) -> OwnerClass | None:
    """Returns the class of the object that a function creates if it only returns that, and the object owns nothing
    yet, or what its creator gives to it: whoever calls the function is the creator. None for any other function.
    ``inside``: what resolves the calls in it."""
    if context.owners is None or target is None or is_constructor(target.unit) or not _may_create(context, target.unit):
        return None

    def work_out() -> OwnerClass | None:
        call = _only_call(target.graph)
        made = inside(target, False).created(target.graph, call) if call is not None else None
        return made if made is not None and made.begins is not Begins.CREATED else None

    return context.once(("passes on", target.key), None, work_out)


def _may_create(context: AnalysisContext, unit: Unit) -> bool:
    """Whether a function may return a new object of a class of the project, as far as texts tell."""
    if not context.facts.units.gives(unit):
        return False
    if not unit.file.classes.keys().isdisjoint(unit.facts.words) or unit.name in unit.file.names.decorated:
        return True
    called = [one.unit for one in context.facts.units.calls(unit)]
    if len(called) == 1 and not is_constructor(called[0]):
        return context.once(("may create", called[0]), False, lambda: _may_create(context, called[0]))
    return any(map(is_constructor, called))


def _only_call(graph: Graph) -> Call | None:
    """Returns the call whose result a function returns, if nothing else happens to that; None for any other function.
    The call may bind it to a variable first."""
    returned = {one.value for one in graph.effects() if isinstance(one, Leaving) and not one.falls_off}
    place = returned.pop() if len(returned) == 1 else None
    if not isinstance(place, AccessPath) or any(isinstance(one, Yield) for one in graph.effects()):
        return None
    bound = binding_steps(graph)
    names = sources(bound, place)
    once = all(len(steps_binding(bound, one)) == 1 for one in names)
    match makers(bound, place):
        case [(_, made, False)] if once and not any(_uses(one, names) for one in graph.effects()):
            return made
    return None


def _uses(effect: Effect, names: AbstractSet[Place]) -> bool:
    """Whether an effect does more with one of some places than to copy it into another of them, or to return it."""
    copies = isinstance(effect, Assign) and effect.target in names and isinstance(effect.value, AccessPath)
    if copies or isinstance(effect, Leaving | Drop):
        return False
    return any(name in names for place in read_places(effect) for name in (place, *place.prefixes))


def _parts(
    context: AnalysisContext, file: File, caller: Graph, call: Call, found: tuple[File, str]
) -> Iterator[tuple[Place, OwnerClass]]:
    """Yields the parameters of a constructor that get an object which owns a descriptor, with the object's class."""
    program, owners = context.program, context.owners
    seen = [program.class_in(file, caller, arg.value) for arg in call.args]
    made = [owners.of(context, *one) if one is not None and owners is not None else None for one in seen]
    if not any(made):
        return
    constructor = program.method(*found, found[0].language.methods.constructor, thorough=False)
    for parameter, operand in given_by(constructor, call) if constructor is not None else ():
        for arg, part in zip(call.args, made, strict=True):
            if part is not None and arg.value == operand and not _is_ended_itself(caller, operand, part):
                yield parameter, part


def _is_ended_itself(caller: Graph, place: Operand, part: OwnerClass) -> bool:
    """Whether a function may end the object in a place without the object that took it over."""
    for effect in caller.effects():
        match effect:
            case Call(_, callee) if callee.receiver == place and callee.name in part.ends:
                return True
            case Enter(manager) if manager == place:
                return True
    return False


def record_created(
    context: AnalysisContext, file: File, caller: Graph, state: State, call: Call, values: list[Value]
) -> Record | None:
    """Returns the object that a call creates if its class has no methods but a generated constructor; None otherwise,
    or if it is not known which attribute gets what. ``values``: those of the arguments."""
    plain = class_without_methods(context, file, call)
    if plain is None:
        return None
    cls, constructor = plain
    context.program.consulted.note(file.unit(caller.name or REST), [cls])
    if constructor is None:
        return Record(cls.name, (), ()) if not call.args else None
    bound = bind_arguments(state, constructor, call, values)
    if bound is None:
        return None
    own = [(str(place), value) for place, value in bound if place != constructor.graph.receiver]
    home, one = constructor.file, constructor.graph.owner or ""
    named = "" if any(map(is_named_tuple, home.classes.get(one, ()))) else cls.name
    return Record(named, tuple(name for name, _ in own), tuple(value for _, value in own))


def class_without_methods(context: AnalysisContext, file: File, call: Call) -> tuple[Unit, Function | None] | None:
    """Returns the class of the object that a call creates, with its generated constructor, if it has no other method;
    None for any other call."""
    callee = call.callee
    if callee.receiver is not None or callee.variable is not None or callee.inherited:
        return None
    return plain_class(context, file, callee.dotted or (callee.constructs and callee.owner) or callee.name)


def plain_class(context: AnalysisContext, file: File, name: str) -> tuple[Unit, Function | None] | None:
    """Returns the class of a name, with its generated constructor, if it has no other method; None otherwise."""
    return context.plain.of((file, name), lambda: _plain(context, file, name))


def _plain(context: AnalysisContext, file: File, name: str) -> tuple[Unit, Function | None] | None:
    program = context.program
    found = program.class_at(file, name, thorough=False)
    if found is None or found[0].language.records or subclasses_of(*found):
        return None
    initial = found[0].language.methods.constructor
    for home, one in program.with_bases(*found, thorough=False):
        prefix = f"{one}."
        if any(name.startswith(prefix) and not _is_of_class(home, name) for name in home.names.functions):
            return None
        bases = home.classes.get(one, ())
        if any(program.class_at(home, base, thorough=False) is None and not adds_nothing(base) for base in bases):
            return None
        if one in home.names.decorated and not home.defines(f"{one}.{initial}"):
            return None
    constructor = program.method(*found, initial, thorough=False)
    return Unit(*found), constructor


def _is_of_class(home: File, method: str) -> bool:
    """Whether a method gets no object: it may only create one."""
    of_class = {home.language.decorators.class_method, home.language.decorators.static_method}
    return method in home.names.decorated and not of_class.isdisjoint(home.lowered.functions[method].decorators)


def makes_owner(context: AnalysisContext, function: Function) -> bool:
    """Whether a function is a method of a class whose objects own a descriptor, or of a base of one, and may be the one
    that acquires: the constructor, or a method that fills an object."""
    owner, owners = function.owner, context.owners
    if owners is None or owner is None:
        return False
    known = (owners.of(context, function.file, one) for one in (owner, *subclasses_of(function.file, owner)))
    method = (function.name or "").rpartition(".")[2]
    return any(one is not None and (method in one.fills or is_constructor(function.unit)) for one in known)


def as_class(context: AnalysisContext, file: File, callee: Callee, target: Function) -> Callee:
    """Returns what a value in a file means. If it is a class, so that calling it runs this constructor, it has the name
    of the class if the same file defines both."""
    last = (target.name or "").rpartition(".")[2]
    if not callee.constructs and (last != target.file.language.methods.constructor or callee.name == last):
        return callee
    found = context.program.class_at(file, callee.owner or callee.dotted or callee.name, thorough=False)
    beside = found is not None and found[0] is target.file
    return replace(callee, constructs=True, owner=found[1] if found is not None and beside else callee.owner)
