"""Lets a caller learn from a call about its arguments, for example about a flag that it passes on and tests afterwards.

Each parameter that the caller tests again has an ``InitialValue`` in the callee's state, which nothing rebinds. The
tests of the parameter in the callee also say something about this value. The outcome brings it back to the caller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from fdlint.core.dataflow.liveness import asked_places
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Held, Sym, Unlike, Value, inner
from fdlint.core.engine.summary import Outcome
from fdlint.core.ir import AccessPath, Call, Graph, InitialValue, Place


def asked_in(graph: Graph) -> frozenset[Place]:
    """Returns the places that a function tests, or passes to more than one call."""
    given = Counter(place for call in graph.calls() for place in call.given)
    asked = {place for branch in graph.branches() for place in asked_places(branch.test.question)}
    return frozenset(asked | {place for place, times in given.items() if times > 1})


def symbols(state: State, asked: frozenset[Place], call: Call, values: list[Value]) -> tuple[list[Value], set[Sym]]:
    """Returns the arguments, with a symbol for each unknown one that is worth learning about, and those symbols."""
    found = list(values)
    worth: set[Sym] = set()
    for index, (arg, value) in enumerate(zip(call.args, values, strict=True)):
        if arg.stars:
            worth |= {one for part in inner(value) for one in asked_about(state, asked, part)}
        if arg.stars or not isinstance(arg.value, AccessPath) or arg.value.is_temporary:
            continue
        if (value is UNKNOWN or isinstance(value, Unlike)) and arg.value in asked:
            found[index] = Held(arg.value)
            worth.add(Held(arg.value))
        else:
            worth |= asked_about(state, asked, value)
    return found, worth


def asked_about(state: State, asked: frozenset[Place], value: Value) -> set[Sym]:
    """Returns the value if it is unknown and the function or its caller tests it; otherwise nothing."""
    places = (place for place, held in state.env.items() if held == value) if isinstance(value, Sym) else ()
    known = any(place in asked or isinstance(place, InitialValue) for place in places)
    return {value} if isinstance(value, Sym) and known else set()


def add_path_conditions(start: State, known_as: dict[Sym, Place], worth: Iterable[Sym]) -> None:
    """Adds initial values for some parameters to the callee's state, so that it remembers what it learns about them."""
    for symbol in worth:
        if symbol in known_as:
            start.env[InitialValue.of(known_as[symbol])] = Sym(known_as[symbol])


def has_path_conditions(start: State) -> bool:
    """Whether a start state has initial values, so that there is something to learn."""
    return any(isinstance(place, InitialValue) for place in start.env)


def teach(state: State, known_as: dict[Sym, Place], outcome: Outcome) -> None:
    """Adds what the callee learned about its parameters to the caller's state."""
    for symbol, place in known_as.items() if outcome.lessons else ():
        lesson = dict(outcome.lessons).get(place)
        if lesson is None:
            continue
        if isinstance(symbol, Held):
            state.env[symbol.place] = lesson
        for held in [held for held, value in state.env.items() if value == symbol]:
            state.env[held] = lesson


def joined(outcomes: Iterable[Outcome]) -> dict[Outcome, None]:
    """Joins the outcomes that differ only in their lessons. A joined outcome keeps the lessons that all share."""
    groups: dict[Outcome, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(replace(one, env=(one.env[0], *one.fields)), []).append(one)
    found: dict[Outcome, None] = {}
    for first, group in groups.items():
        common = set.intersection(*(set(one.lessons) for one in group))
        found[replace(first, env=(first.env[0], *first.fields, *sorted(common, key=repr)))] = None
    return found
