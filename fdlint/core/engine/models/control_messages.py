"""Models tests of the kind of a control message. Only the numbers in an ``SCM_RIGHTS`` message are descriptors.

Timestamps, credentials and packet data come the same way; see cmsg(3) and socket(7).
"""

from __future__ import annotations

from fdlint.catalog.naming import RIGHTS, means_rights
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, AllocationSite, Ancillary, Const, Seq, Value
from fdlint.core.engine.eval import value_of
from fdlint.core.ir import Compare, Graph, Op, Test

KIND = 3  # the level of a message's type


def told_by_kind(state: State, graph: Graph, test: Test) -> list[tuple[bool, State]] | None:
    """Returns both answers to the test whether a message is of a given kind other than ``SCM_RIGHTS``; None for any
    other test."""
    question = test.question
    if not isinstance(question, Compare) or question.op not in (Op.IS, Op.EQ, Op.IN):
        return None
    values = value_of(state, graph, question.left), value_of(state, graph, question.right)
    kind = next((one for one in values if isinstance(one, Ancillary) and one.level == KIND), None)
    if kind is None or Const(RIGHTS) in values or test.key is None or means_rights(test.key):
        return None
    other = state.copy()
    for place, value in state.env.items():
        state.env[place] = _without(value, kind.site)
    return [(True, state), (False, other)]


def _without(value: Value, site: AllocationSite) -> Value:
    """Returns a value without the descriptors of the message at hand. Messages that are still to come keep theirs."""
    if isinstance(value, Ancillary) and value.site == site and value.level:
        return UNKNOWN
    if isinstance(value, Seq):
        return Seq(tuple(_without(one, site) for one in value.items), value.exact)
    return value
