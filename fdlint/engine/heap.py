"""What outlives the function by a name: attributes of objects, globals. They own what is stored in them.

A descriptor that a field holds is no duty of the function, but the field must not lose it: its number overwritten,
with nothing else to hold it, is nobody's any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fdlint.domain.state import Status, Story, World
from fdlint.domain.values import Cid, Const, Rid, Value
from fdlint.engine.log import Overwrite, Record
from fdlint.engine.trace import chapters
from fdlint.ir import Branch, Call, Compare, Graph, Place, Step, Store

_MANY = 3
DETACHED = {True: "replaced", False: "detached"}
"""How a story says that a field let go of a descriptor: for another value, or for a constant that says "none"."""


def is_field(graph: Graph, place: Place) -> bool:
    """Whether what a place holds lives on when the function is left."""
    if place[0] in "%!&=":
        return False
    return "." in place or place in graph.globals or graph.module


def held(graph: Graph, world: World) -> set[Rid]:
    """The descriptors that fields hold."""
    return world.reachable(value for place, value in world.env.items() if is_field(graph, place))


def field_with(graph: Graph, world: World, cid: Cid) -> Place | None:
    """The field that leads to a container, if there is one."""
    found = (place for place, value in world.env.items() if is_field(graph, place) and cid in world.containers([value]))
    return next(found, None)


def keep(record: Record, world: World, value: Value, step: Step) -> None:
    """A field takes over all that a value holds."""
    for rid in sorted(world.reachable([value])):
        if world.is_alive(rid) and not world.is_held(rid):
            world.set_status(rid, Status.HELD)
            record.released.add((rid.site, rid.slot))
            world.tell("stored", step.origin, rid)


def let_go(graph: Graph, record: Record, world: World, step: Step, target: Place, old: Value, new: Value) -> None:
    """A place has been given another value: what a field held before is lost, or held by local names only."""
    if not any(one.status is Status.HELD for one in world.resources.values()):
        return
    rids = [rid for rid in world.reachable([old]) if world.is_held(rid)]
    if not rids:
        return
    anywhere, inside = world.reachable(world.env.values()), held(graph, world)
    by_field = is_field(graph, target)
    happening = DETACHED[not isinstance(new, Const)]
    for rid in sorted(rids):
        if rid in inside:
            continue
        if by_field:
            world.tell(happening, step.origin, rid)
            record.taken_out[id(step.origin), rid.site, rid.slot] = target
        if rid not in anywhere:
            lose(record, world, rid)


def lose(record: Record, world: World, rid: Rid) -> None:
    """Nothing holds any more what a field once held: that is the fault of the statement that took it out."""
    world.set_status(rid, Status.HANDED)
    told = chapters(world.story)
    taken_out = next((one for one in told if one.rid == rid and one.happening in DETACHED.values()), None)
    if taken_out is not None and not world.vague:
        fills = taken_out.happening == DETACHED[True]
        place = record.taken_out.get((id(taken_out.origin), rid.site, rid.slot), "")
        nth = acquired_before(rid, world.story)
        record.overwrites.setdefault(Overwrite(rid, taken_out.origin, fills, place, world.story, nth))


def acquired_before(rid: Rid, story: Story | None) -> int:
    """How many have been acquired on this path by the call that acquired a descriptor, counted up to three."""
    acquired = [one.rid for one in chapters(story) if one.happening == "acquired" and one.rid is not None]
    return min(sum(one[:2] == rid[:2] for one in acquired), _MANY)


def note_in_vain(record: Record, world: World, place: Place) -> None:
    """What says "none" is about to be closed: if a field has just been reset to it, that came too early."""
    for one in chapters(world.story):
        if one.rid is not None and one.happening == DETACHED[False]:
            if record.taken_out.get((id(one.origin), one.rid.site, one.rid.slot)) == place:
                record.too_early.add((id(one.origin), place))
            return


def escape(world: World, roots: Iterable[Place]) -> None:
    """Somebody unknown has got hold of some objects: what becomes of their fields is not known from here on."""
    prefixes = tuple(f"{root}." for root in roots)
    if prefixes:
        release(world, [place for place in world.env if place.startswith(prefixes)])


def release(world: World, places: Iterable[Place]) -> None:
    """What becomes of what these fields hold is not known from here on."""
    for rid in world.reachable(world.env[place] for place in places if place in world.env):
        if world.is_held(rid):
            world.set_status(rid, Status.HANDED)


def roots_of(call: Call) -> list[Place]:
    """The objects that a call gets hold of."""
    operands = [call.callee.receiver, *(arg.value for arg in call.args)]
    return [one for one in operands if isinstance(one, str) and one[0] != "%"]


def paths_by_name(graph: Graph) -> dict[str, tuple[Place, ...]]:
    """Name or path -> the attribute paths on it that the function stores to or asks about."""
    stored = (
        step.effect.target
        for block in graph.blocks
        for step in block.steps
        if isinstance(step.effect, Store) and step.effect.target is not None
    )
    asked = (place for block in graph.blocks if isinstance(block.end, Branch) for place in asked_about(block.end))
    found: dict[str, set[Place]] = {}
    for path in (*stored, *asked):
        parts = path.split(".")
        for at in range(1, len(parts)):
            found.setdefault(".".join(parts[:at]), set()).add(path)
    return {name: tuple(sorted(paths)) for name, paths in found.items()}


def asked_about(branch: Branch) -> Iterator[Place]:
    """The places that a condition asks about."""
    question = branch.test.question
    operands = (question.left, question.right) if isinstance(question, Compare) else (question.operand,)
    yield from (one for one in operands if isinstance(one, str))
