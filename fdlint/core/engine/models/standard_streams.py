"""Finds the functions that reopen the standard streams. A new descriptor gets the lowest free number. So the code knows
the number in advance and ignores the result of the call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fdlint.catalog import Catalog
from fdlint.catalog.model import Fresh
from fdlint.catalog.shape import acquires
from fdlint.core.dataflow.derivation import closed_by, given_places
from fdlint.core.domain.values import Const, Value
from fdlint.core.engine.prune import STANDARD_STREAMS
from fdlint.core.ir import Advance, Call, Graph, Lit


class Unseen(NamedTuple):
    """Whether a function ignores the numbers of new descriptors (``discards``), and whether these descriptors become
    standard streams (``refills``)."""

    discards: bool
    refills: bool


def unseen_numbers(graph: Graph, catalog: Catalog) -> Unseen:
    """Returns whether a function ignores the numbers of new descriptors, and whether it refills the standard streams.

    It refills them in either case: it copies 0, 1 or 2 onto another number; or it makes several descriptors, ignores
    their numbers, and either some of them are copies of 0, 1 or 2 or it closes numbers in a loop.
    """
    calls = list(graph.calls())
    unseen = [call for call in calls if call.unused and any(_is_fresh(call, catalog))]
    copies = [call for call in unseen if call.args and _is_stream(call.args[0].value)]
    refills = (
        any(_copies_stream(call, catalog) for call in calls)
        or 0 < len(copies) < len(unseen)
        or (len(unseen) > 1 and _closes_in_a_loop(graph, catalog))
    )
    return Unseen(bool(unseen), refills)


def stream_number(value: Value) -> int | None:
    """Returns the number of the standard stream that a value is; None if it is none."""
    number = value.value if isinstance(value, Const) else None
    return number if isinstance(number, int) and number in STANDARD_STREAMS else None


def streams_closed(graph: Graph, catalog: Catalog) -> frozenset[int]:
    """Returns the standard streams that a function closes, as files or by their numbers, without those in whose place
    it then opens others."""
    closed: set[int] = set()
    for call in graph.calls():
        apis = catalog.lookup(call.callee.dotted or "")
        if closed and any(acquires(one.returns) for one in apis):
            closed.remove(min(closed))
        closed.update(one.frees.number for one in apis if one.frees is not None)
        if any(one.closed and not one.when for one in apis):
            closed.update(number for number in STANDARD_STREAMS if any(arg.value == Lit(number) for arg in call.args))
    return frozenset(closed)


def _copies_stream(call: Call, catalog: Catalog) -> bool:
    apis = catalog.lookup(call.callee.dotted or "")
    return any(api.duplicates_onto for api in apis) and bool(call.args) and _is_stream(call.args[0].value)


def _is_fresh(call: Call, catalog: Catalog) -> Iterator[bool]:
    return (isinstance(api.returns, Fresh) for api in catalog.lookup(call.callee.dotted or ""))


def _is_stream(operand: object) -> bool:
    return isinstance(operand, Lit) and operand.value in STANDARD_STREAMS


def _closes_in_a_loop(graph: Graph, catalog: Catalog) -> bool:
    rounds = {block.end.item for block in graph.blocks if isinstance(block.end, Advance)}
    return bool(rounds & given_places(graph, lambda call: closed_by(call, catalog)))
