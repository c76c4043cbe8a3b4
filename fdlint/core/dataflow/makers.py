"""Finds the calls that created the value of a place. No paths are followed: a place has every value that it is bound to
anywhere in the function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from fdlint.core.dataflow.derivation import shown_items
from fdlint.core.dataflow.reachability import closure
from fdlint.core.ir import (
    AccessPath,
    Advance,
    Assign,
    Build,
    Call,
    Catch,
    Effect,
    Enter,
    Graph,
    Item,
    Lit,
    Opaque,
    Operand,
    Place,
    Step,
    Store,
    StoreItem,
    Unpack,
)

_FOLLOWED = frozenset({"tuple", "list", "dict", "record"})

Parts: TypeAlias = Iterable[tuple[Place, Operand]]
"""The items or attributes of a new object, each by its place."""


def binding_steps(graph: Graph, stored: Callable[[Call], Parts] = lambda _: ()) -> dict[Place, list[Step]]:
    """Returns for each place, except parameters, the steps that bind it. An item of a list or dict that the function
    made counts as an attribute of it, with its index as the name; the item of a loop over a display is bound to each
    part of that. A call of a method of an object, or one that gets it, may bind all its attributes and items.
    ``stored``: those of the object that a call creates."""
    found: dict[Place, list[Step]] = {}
    inside: list[tuple[AccessPath, Step]] = []
    for step in graph.steps():
        match step.effect:
            case Assign(target) | Call(target) | Enter(_, target) | Catch(target):
                found.setdefault(target, []).append(step)
            case Store(AccessPath() as target) if target.is_attribute:
                inside.append((target, step))
            case StoreItem(AccessPath() as base, Lit(key)):
                inside.append((base.attribute(str(key)), step))
        parts = stored(step.effect) if isinstance(step.effect, Call) else _parts(step.effect)
        inside += [(place, replace(step, effect=Assign(place, one))) for place, one in parts]
    for parameter in graph.parameters:
        found.pop(parameter, None)
    for place, step in inside:
        if steps_binding(found, place.base):
            found.setdefault(_first_name(found, place), []).append(step)
    changing = _changing(graph, found)
    for place in [one for one in found if one.is_attribute and one.base in changing]:
        found[place].append(replace(changing[place.base], effect=Assign(place, Opaque())))
    shown = shown_items(graph)
    for end in (block.end for block in graph.blocks if isinstance(block.end, Advance)):
        for step, one in shown.get(end.iterator, ()):
            found.setdefault(end.item, []).append(replace(step, effect=Assign(end.item, one)))
    return found


def _changing(graph: Graph, bound: Mapping[Place, list[Step]]) -> dict[Place, Step]:
    """Returns the first names of the objects that calls may change, each with the first call: all but tuples."""
    found: dict[Place, Step] = {}
    for step in graph.steps():
        call = step.effect
        for one in (*call.given, call.callee.receiver) if isinstance(call, Call) else ():
            first = copies(bound, one)[-1] if isinstance(one, AccessPath) else None
            if first is not None and not any(_kind(made.effect) == "tuple" for made in bound.get(first, ())):
                found.setdefault(first, step)
    return found


def _kind(effect: Effect) -> str:
    """Returns the kind of the container that an assignment makes; empty for any other effect."""
    return effect.value.kind if isinstance(effect, Assign) and isinstance(effect.value, Build) else ""


def _parts(effect: Effect) -> Parts:
    """Returns the items of a new list, tuple, dict or record."""
    if not isinstance(effect, Assign) or not isinstance(effect.value, Build) or _kind(effect) not in _FOLLOWED:
        return ()
    keys = [one.value if isinstance(one, Lit) else None for one in effect.value.keys] or range(len(effect.value.items))
    return zip((effect.target.attribute(str(key)) for key in keys), effect.value.items, strict=False)


def steps_binding(bound: Mapping[Place, list[Step]], place: Place) -> list[Step]:
    """Returns the steps that bind a place. ``bound``: the result of ``binding_steps``."""
    return bound.get(_first_name(bound, place), [])


def _first_name(bound: Mapping[Place, list[Step]], place: Place) -> Place:
    """Returns a place under the first name of the object that it is a part of."""
    return copies(bound, place.base)[-1].attribute(place.name) if place.is_attribute else place


def copies(bound: Mapping[Place, list[Step]], place: Place) -> list[Place]:
    """Returns a name, and those whose value it is sure to have, each copied from the next one: it is bound once, to
    that one. ``bound``: the result of ``binding_steps``."""
    found: dict[Place, None] = {}
    while place not in found:
        found[place] = None
        befores = {before(one) for one in steps_binding(bound, place)}  # a cleanup is laid once for each way out
        known = befores.pop() if len(befores) == 1 else None
        place = known if known is not None else place
    return list(found)


def sources(bound: Mapping[Place, list[Step]], place: Place) -> frozenset[Place]:
    """Returns a place, and those whose values it may have. ``bound``: the result of ``binding_steps``."""

    def earlier(one: Place) -> list[Place]:
        return [known for step in steps_binding(bound, one) if (known := before(step)) is not None]

    return frozenset(closure((place,), earlier))


def before(step: Step) -> Place | None:
    """Returns the place whose value a step gives to another one."""
    match step.effect:
        case (
            Assign(_, AccessPath() as value) | Store(_, AccessPath() as value) | StoreItem(_, _, AccessPath() as value)
        ):
            return value
        case Assign(_, Item(AccessPath() as base, Lit(key))):
            return base.attribute(str(key))
        case Assign(_, Unpack(AccessPath() as base, index, star=None)):
            return base.attribute(str(index))
    return None


def makers(bound: dict[Place, list[Step]], place: Place) -> list[tuple[Step, Call, bool]]:
    """Returns the calls that created the value of a place, each with its step and whether the value was entered as a
    context manager. Returns none if the place can hold any other value than one of these, None and a negative number.
    ``bound``: the result of ``binding_steps``."""
    found: list[tuple[Step, Call, bool]] = []
    pending, seen = [(place, False)], {place}
    while pending:
        name, entered = pending.pop()
        steps = steps_binding(bound, name)
        if not steps:
            return []
        for step in steps:
            known = step.effect.manager if isinstance(step.effect, Enter) else before(step)
            if isinstance(step.effect, Call):
                found.append((step, step.effect, entered))
            elif isinstance(known, AccessPath):
                if known not in seen:
                    seen.add(known)
                    pending.append((known, entered or isinstance(step.effect, Enter)))
            elif not _is_no_number(step.effect):
                return []
    return found


def _is_no_number(effect: Effect) -> bool:
    """Whether an assignment gives a place None, or a number that no descriptor has."""
    value = effect.value.value if isinstance(effect, Assign) and isinstance(effect.value, Lit) else 0
    return value is None or (isinstance(value, int) and value < 0)
