"""What is not known but assumed: the sentences, and the one place that notes it on a path.

An assumption is a mark of the descriptors that it concerns, so paths with and without it are told apart. Its place is
an entry of the story.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fdlint.core.domain.state import Resource, State, Story
from fdlint.core.domain.typestate import ALIVE, ASSUMED, Status
from fdlint.core.domain.values import Descriptor
from fdlint.core.finding import AssumptionKind

SENTENCES: Mapping[AssumptionKind, str] = {
    AssumptionKind.CALLEE_BY_NAME: "assumes that {text} calls `{about}`, the only method of that name here",
    AssumptionKind.DECORATOR_CALLS: "assumes that {text} runs `{about}` as it is, though its decorator is not known",
    AssumptionKind.RECEIVER_GUESSED: "assumes that {text} gives a descriptor, by the name of the method alone",
    AssumptionKind.HANDLER_CATCHES: "assumes that this handler catches the exception",
    AssumptionKind.CALL_RAISES: "assumes that {text}, which is not known, can raise",
    AssumptionKind.ONLY_USES: "assumes that {text}, which is not known, does not take the descriptor",
    AssumptionKind.NAME_TAKES_NOTHING: "assumes that {text}, which is not known, would name itself after taking it",
    AssumptionKind.LEFT_BY_CALL: "assumes that {text} does not take the descriptor, as what follows shows",
    AssumptionKind.TAKES_BY_NAME: "assumes that {text}, which is not known, does what its name says",
    AssumptionKind.NO_OTHER_CLOSES: "assumes that no code which is not seen here closes it",
    AssumptionKind.CONDITION: "assumes that a condition which is not understood lets this path happen",
    AssumptionKind.SOME_PATHS: "assumes that {text} goes this way, as it does on some of its paths",
    AssumptionKind.IN_THIS_ORDER: "assumes that other code calls the functions in this order",
    AssumptionKind.PATHS_MERGED: "assumes that this path can happen: several were followed as one",
}
"""``text``: the code where it is assumed, in quotes; ``about``: what the assumption names."""

GUESSED = frozenset({AssumptionKind.CALLEE_BY_NAME, AssumptionKind.DECORATOR_CALLS, AssumptionKind.RECEIVER_GUESSED})
"""What the use of a result as an object refutes."""

_CONCERNED = ALIVE | {Status.CLOSED}


def assume(state: State, kind: AssumptionKind, origin: object, fds: Iterable[Descriptor], about: str = "") -> None:
    """Notes an assumption about descriptors that a path has. Those that others own are no concern of it."""
    for fd in fds:
        resource = state.resources.get(fd)
        if resource is not None and resource.status in _CONCERNED:
            state.resources[fd] = resource.marked(kind)
            state.story = Story(kind, origin, fd, state.story, about=about)


def surer(state: State) -> State | None:
    """Returns the same state without what it assumes; None if it assumes nothing."""
    assuming = [(fd, one) for fd, one in state.resources.items() if not ASSUMED.isdisjoint(one.marks)]
    if not assuming:
        return None
    found = state.copy()
    for fd, one in assuming:
        found.resources[fd] = one._replace(marks=one.marks - ASSUMED)
    return found


def kinds_of(resource: Resource | None) -> frozenset[AssumptionKind]:
    """Returns what is assumed about a descriptor."""
    if resource is None or ASSUMED.isdisjoint(resource.marks):
        return frozenset()
    return frozenset(mark for mark in resource.marks if isinstance(mark, AssumptionKind))
