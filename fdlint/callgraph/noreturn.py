"""Whether a function can return at all, and what can come out of it, by its graph alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.dataflow.reachability import closure
from fdlint.ir import RAISE, RETURN, AccessPath, Call, Graph, Leaving, LoweredModule, Place, Step, StoreItem

Exits = tuple[bool, bool]
"""(may return, may raise)."""
Ask = Callable[[Call], Exits | None]
"""What is known of a call of the project's own functions; None: nothing."""


def exits_of(graph: Graph, catalog: Catalog, ask: Ask) -> Exits:
    """Follows every edge that may be taken, whatever the conditions say."""
    found = set(closure((graph.entry,), lambda index: _successors(graph, index, catalog, ask)))
    return RETURN in found, RAISE in found


def _successors(graph: Graph, index: int, catalog: Catalog, ask: Ask) -> list[int]:
    block = graph.blocks[index]
    found: list[int] = []
    for step in block.steps:
        returns, raises = _step(step, catalog, ask)
        if raises:
            found.extend(step.landings())
        if not returns:
            return found
    return [*found, *graph.targets(block.end)]


def _step(step: Step, catalog: Catalog, ask: Ask) -> Exits:
    """Whether the path goes on after a step, and whether an exception can come out of it."""
    call = step.effect
    if not isinstance(call, Call):
        return True, bool(step.pads)
    apis = (
        catalog.lookup(call.callee.dotted)
        if call.callee.dotted
        else catalog.method(call.callee.name, call.callee.receiver)
    )
    return exits_of_known(apis) or ask(call) or (True, True)


def exits_of_known(apis: Sequence[Api]) -> Exits | None:
    """The same of a function of the catalog; None if there are no entries."""
    if not apis:
        return None
    applied = any(api.applies for api in apis)
    return not all(api.noreturn for api in apis), applied or any(api.raises is not None for api in apis)


def returns_something(graph: Graph) -> bool:
    """Whether any ``return`` has a value that is no constant."""
    return any(isinstance(effect, Leaving) and isinstance(effect.value, AccessPath) for effect in graph.effects())


def filled_parameters(graph: Graph, catalog: Catalog) -> dict[Place, bool]:
    """The parameters that a function puts something into, and whether it does so by a key."""
    found: dict[Place, bool] = {}
    for effect in graph.effects():
        match effect:
            case StoreItem(AccessPath() as base):
                found[base] = True
            case Call(_, callee) if isinstance(callee.receiver, AccessPath) and callee.dotted is None:
                if any(api.container is not None for api in catalog.method(callee.name)):
                    found.setdefault(callee.receiver, False)
    own = set(graph.parameters) - {graph.receiver or ""}
    return {place: by_key for place, by_key in found.items() if place in own}


def is_plain_class(lowered: LoweredModule, name: str) -> bool:
    """A class of the file that makes its objects as every class, or every exception, does."""

    def is_plain(one: str) -> bool:
        own = any(f"{one}.{made}" in lowered.functions for made in lowered.language.methods.makers)
        return one.startswith(lowered.language.builtins) or (one in lowered.classes and not own)

    return all(map(is_plain, closure((name,), lambda one: lowered.classes.get(one, ()))))
