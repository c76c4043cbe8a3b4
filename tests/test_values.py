"""Abstract values: what is in them, and how descriptors and containers in them are renamed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fdlint.core.domain.values import (
    UNKNOWN,
    Age,
    AllocationSite,
    Ancillary,
    Any_,
    Borrowed,
    Box,
    Const,
    Container,
    ContainerSite,
    Descriptor,
    Fd,
    Fn,
    Iter,
    Known,
    Lazy,
    Maker,
    Pid,
    Seq,
    Sym,
    Typed,
    Value,
    boxes,
    constant,
    descriptors,
    inner,
    mentions_any,
    substitute,
)
from fdlint.core.ir import AccessPath


def display(number: int) -> ContainerSite:
    return ContainerSite(Maker.DISPLAY, number)


SITES = st.integers(0, 2).map(AllocationSite)
RIDS = st.builds(Descriptor, SITES, st.integers(0, 1), st.sampled_from(Age))
CIDS = st.builds(Container, st.integers(0, 2).map(display), st.sampled_from([Age.NEWEST, Age.OLDER]))
PLAIN = st.one_of(
    st.sampled_from(Known),
    st.sampled_from([None, True, False, 0, 1, -1, "x"]).map(constant),
    st.sampled_from([Typed("socket.socket"), Fn("f"), Borrowed(AccessPath("self"), UNKNOWN), Sym(AccessPath("a"))]),
)
OTHERS = (Ancillary(AllocationSite(0), 1), Pid(AllocationSite(1)))
LEAVES = st.one_of(PLAIN, RIDS.map(Fd), CIDS.map(Box), st.sampled_from(OTHERS))


def _nested(items: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    several = st.lists(items, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Seq, several, st.booleans()),
        st.builds(Any_, several),
        st.builds(Iter, several, st.booleans(), st.booleans()),
        st.builds(Lazy, st.booleans(), several),
    )


VALUES: st.SearchStrategy[Value] = st.recursive(LEAVES, _nested, max_leaves=8)


@given(VALUES)
def test_values_can_be_told_apart_and_kept_in_sets(value: Value) -> None:
    assert {value: 1}[substitute(value, {}, {})] == 1


@given(VALUES)
def test_what_is_inside_is_found_at_any_depth(value: Value) -> None:
    wrapped = Seq((UNKNOWN, Any_((value,))))
    assert list(descriptors(wrapped)) == list(descriptors(value))
    assert list(boxes(wrapped)) == list(boxes(value))
    assert mentions_any(wrapped) is mentions_any(value)


@given(VALUES)
def test_a_value_that_mentions_nothing_holds_nothing(value: Value) -> None:
    holds = bool(list(descriptors(value)) or list(boxes(value)))
    assert mentions_any(value) or not holds


@given(PLAIN)
def test_plain_values_hold_nothing(value: Value) -> None:
    assert inner(value) == ()
    assert not mentions_any(value)


@given(VALUES, st.dictionaries(RIDS, RIDS), st.dictionaries(CIDS, CIDS))
def test_renaming_renames_every_occurrence_and_nothing_else(
    value: Value, rids: dict[Descriptor, Descriptor], cids: dict[Container, Container]
) -> None:
    renamed = substitute(value, rids, cids)
    assert set(descriptors(renamed)) == {rids.get(rid, rid) for rid in descriptors(value)}
    assert set(boxes(renamed)) == {cids.get(cid, cid) for cid in boxes(value)}
    assert mentions_any(renamed) is mentions_any(value)
    assert type(renamed) is type(value) or isinstance(value, Any_)


def test_a_choice_between_two_that_become_one_is_none() -> None:
    one, other = (Descriptor(AllocationSite(1), 0, age) for age in (Age.PREVIOUS, Age.OLDER))
    assert substitute(Any_((Fd(one), Fd(other))), {one: other}, {}) == Fd(other)


@given(VALUES, st.permutations([Descriptor(AllocationSite(site), 0, Age.NEWEST) for site in range(3)]))
def test_renaming_there_and_back_changes_nothing(value: Value, images: list[Descriptor]) -> None:
    there = {Descriptor(AllocationSite(site), 0, Age.NEWEST): image for site, image in enumerate(images)}
    back = {image: rid for rid, image in there.items()}
    assert substitute(substitute(value, there, {}), back, {}) == value


@pytest.mark.parametrize(("one", "other"), [(True, 1), (False, 0)])
def test_booleans_are_no_numbers(one: bool, other: int) -> None:
    assert constant(one) != constant(other)
    assert constant(other) == Const(other)


def test_a_sequence_that_may_have_more_is_another_than_one_that_may_not() -> None:
    assert Seq((UNKNOWN,), exact=True) != Seq((UNKNOWN,), exact=False)
