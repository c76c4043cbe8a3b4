"""Finds the calls that created the value of a place. No paths are followed: a place has every value that it is bound to
anywhere in the function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fdlint.core.dataflow.derivation import shown_items
from fdlint.core.ir import (
    AccessPath,
    Advance,
    Assign,
    Build,
    Call,
    Catch,
    Enter,
    Graph,
    Item,
    Lit,
    Operand,
    Place,
    Step,
    Store,
    StoreItem,
    Unpack,
)


def binding_steps(graph: Graph) -> dict[Place, list[Step]]:
    """Returns for each place, except parameters, the steps that bind it. An item of a list or dict that the function
    made counts as an attribute of it, with its index as the name; the item of a loop over a display is bound to each
    part of that."""
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
        if isinstance(step.effect, Assign) and isinstance(step.effect.value, Build):
            inside += [(place, replace(step, effect=Assign(place, one))) for place, one in _parts(step.effect)]
    for parameter in graph.parameters:
        found.pop(parameter, None)
    for place, step in inside:
        if place.base in found:
            found.setdefault(place, []).append(step)
    shown = shown_items(graph)
    for end in (block.end for block in graph.blocks if isinstance(block.end, Advance)):
        for step, one in shown.get(end.iterator, ()):
            found.setdefault(end.item, []).append(replace(step, effect=Assign(end.item, one)))
    return found


def _parts(made: Assign) -> Iterator[tuple[AccessPath, Operand]]:
    """Yields the items of a new list, tuple or dict, by their places."""
    build = made.value
    if isinstance(build, Build) and build.kind in ("tuple", "list", "dict"):
        keys = [one.value if isinstance(one, Lit) else None for one in build.keys] or range(len(build.items))
        yield from zip((made.target.attribute(str(key)) for key in keys), build.items, strict=False)


def copies(bound: Mapping[Place, list[Step]], place: Place) -> list[Place]:
    """Returns a name, and those whose value it is sure to have, each copied from the next one: it is bound once, to
    that one. ``bound``: the result of ``binding_steps``."""
    found: list[Place] = []
    while place not in found:
        found.append(place)
        befores = {_before(one) for one in bound.get(place, ())}  # a cleanup is laid once for each way out
        before = befores.pop() if len(befores) == 1 else None
        place = before if before is not None else place
    return found


def _before(step: Step) -> Place | None:
    """Returns the place whose value a step gives to another one."""
    match step.effect:
        case (
            Assign(_, AccessPath() as before)
            | Store(_, AccessPath() as before)
            | StoreItem(_, _, AccessPath() as before)
        ):
            return before
        case Assign(_, Item(AccessPath() as base, Lit(key))):
            return base.attribute(str(key))
        case Assign(_, Unpack(AccessPath() as base, index, star=None)):
            return base.attribute(str(index))
    return None


def makers(bound: dict[Place, list[Step]], place: Place) -> list[tuple[Step, Call, bool]]:
    """Returns the calls that created the value of a place, each with its step and whether the value was entered as a
    context manager. Returns none if the place can hold any other value than one of these and None. ``bound``: the
    result of ``binding_steps``."""
    found: list[tuple[Step, Call, bool]] = []
    pending, seen = [(place, False)], {place}
    while pending:
        name, entered = pending.pop()
        if name not in bound:
            return []
        for step in bound[name]:
            before = step.effect.manager if isinstance(step.effect, Enter) else _before(step)
            if isinstance(step.effect, Call):
                found.append((step, step.effect, entered))
            elif isinstance(before, AccessPath):
                if before not in seen:
                    seen.add(before)
                    pending.append((before, entered or isinstance(step.effect, Enter)))
            elif not (isinstance(step.effect, Assign) and step.effect.value == Lit(None)):
                return []
    return found
