"""Finds the constants that a function compares its parameters with, so that a call with a constant takes one way.

A function is followed once for each kind of arguments. Two constants are of one kind if the function cannot tell them
apart: the one that the callee gets to know stands for all of its kind. So a function that asks about two words has at
most a few summaries, whatever its callers write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Const, Seq, Success, Value, inner
from fdlint.core.engine.bind_arguments import given_by
from fdlint.core.ir import Assign, Build, Call, Compare, Constant, Graph, Lit, Op, Operand, Place
from fdlint.program.units import Function

_EQUAL = (Op.EQ, Op.IS)
_OTHER = "\0"  # no word in a program has it: a word with it equals none that a function asks about
_MAX_ASKED = 8  # a function that asks about more constants is a table, and its callers differ in nothing else


@dataclass(frozen=True, slots=True)
class Asked:
    """What a function asks about a parameter: whether it equals one of some constants, and whether it contains one of
    some words. Not ``plainly``: it also compares the parameter in another way."""

    equal: frozenset[Constant] = frozenset()
    inside: frozenset[str] = frozenset()
    plainly: bool = True

    def __or__(self, other: Asked) -> Asked:
        return Asked(self.equal | other.equal, self.inside | other.inside, self.plainly and other.plainly)

    def told(self, value: Value, known: Value) -> Value:
        """Returns what the function gets to know of a value. ``known``: what any function would."""
        if isinstance(value, Seq) and isinstance(known, Seq):
            return replace(known, items=tuple(map(self.told, value.items, known.items)))
        if not isinstance(value, Const) or isinstance(value, Success):  # a success goes along as it is
            return known
        constant = self.representative(value.value)
        return known if constant is None else Const(constant)

    def representative(self, given: Constant) -> Constant:
        """Returns the constant that stands for all that give the same answers; None if nothing asks about it."""
        if not 0 < len(self.equal) + len(self.inside) <= _MAX_ASKED:
            return None
        if isinstance(given, str):
            words = sorted(one for one in self.inside if one in given)
            return given if given in self.equal or not given else _OTHER + _OTHER.join(words)
        if not isinstance(given, int) or isinstance(given, bool) or given in self.equal:
            return given
        numbers = [one for one in self.equal if isinstance(one, int)]
        return max((2, *numbers)) + 1 if numbers and self.plainly and given > 2 else None


def asked_by(graph: Graph) -> dict[Place, Asked]:
    """Returns what the tests of a function ask about its parameters, and about the variables that it captures."""
    own = graph.free.union(graph.parameters)
    built = {
        one.target: one.value for one in graph.effects() if isinstance(one, Assign) and isinstance(one.value, Build)
    }
    found: dict[Place, Asked] = {}
    for branch in graph.branches():
        question = branch.test.question
        if not isinstance(question, Compare) or question.length:
            continue
        for place, other in ((question.left, question.right), (question.right, question.left)):
            if isinstance(place, Place) and place in own:
                is_container = question.op is Op.IN and place == question.right
                asked = _asked(question.op, is_container, tuple(_constants(graph, other, built)))
                found[place] = found.get(place, Asked()) | asked
    return found


def _asked(op: Op, is_container: bool, constants: tuple[Constant, ...]) -> Asked:
    if is_container:
        return Asked(inside=frozenset(one for one in constants if isinstance(one, str)))
    if op in _EQUAL or op is Op.IN:
        return Asked(equal=frozenset(one for one in constants if one is not None and not isinstance(one, bool)))
    return Asked(plainly=False)


def _constants(graph: Graph, operand: Operand, built: Mapping[Place, Build]) -> Iterable[Constant]:
    """Yields the constants that an operand stands for: itself, or the items of a display."""
    if isinstance(operand, Lit):
        yield operand.value
    elif operand in built:
        yield from (one.value for one in built[operand].items if isinstance(one, Lit))
    elif operand in graph.constants:
        yield graph.constants[operand]


def asked_through(
    function: Function, called: Callable[[Call], Function | None], inside: Callable[[Function], Mapping[Place, Asked]]
) -> dict[Place, Asked]:
    """Returns what a function and those that it calls ask about its parameters, and about the variables that it
    captures. ``called``: the function that a call means; ``inside``: the answer for that function."""
    graph = function.graph
    found = asked_by(graph)
    own = graph.free.union(graph.parameters)
    for call in graph.calls():
        if own.isdisjoint((*call.given, *call.captured)) or (target := called(call)) is None:
            continue
        there = inside(target)
        pairs = [*given_by(target, call), *((place, place) for place in call.captured)]
        pairs += [(place, arg.value) for arg in call.args if arg.stars == 1 for place in target.graph.parameters]
        for parameter, given in pairs:
            if given in own and parameter in there:
                found[given] = found.get(given, Asked()) | there[parameter]
    return found


def tell_constants(start: State, asked: Mapping[Place, Asked], given: Iterable[tuple[Place, Value]]) -> None:
    """Adds the constants that a call gives, and that the function asks about, to the state in which it starts."""
    for place, value in given:
        if place in asked and (known := asked[place].told(value, start.env.get(place, UNKNOWN))) is not UNKNOWN:
            start.env[place] = known


def has_constant(value: Value) -> bool:
    """Whether a value is a constant, or a tuple that holds one."""
    return isinstance(value, Const) or any(map(has_constant, inner(value)))
