"""Finds out from a function's graph alone whether it can return, whether it can raise, and what it gives its caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.catalog.naming import is_log
from fdlint.core.dataflow.reachability import closure
from fdlint.core.ir import (
    RAISE,
    RETURN,
    AccessPath,
    Advance,
    Call,
    Graph,
    Leaving,
    LoweredModule,
    Place,
    Step,
    Store,
    StoreItem,
    Throw,
)


class Exits(NamedTuple):
    """How a call may end. ``surely``: it raises by a ``raise``, or by a call that is known to raise."""

    returns: bool
    raises: bool
    surely: bool = True


UNKNOWN_EXITS = Exits(True, True)
Ask = Callable[[Call], "Exits | Later | None"]
"""A function that returns the known exits of a call that the catalog does not know; None if nothing is known."""
Later = Callable[[], "Exits | None"]
"""A function whose answer needs another function to be lowered."""
_Spot = tuple[int, int]


def exits_of(graph: Graph, catalog: Catalog, ask: Ask) -> Exits:
    """Returns the exits of a function. Follows every edge, whatever the conditions are."""
    returns, raises = _reached(graph, catalog, ask)
    if not raises:
        return Exits(returns, raises)

    def ask_surely(call: Call) -> Exits | Later | None:
        found = ask(call)
        if found is None:
            return Exits(True, False)
        return (lambda: _surely(found())) if callable(found) else _surely(found)

    return Exits(returns, raises, _reached(graph, catalog, ask_surely, surely=True)[1])


def _surely(exits: Exits | None) -> Exits:
    return Exits(True, False) if exits is None else exits._replace(raises=exits.raises and exits.surely)


def _reached(graph: Graph, catalog: Catalog, ask: Ask, surely: bool = False) -> tuple[bool, bool]:
    """Returns whether a path returns, and whether one raises. Asks expensive questions one by one, and only until both
    are known. ``surely``: only by what is known to raise."""
    seen: set[int] = set()
    pending: list[_Spot] = [(graph.entry, 0)]
    later: list[tuple[_Spot, Later]] = []
    while pending or later:
        while pending:
            spot = pending.pop()
            if spot[1] or spot[0] not in seen:
                seen.add(spot[0])
                pending.extend(_follow(graph, spot, catalog, ask, later, surely))
        if RETURN in seen and RAISE in seen:
            break
        if later:
            (index, position), answer = later.pop(0)
            pending.extend(_after(graph, index, position, answer() or UNKNOWN_EXITS))
    return RETURN in seen, RAISE in seen


def _follow(
    graph: Graph, spot: _Spot, catalog: Catalog, ask: Ask, later: list[tuple[_Spot, Later]], surely: bool
) -> Iterator[_Spot]:
    """Yields the targets of control after a step. Stops at a call with an expensive answer, and adds the call to
    ``later``."""
    index, start = spot
    block = graph.blocks[index]
    for position in range(start, len(block.steps)):
        step = block.steps[position]
        exits = _step(step, catalog, ask, surely)
        if callable(exits):
            later.append(((index, position), exits))
            return
        if exits.raises:
            yield from ((landing, 0) for landing in step.landings())
        if not exits.returns:
            return
    targets = graph.targets(block.end)
    steady = surely and isinstance(block.end, Advance)  # an iterator that fails is rare
    yield from ((target, 0) for target in (targets[:2] if steady else targets))


def _after(graph: Graph, index: int, position: int, exits: Exits) -> Iterator[_Spot]:
    """Yields the targets of control after a call with known exits."""
    if exits.raises:
        yield from ((landing, 0) for landing in graph.blocks[index].steps[position].landings())
    if exits.returns:
        yield index, position + 1


def _step(step: Step, catalog: Catalog, ask: Ask, surely: bool) -> Exits | Later:
    """Returns the exits of a step: whether the path continues after it, and whether it can raise."""
    call = step.effect
    if not isinstance(call, Call):
        return Exits(True, bool(step.pads) and (not surely or isinstance(call, Throw)))
    apis = (
        catalog.lookup(call.callee.dotted)
        if call.callee.dotted
        else catalog.method(call.callee.name, call.callee.receiver)
    )
    known = exits_of_known(apis)
    if known is not None:
        return _surely(known) if surely else known
    return ask(call) or Exits(True, not (call.unused and is_log(call.callee.name)))


def exits_of_known(apis: Sequence[Api]) -> Exits | None:
    """Returns the exits of a function in the catalog; None if there are no entries."""
    if not apis:
        return None
    applied = any(api.applies for api in apis)
    raising = [api for api in apis if api.raises is not None]
    surely = applied or not raising or any(one.raises_certainly and not one.raises_rarely for one in raising)
    return Exits(not all(api.noreturn for api in apis), applied or bool(raising), surely)


def returns_something(graph: Graph) -> bool:
    """Whether any ``return`` has a value other than a constant."""
    return any(isinstance(effect, Leaving) and isinstance(effect.value, AccessPath) for effect in graph.effects())


def filled_parameters(graph: Graph, catalog: Catalog) -> dict[Place, bool]:
    """Returns the parameters that a function puts something into, and whether it does so by a key: an item, or a field
    of a record. A method's own object is a record like any other."""
    found: dict[Place, bool] = {}
    records = graph.language.records
    for effect in graph.effects():
        match effect:
            case Store(AccessPath() as target) if records and target.depth == 1:
                found[target.root] = True
            case StoreItem(AccessPath() as base):
                found[base] = True
            case Call(_, callee) if isinstance(callee.receiver, AccessPath) and callee.dotted is None:
                if any(api.container is not None for api in catalog.method(callee.name)):
                    found.setdefault(callee.receiver, False)
    own = set(graph.parameters) - ({graph.receiver or ""} if not records else set())
    return {place: by_key for place, by_key in found.items() if place in own}


def is_plain_class(lowered: LoweredModule, catalog: Catalog, name: str) -> bool:
    """Whether a class of the file creates its objects in the usual way: neither it nor a base defines a method for
    that, and all its bases are in the file, builtins, or classes of the catalog that create objects without failing."""

    def is_plain(one: str) -> bool:
        own = any(f"{one}.{made}" in lowered.functions for made in lowered.language.methods.makers)
        if one in lowered.classes:
            return not own
        return one.startswith(lowered.language.builtins) or exits_of_known(catalog.lookup(one)) == Exits(True, False)

    return all(map(is_plain, closure((name,), lambda one: lowered.classes.get(one, ()))))
