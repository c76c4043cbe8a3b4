"""What a call teaches its caller about what it was given: a flag that is passed on, and asked again afterwards.

A parameter that a caller goes on asking about has an ``InitialValue`` in the callee's state, which nothing rebinds:
what the callee's tests say of the parameter, they say of that, and the outcome takes it home.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from fdlint.dataflow.liveness import asked_places
from fdlint.domain.state import State
from fdlint.domain.values import UNKNOWN, Held, Sym, Unlike, Value
from fdlint.engine.summary import Outcome
from fdlint.ir import AccessPath, Call, Graph, InitialValue, Place


def asked_in(graph: Graph) -> frozenset[Place]:
    """The places that a function tests, or gives to more than one call."""
    given = Counter(place for call in graph.calls() for place in call.given)
    asked = {place for branch in graph.branches() for place in asked_places(branch.test.question)}
    return frozenset(asked | {place for place, times in given.items() if times > 1})


def symbols(state: State, asked: frozenset[Place], call: Call, values: list[Value]) -> tuple[list[Value], set[Sym]]:
    """The arguments, with a symbol for each unknown one that is worth learning about; and those symbols."""
    found = list(values)
    worth: set[Sym] = set()
    for index, (arg, value) in enumerate(zip(call.args, values, strict=True)):
        if arg.stars or not isinstance(arg.value, AccessPath) or arg.value.is_temporary:
            continue
        if (value is UNKNOWN or isinstance(value, Unlike)) and arg.value in asked:
            found[index] = Held(arg.value)
            worth.add(Held(arg.value))
        elif isinstance(value, Sym) and any(
            place in asked or isinstance(place, InitialValue) for place, held in state.env.items() if held == value
        ):
            worth.add(value)
    return found, worth


def add_path_conditions(start: State, known_as: dict[Sym, Place], worth: Iterable[Sym]) -> None:
    """Lets the callee's state remember what it learns about some of its parameters."""
    for symbol in worth:
        if symbol in known_as:
            start.env[InitialValue.of(known_as[symbol])] = Sym(known_as[symbol])


def has_path_conditions(start: State) -> bool:
    """Whether there is anything to learn."""
    return any(isinstance(place, InitialValue) for place in start.env)


def teach(state: State, known_as: dict[Sym, Place], outcome: Outcome) -> None:
    """Tells the caller's state what the callee found out."""
    for symbol, place in known_as.items() if outcome.lessons else ():
        lesson = dict(outcome.lessons).get(place)
        if lesson is None:
            continue
        if isinstance(symbol, Held):
            state.env[symbol.place] = lesson
        for held in [held for held, value in state.env.items() if value == symbol]:
            state.env[held] = lesson


def joined(outcomes: Iterable[Outcome]) -> dict[Outcome, None]:
    """Outcomes that differ in nothing but their lessons as one, with the lessons that all of them teach."""
    groups: dict[Outcome, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(replace(one, env=(one.env[0], *one.fields)), []).append(one)
    found: dict[Outcome, None] = {}
    for first, group in groups.items():
        common = set.intersection(*(set(one.lessons) for one in group))
        found[replace(first, env=(first.env[0], *first.fields, *sorted(common, key=repr)))] = None
    return found
