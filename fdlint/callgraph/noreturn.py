"""Whether a function can return at all, and what can come out of it, by its graph alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.frontend.python.module import LoweredModule
from fdlint.ir import RAISE, RETURN, Advance, Branch, Call, Graph, Jump, Leaving, Place, Step, StoreItem

Exits = tuple[bool, bool]
"""(may return, may raise)."""
Ask = Callable[[Call], Exits | None]
"""What is known of a call of the project's own functions; None: nothing."""


def exits_of(graph: Graph, catalog: Catalog, ask: Ask) -> Exits:
    """Follows every edge that may be taken, whatever the conditions say."""
    seen = {graph.entry}
    pending = [graph.entry]
    while pending:
        for target in _successors(graph, pending.pop(), catalog, ask):
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return RETURN in seen, RAISE in seen


def _successors(graph: Graph, index: int, catalog: Catalog, ask: Ask) -> list[int]:
    block = graph.blocks[index]
    found: list[int] = []
    for step in block.steps:
        returns, raises = _step(step, catalog, ask)
        if raises:
            found.extend(target for pads in step.pads.values() for target in pads)
        if not returns:
            return found
    match block.end:
        case Jump(targets):
            found.extend(targets)
        case Branch(_, _, if_true, if_false):
            found.extend((if_true, if_false))
        case Advance(_, _, _, _, body, done, pads_by_kind):
            found.extend((body, done, *(target for pads in pads_by_kind.values() for target in pads)))
    return found


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
    effects = (step.effect for block in graph.blocks for step in block.steps)
    return any(isinstance(effect, Leaving) and isinstance(effect.value, str) for effect in effects)


def filled_parameters(graph: Graph, catalog: Catalog) -> dict[Place, bool]:
    """The parameters that a function puts something into, and whether it does so by a key."""
    found: dict[Place, bool] = {}
    for block in graph.blocks:
        for step in block.steps:
            match step.effect:
                case StoreItem(str() as base):
                    found[base] = True
                case Call(_, callee) if isinstance(callee.receiver, str) and callee.dotted is None:
                    if any(api.container is not None for api in catalog.method(callee.name)):
                        found.setdefault(callee.receiver, False)
    own = set(graph.parameters) - {graph.receiver or ""}
    return {place: by_key for place, by_key in found.items() if place in own}


def is_plain_class(lowered: LoweredModule, name: str) -> bool:
    """A class of the file that makes its objects as every class, or every exception, does."""
    seen, pending = {name}, [name]
    while pending:
        one = pending.pop()
        if one not in lowered.classes or any(f"{one}.{made}" in lowered.functions for made in ("__init__", "__new__")):
            if not one.startswith("builtins."):
                return False
            continue
        new = set(lowered.classes[one]) - seen
        seen |= new
        pending.extend(new)
    return True
