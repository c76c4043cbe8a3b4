"""Finds unknown functions that take over a descriptor: the code closes the descriptor only when the call returns an
error.

``if err := register(fd); err != nil { unix.Close(fd); return err }``, and no use of ``fd`` after that: on success, the
function called owns the descriptor. A function that closes its own parameter there owns that, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from fdlint.catalog import Catalog
from fdlint.core.dataflow.derivation import apis_of, arguments
from fdlint.core.dataflow.liveness import live_places
from fdlint.core.dataflow.reachability import closure
from fdlint.core.ir import Assign, Block, Branch, Call, Compare, Graph, Lit, Live, Op, Place, places_in

Entrusted = dict[int, frozenset[Place]]
"""Maps calls, by ``id`` of the effect, to the variables that they take over when they succeed."""
Closes = Callable[[Call], Collection[Place]]


def entrusted(graph: Graph, catalog: Catalog, closes: Closes) -> Entrusted:
    """Returns the calls of a function that have their arguments closed only when they return an error. ``closes``: the
    arguments that a call closes, itself or through functions of the project."""
    found: Entrusted = {}
    live: Live | None = None
    for block in graph.blocks if graph.language.returns_errors else ():
        for position, step in enumerate(block.steps):
            if not isinstance(step.effect, Call) or not step.effect.given or apis_of(step.effect, catalog):
                continue
            test = _test_of_error(block, position, step.effect.result)
            closed = _closed_on_error(graph, closes, test) & arguments(step.effect) if test is not None else set()
            if closed and test is not None:
                live = live if live is not None else live_places(graph, frozenset())
                found[id(step.effect)] = frozenset(closed - live.at(test.if_true).places)
    return found


def _test_of_error(block: Block, position: int, result: Place) -> Branch | None:
    """Returns the test at the end of a block whether a call returned no error."""
    question = block.end.test.question if isinstance(block.end, Branch) else None
    if not isinstance(question, Compare) or question.right != Lit(None) or question.op not in (Op.IS, Op.EQ):
        return None
    made = {result}
    for step in block.steps[position + 1 :]:
        match step.effect:
            case Call():
                return None  # its error may be the one that is tested
            case Assign(target, value) if not made.isdisjoint(places_in(value)):
                made.add(target)
    return block.end if isinstance(block.end, Branch) and question.left in made else None


def _closed_on_error(graph: Graph, closes: Closes, test: Branch) -> set[Place]:
    """Returns what the function closes only if there is an error."""
    going_on = set(closure((test.if_true,), graph.successors))
    failing = (one for one in closure((test.if_false,), graph.successors) if one not in going_on)
    calls = (step.effect for index in failing for step in graph.blocks[index].steps if isinstance(step.effect, Call))
    return {place for call in calls for place in closes(call)}
