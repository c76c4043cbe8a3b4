"""Matches a call with a catalog entry, and its arguments with the entry's parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeGuard

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api, Condition, TextOf
from fdlint.catalog.naming import is_assertion
from fdlint.catalog.shape import acquires
from fdlint.core.domain.event import Chance, Event
from fdlint.core.domain.state import State
from fdlint.core.domain.values import Box, Const, Fd, Fn, Seq, Text, Typed, Value, mentions_any
from fdlint.core.engine.eval import value_of
from fdlint.core.ir import AccessPath, Arg, Call, Callee, Graph, Lit, Member, Operand, Place

Constants: TypeAlias = tuple[tuple[int, Lit], ...]
"""Arguments of a call by their number, with the values that they have on one path."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of a call on one path.

    ``api``: the catalog entry, None if only the name is known; ``bound`` pairs parameters with arguments.
    """

    api: Api | None
    bound: tuple[tuple[str, Arg], ...]
    applied: Api | None = None  # the function that a wrapper calls for us
    applied_bound: tuple[tuple[str, Arg], ...] = ()

    def action(self, name: str) -> Event:
        """Returns the action of the call on the argument of a parameter."""
        return self.api.actions.get(name, Event.USED) if self.api is not None else Event.USED

    def passed_whole(self) -> Iterator[tuple[Arg, Event]]:
        """Yields the arguments that come as one tuple for a function passed, as in ``Thread(target=os.close,
        args=(fd,))``, with the action on them."""
        api, applied = self.api, self.applied
        if api is None or applied is None or api.passes is None or api.passes.startswith("*"):
            return
        for name, arg in self.bound:
            if name == api.passes:
                yield arg, Event.TRANSFERRED if applied.ended else Event.USED


def as_called(state: State, graph: Graph, call: Call) -> Call:
    """Returns the call with the function that the called variable or attribute holds in its place."""
    callee, held = call.callee, None
    if callee.variable is not None:
        held = value_of(state, graph, callee.variable)
    elif isinstance(callee.receiver, AccessPath) and not callee.inherited:
        held = state.env.get(callee.receiver.attribute(callee.name))
    if not isinstance(held, Fn):
        return call
    spelled = callee.name if held.callee.function is not None and callee.name else held.callee.name
    return replace(call, callee=replace(held.callee, name=spelled))


def read_call(catalog: Catalog, call: Call, apis: tuple[Api, ...], constants: Constants = ()) -> Reading:
    """Returns the reading of a call by the first catalog entry whose conditions hold. If there is none, the reading
    rests on the name and the arguments. ``constants``: the arguments whose value is known only on this path."""
    asked = list(call.args)
    for number, constant in constants:
        asked[number] = replace(asked[number], value=constant)
    api = _speaker(apis, tuple(asked))
    if api is None:
        return _unknown(catalog, call)
    bound = tuple(bind(api, call.args))
    if (api.applies or api.registers) and (called := _called(api, call.args)) is not None:
        passed = () if api.passes is not None and not api.passes.startswith("*") else called[1]
        applied = _speaker(catalog.lookup(called[0].dotted or ""), passed)
        if applied is not None:
            return Reading(api, bound, applied, tuple(bind(applied, passed)))
    return Reading(api, bound)


def closed_arguments(catalog: Catalog, call: Call) -> Iterator[Place]:
    """Yields what a call of the catalog closes, now or at the end for which it registers a closer: which system call it
    is may depend on its first argument."""
    of_any = catalog.method(call.callee.name, call.callee.receiver) if call.callee.dotted is None else ()
    apis = tuple(api for api in of_any if api.registers) or catalog.lookup(call.callee.dotted or "")
    reading = read_call(catalog, call, apis)
    for api, bound in (reading.api, reading.bound), (reading.applied, reading.applied_bound):
        for name, arg in bound if reading.api is not None and api is not None else ():
            if api is not None and name in api.closed and isinstance(arg.value, AccessPath):
                yield arg.value


def constants_in(state: State, graph: Graph, apis: tuple[Api, ...], call: Call) -> Constants:
    """Returns the arguments of a call that hold a constant on this path, if a catalog entry asks for one: which system
    call it is can depend on what a caller passed."""
    if not any(api.when for api in apis):
        return ()
    values = ((number, value_of(state, graph, arg.value)) for number, arg in enumerate(call.args) if arg.dotted is None)
    return tuple((number, Lit(value.value)) for number, value in values if _decides(value))


def _asked_parameters(graph: Graph, catalog: Catalog) -> Iterator[tuple[Api, Condition, Place]]:
    """Yields the parameters of a function that it passes where an entry of the catalog asks for a certain constant."""
    own = set(graph.parameters)
    for call in graph.calls():
        apis = catalog.lookup(call.callee.dotted) if call.callee.dotted is not None else ()
        for api in (one for one in apis if one.when):
            given = {name: arg.value for name, arg in bind(api, call.args)}
            for condition in api.when:
                place = given.get(condition.argument)
                if isinstance(place, Place) and place in own and any(isinstance(one, int) for one in condition.values):
                    yield api, condition, place


def asked_parameters(graph: Graph, catalog: Catalog) -> frozenset[Place]:
    """Returns the parameters that decide what a call in the function means: a wrapper of `open` may get the argument
    for `closefd` from its own caller."""
    return frozenset(place for _, _, place in _asked_parameters(graph, catalog))


def ways_to_acquire(graph: Graph, catalog: Catalog) -> Iterator[tuple[tuple[Place, Value], ...]]:
    """Yields the arguments with which a function may acquire something: any, and then each parameter that decides
    whether a call acquires, with a number for which it does. A wrapper of a system call gets the number of the call
    from its own caller."""
    yield ()
    for api, condition, place in _asked_parameters(graph, catalog):
        numbers = [one for one in condition.values if isinstance(one, int) and not isinstance(one, bool)]
        if numbers and not condition.negated and acquires(api.returns):
            yield ((place, Const(numbers[0])),)


def constants_given(asked: frozenset[Place], bound: Iterable[tuple[Place, Value]]) -> dict[Place, Value]:
    """Returns the constants that a call gives to the parameters which decide what a call inside means."""
    return {place: value for place, value in bound if place in asked and _decides(value)} if asked else {}


def _decides(value: Value) -> TypeGuard[Const]:
    return isinstance(value, Const) and isinstance(value.value, int)


def candidates(state: State, graph: Graph, catalog: Catalog, call: Call) -> tuple[Api, ...]:
    """Returns the catalog entries that may describe a call, in order."""
    callee = call.callee
    if callee.dotted is not None:
        return catalog.lookup(callee.dotted)
    if callee.receiver is None:
        return _of_object(state, graph, catalog, callee)
    value = value_of(state, graph, callee.receiver)
    if isinstance(value, Text) or (isinstance(value, Const) and isinstance(value.value, str)):
        value = Typed(graph.language.types.text)
    if isinstance(value, Typed) and (apis := catalog.lookup(f"{value.type}.{callee.name}")):
        return apis
    apis = catalog.method(callee.name, callee.receiver)
    if callee.own and not _has_catalog_role(callee.name, apis):
        return ()
    return tuple(api for api in apis if not api.registers or _may_get_function(state, graph, api, call))


def _of_object(state: State, graph: Graph, catalog: Catalog, callee: Callee) -> tuple[Api, ...]:
    """Returns the catalog entries for calling the object in a variable, by its type."""
    value = value_of(state, graph, callee.variable) if callee.variable is not None else None
    return catalog.lookup(f"{value.type}.{graph.language.methods.call}") if isinstance(value, Typed) else ()


def _has_catalog_role(name: str, apis: tuple[Api, ...]) -> bool:
    """Whether the catalog's meaning of a method name holds even for a method that the class itself defines.

    This is so for ``addCleanup`` and ``assertEqual`` of a test. But a method of the class hides a container method of
    the same name.
    """
    return is_assertion(name) or any(api.registers or api.suppresses for api in apis)


def _may_get_function(state: State, graph: Graph, api: Api, call: Call) -> bool:
    """Whether a call may give a method the function that it registers: ``pool.submit(job)`` gives no function if the
    job is a descriptor or holds one, so this is another method of that name."""
    found = _called(api, call.args)
    return found is None or not mentions_any(value_of(state, graph, found[0].value))


def _unknown(catalog: Catalog, call: Call) -> Reading:
    """Returns the reading of a call that is not in the catalog. It may pass a known function to be called; not if that
    needs arguments and there are none."""
    first = call.args[0] if call.args else None
    if first is not None and first.dotted is not None and first.stars == 0:
        rest = call.args[1:]
        applied = _speaker(catalog.lookup(first.dotted), rest)
        if applied is not None and (rest or not applied.params):
            return Reading(None, (), applied, tuple(bind(applied, rest)))
    return Reading(None, tuple(("", arg) for arg in call.args))


def _called(api: Api, args: tuple[Arg, ...]) -> tuple[Arg, tuple[Arg, ...]] | None:
    """Returns the function that ``api`` is given to call, and the arguments it will get; None if there is none."""
    wanted = api.callee or (api.params[0] if api.params else "")
    for index, (name, arg) in enumerate(bind(api, args)):
        if name == wanted:
            return arg, tuple(args[index + 1 :])
    return None


def bind(api: Api, args: tuple[Arg, ...]) -> Iterator[tuple[str, Arg]]:
    """Pairs arguments with the names of an entry's parameters."""
    positional = [name for name in api.params if not name.startswith("**")]
    position = 0
    rest = next((name for name in api.params if name.startswith("**")), "")
    for arg in args:
        if arg.keyword is not None:
            yield (arg.keyword if arg.keyword in api.params else rest), arg
        elif arg.stars == 2:
            yield rest, arg
        else:
            name = positional[position] if position < len(positional) else ""
            yield name, arg
            if not name.startswith("*"):
                position += 1


def _speaker(apis: tuple[Api, ...], args: tuple[Arg, ...]) -> Api | None:
    return next((api for api in apis if all(holds(api, condition, args) for condition in api.when)), None)


def holds(api: Api, condition: Condition, args: tuple[Arg, ...]) -> bool:
    """Whether a condition holds for the arguments of a call."""
    arg = next((arg for name, arg in bind(api, args) if name == condition.argument), None)
    if arg is None:
        answer = condition.absent or condition.constant
    elif isinstance(arg.value, Lit) and not isinstance(arg.value.value, Member):
        said = arg.value.value
        lacks = condition.lacking and isinstance(said, int) and not said & condition.lacking
        answer = condition.constant or bool(lacks) or any(_same(said, value) for value in condition.values)
    else:
        named = arg.dotted or (arg.value if isinstance(arg.value, AccessPath) else "")
        known = (condition.flags and arg.flags) or _is_named(named, condition.values)
        answer = known or any(_is_named(one, condition.mentions) for one in arg.mentions)
    return answer is not condition.negated


def _is_named(name: str, listed: tuple[object, ...]) -> bool:
    """Whether a full name is listed, or its last part after ``*.``: constants of the kernel have one name in all
    modules."""
    return name in listed or f"*.{name.rpartition('.')[2]}" in listed


def _same(one: object, other: object) -> bool:
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def raises_rarely(state: State, graph: Graph, reading: Reading, api: Api, repeated: bool) -> bool:
    """Whether a call of an entry hardly ever raises: one that is not ``repeated``, or one that gets the number of a
    descriptor in place of a path."""
    if api.raises_rarely and not (api.runs_out and repeated):
        return True
    given = (value_of(state, graph, arg.value) for name, arg in reading.bound if name == api.raises_rarely_for)
    return any(isinstance(one, Fd) for one in given)


def spells_out(state: State, graph: Graph, reading: Reading, api: Api) -> bool:
    """Whether a call makes a text of data that the function spells out: ``json.dumps({"size": size})``."""
    of = api.returns.name if isinstance(api.returns, TextOf) else None
    given = (value_of(state, graph, arg.value) for name, arg in reading.bound if name == of)
    return any(isinstance(one, Box | Seq | Const) for one in given)


def _raises_certainly(graph: Graph, api: Api) -> bool:
    """Whether it is known why a call raises: by the class of its exceptions, or because it starts a program."""
    known = api.raises != graph.language.exceptions.unknown or Event.SPAWNED in api.actions.values()
    return known and not api.name.startswith("*.")


def chance_of_known(state: State, graph: Graph, reading: Reading, api: Api) -> Chance:
    """Returns how often a call of an entry raises: OWN if it uses descriptors, all of them at stake, unless others can
    make it fail."""
    if not _raises_certainly(graph, api):
        return Chance.ASSUMED
    if api.contended:
        return Chance.KNOWN
    used = state.reachable(
        value_of(state, graph, arg.value) for name, arg in reading.bound if api.actions.get(name) is Event.USED
    )
    return Chance.OWN if used and used <= state.at_stake else Chance.KNOWN


def default_action(state: State, graph: Graph, catalog: Catalog, call: Call) -> Event:
    """Returns the action of an unknown call on its arguments: TRANSFERRED or USED.

    The call takes its arguments in any of these cases: its name or the configuration marks it as a taker, the project
    defines it, it has no name (``self._target()(fd)``), or one of its arguments is a function that may end a
    descriptor. An assertion that the project defines does not take its arguments for that reason alone.
    """
    name = call.callee.name
    own = (call.callee.own and not is_assertion(name)) or not name or gives_function(state, graph, catalog, call)
    return Event.TRANSFERRED if own or catalog.unknown_takes(name) else Event.USED


def operand_of(args: tuple[tuple[str, Arg], ...], name: str) -> Operand | None:
    """Returns the argument of a parameter; None if it is not given."""
    return next((arg.value for bound, arg in args if bound == name), None)


def gives_function(state: State, graph: Graph, catalog: Catalog, call: Call) -> bool:
    """Whether one argument is a function that may be called with the other arguments and may close or take them."""
    given = (value_of(state, graph, arg.value) for arg in call.args)
    return any(arg.function for arg in call.args) or any(_may_end(catalog, value) for value in given)


def _may_end(catalog: Catalog, value: Value) -> bool:
    """Whether a value is a function that may close or take what it is given."""
    if not isinstance(value, Fn):
        return False
    apis = catalog.lookup(value.callee.dotted or "")
    return not apis or any(api.ended for api in apis)
