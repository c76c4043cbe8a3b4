"""Finds where control goes on when several blocks may follow, as after an exception that two handlers may catch."""

from __future__ import annotations

from collections.abc import Sequence

from fdlint.core.domain.assumption import assume
from fdlint.core.domain.raising import Raising
from fdlint.core.domain.state import State
from fdlint.core.finding import AssumptionKind
from fdlint.core.ir import Catch, Graph, Step


def landings(
    graph: Graph, state: State, targets: Sequence[int], for_callers: bool, step: Step | None = None
) -> list[tuple[int, State]]:
    """Returns the blocks that may follow, each with its own state. A handler that is not the last one only may catch
    the exception. ``for_callers``: it matters what is assumed about descriptors that came in. ``step``: what raised."""
    if len(targets) < 2:
        return [(target, state) for target in targets]
    found: list[tuple[int, State]] = []
    mine = [fd for fd in sorted(state.resources) if fd.site.is_own or for_callers]
    for target in targets[:-1]:
        landed = state.copy()
        if _is_handler(graph, target):
            assume(landed, AssumptionKind.HANDLER_CATCHES, graph.blocks[target].steps[0].origin, mine)
        found.append((target, landed))
    last = targets[-1]
    if step is not None and state.raising is Raising.ASSUMED and _expects_system(graph, step, last):
        assume(state, AssumptionKind.CALL_RAISES, step.origin, mine)
        state.raising = Raising.RARE
    return [*found, (last, state)]


def _expects_system(graph: Graph, step: Step, last: int) -> bool:
    """Whether handlers around a step expect errors of the system from it, so that an unknown exception which passes
    them all hardly ever comes. ``last``: where that one lands; a handler there expects it, too."""
    system = graph.language.exceptions.base_of(graph.language.exceptions.system, step.pads)
    return system is not None and last not in step.pads[system] and not _is_handler(graph, last)


def _is_handler(graph: Graph, block: int) -> bool:
    first = graph.blocks[block].steps[:1]
    return bool(first) and isinstance(first[0].effect, Catch)
