"""Finds out from a function's graph alone whether it can return, whether it can raise, and what it gives its caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.catalog.naming import is_log
from fdlint.core.dataflow.derivation import apis_of
from fdlint.core.dataflow.reachability import closure
from fdlint.core.ir import RAISE, RETURN, AccessPath, Call, Graph, LoweredModule, Place, Step, Store, StoreItem

Exits = tuple[bool, bool]
"""(may return, may raise)."""
Ask = Callable[[Call], "Exits | Later | None"]
"""A function that returns the known exits of a call that the catalog does not know; None if nothing is known."""
Later = Callable[[], "Exits | None"]
"""A function whose answer needs another function to be lowered."""
_Spot = tuple[int, int]


def exits_of(graph: Graph, catalog: Catalog, ask: Ask) -> Exits:
    """Returns the exits of a function. Follows every edge, whatever the conditions are. Asks expensive questions one by
    one, and only until the function is known to return and to raise."""
    seen: set[int] = set()
    pending: list[_Spot] = [(graph.entry, 0)]
    later: list[tuple[_Spot, Later]] = []
    while pending or later:
        while pending:
            spot = pending.pop()
            if spot[1] or spot[0] not in seen:
                seen.add(spot[0])
                pending.extend(_follow(graph, spot, catalog, ask, later))
        if RETURN in seen and RAISE in seen:
            break
        if later:
            (index, position), answer = later.pop(0)
            pending.extend(_after(graph, index, position, answer() or (True, True)))
    return RETURN in seen, RAISE in seen


def _follow(graph: Graph, spot: _Spot, catalog: Catalog, ask: Ask, later: list[tuple[_Spot, Later]]) -> Iterator[_Spot]:
    """Yields the targets of control after a step. Stops at a call with an expensive answer, and adds the call to
    ``later``."""
    index, start = spot
    block = graph.blocks[index]
    for position in range(start, len(block.steps)):
        step = block.steps[position]
        exits = _step(step, catalog, ask)
        if callable(exits):
            later.append(((index, position), exits))
            return
        if exits[1]:
            yield from ((landing, 0) for landing in step.landings())
        if not exits[0]:
            return
    yield from ((target, 0) for target in graph.targets(block.end))


def _after(graph: Graph, index: int, position: int, exits: Exits) -> Iterator[_Spot]:
    """Yields the targets of control after a call with known exits."""
    if exits[1]:
        yield from ((landing, 0) for landing in graph.blocks[index].steps[position].landings())
    if exits[0]:
        yield index, position + 1


def _step(step: Step, catalog: Catalog, ask: Ask) -> Exits | Later:
    """Returns the exits of a step: whether the path continues after it, and whether it can raise."""
    call = step.effect
    if not isinstance(call, Call):
        return True, bool(step.pads)
    apis = apis_of(call, catalog)
    return exits_of_known(apis) or ask(call) or (True, not (call.unused and is_log(call.callee.name)))


def exits_of_known(apis: Sequence[Api]) -> Exits | None:
    """Returns the exits of a function in the catalog; None if there are no entries."""
    if not apis:
        return None
    applied = any(api.applies for api in apis)
    return not all(api.noreturn for api in apis), applied or any(api.raises is not None for api in apis)


def returns_something(graph: Graph) -> bool:
    """Whether any ``return`` has a value other than a constant."""
    return bool(graph.returned())


def filled_in(graph: Graph, catalog: Catalog) -> dict[Place, bool]:
    """Returns the places that a function puts something into, and whether it does so by a key: an item, or a field of a
    record."""
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
    return found


def is_plain_class(lowered: LoweredModule, catalog: Catalog, name: str) -> bool:
    """Whether a class of the file creates its objects in the usual way: neither it nor a base defines a method for
    that, and all its bases are in the file, builtins, or classes of the catalog that create objects without failing."""

    def is_plain(one: str) -> bool:
        own = any(f"{one}.{made}" in lowered.functions for made in lowered.language.methods.makers)
        if one in lowered.classes:
            return not own
        return one.startswith(lowered.language.builtins) or exits_of_known(catalog.lookup(one)) == (True, False)

    return all(map(is_plain, closure((name,), lambda one: lowered.classes.get(one, ()))))
