"""Pairs the parameters of one of the project's functions with the arguments of a call."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.core.domain.contents import Contents
from fdlint.core.domain.state import State
from fdlint.core.domain.values import KEYWORDS, Box, Known, Seq, Value, constant
from fdlint.core.engine.eval import elements, object_of
from fdlint.core.ir import AccessPath, Arg, Call, Operand, Place
from fdlint.program.units import Function


def bind_arguments(state: State, target: Function, call: Call, values: list[Value]) -> list[tuple[Place, Value]] | None:
    """Returns the parameters with the values they get; None when the pairing is not known."""
    signature = target.graph.signature
    bound: dict[Place, Value] = {}
    positional = list(signature.positional)
    if (signature.bound or target.method) and positional and _is_bound(target, call):
        bound[positional.pop(0)] = object_of(state, call)
    rest: list[Value] = []
    named: dict[str, Value] = {}
    unknown = False  # the items of a starred argument may be for any parameter
    for arg, value in zip(call.args, values, strict=True):
        if arg.stars == 2 and (entries := _entries(state, value)) is not None:
            named |= entries
            continue
        spread = _spread(state, arg, value)
        if arg.keyword is not None:
            named[arg.keyword] = value
            continue
        if (spread is None or unknown) and (state.leads_anywhere(value) or initialises(target)):
            return None
        if spread is None or unknown:
            unknown = True
            continue
        for one in spread:
            if positional:
                bound[positional.pop(0)] = one
            else:
                rest.append(one)
    expected = {*positional, *signature.keyword_only}
    bound |= {AccessPath(name): value for name, value in named.items() if name in expected}
    if (rest and signature.star is None) or (signature.double_star is None and not named.keys() <= bound.keys()):
        return None
    if signature.star is not None:
        bound[signature.star] = Seq(tuple(rest), exact=not unknown)
    if signature.double_star is not None:
        extra = {name: value for name, value in named.items() if name not in bound}
        contents = Contents(tuple(extra.values()), not unknown, tuple(extra))
        bound[signature.double_star] = state.new_box(KEYWORDS, contents)
    for name, default in signature.defaults.items() if not unknown else ():
        if name not in target.graph.methods:
            bound.setdefault(name, Known.SOME if isinstance(default, AccessPath) else constant(default.value))
    return list(bound.items())


def given_by(target: Function, call: Call) -> Iterator[tuple[Place, Operand]]:
    """Yields the parameters that get plain arguments, with these. Each item of a starred one has a place of its own."""
    signature = target.graph.signature
    positional = list(signature.positional)
    if (signature.bound or target.method) and positional and _is_bound(target, call):
        del positional[0]
    if signature.star is not None:
        positional += [signature.star.attribute(str(n)) for n in range(len(call.args) - len(positional))]
    for arg in call.args:
        if arg.stars:
            return
        if arg.keyword is not None:
            if arg.keyword in (*signature.positional, *signature.keyword_only):
                yield AccessPath(arg.keyword), arg.value
        elif positional:
            yield positional.pop(0), arg.value


def _is_bound(target: Function, call: Call) -> bool:
    """Called on an object or a class, so that the first parameter is filled already."""
    callee, name = call.callee, (target.name or "").rpartition(".")[2]
    if callee.function is not None:
        return callee.receiver is not None or callee.constructs
    on_object = callee.receiver is not None and callee.owner is None
    return on_object or callee.name != name or target.graph.of_class


def initialises(target: Function) -> bool:
    """Whether a function initialises an object: with unknown arguments, that is seldom worth to follow."""
    return (target.name or "").rpartition(".")[2] == target.file.language.methods.constructor


def _spread(state: State, arg: Arg, value: Value) -> tuple[Value, ...] | None:
    """Returns the values that one argument stands for; None for a starred argument whose items are not known."""
    if not arg.stars:
        return (value,)
    found = elements(state, value) if arg.stars == 1 else None
    return found[0] if found is not None and found[1] else None


def _entries(state: State, value: Value) -> dict[str, Value] | None:
    """Returns the keyword arguments that a dict stands for; None when some of its entries are not known."""
    contents = state.heap.get(value.container) if isinstance(value, Box) else None
    if contents is None or not contents.exact or contents.keys is None:
        return None
    named = {key: one for key, one in zip(contents.keys, contents.items, strict=True) if isinstance(key, str)}
    return named if len(named) == len(contents.items) else None


def as_given(state: State, value: Value) -> Value:
    """Returns a value as it goes along in a call. A record without a descriptor goes as any object: otherwise each of
    its states would need a summary."""
    contents = state.heap.get(value.container) if isinstance(value, Box) else None
    is_empty_record = contents is not None and contents.keys is not None and not state.leads_anywhere(value)
    return Known.TRUTHY if is_empty_record else value
