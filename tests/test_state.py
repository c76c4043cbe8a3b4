"""Worlds: who holds what, the newest descriptor of a site and all before it, and what may be forgotten."""

from __future__ import annotations

import gc
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_values import CIDS, LEAVES, RIDS, VALUES, display

from fdlint.core.domain.contents import MAX_ITEMS, Contents, Leads, merged, normal, unordered
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import Resource, State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import (
    UNKNOWN,
    Age,
    AllocationSite,
    Any_,
    Box,
    Const,
    Container,
    Descriptor,
    Fd,
    Known,
    Seq,
    Sym,
    Text,
    Value,
    constant,
    mentions_any,
)
from fdlint.core.ir import AccessPath, Condition, InitialValue, LiveAt, Temporary

A, B, C, X, Y, Z = map(AccessPath, "abcxyz")
NAMES = [A, B, Temporary.of_statement(1), AccessPath("self.x"), InitialValue.of(A)]
CONDITIONS = st.sampled_from([Condition("a"), Condition("b > 1")])
LIVE = st.builds(LiveAt, st.frozensets(st.sampled_from(NAMES)), st.frozensets(CONDITIONS))
CONSTANTS = st.sampled_from([None, 0, "k"])
OPEN, CLOSED = Resource(Status.OPEN), Resource(Status.CLOSED)
LISTS = st.builds(Contents, st.lists(LEAVES, max_size=4).map(tuple), st.booleans())


@st.composite
def dicts(draw: st.DrawFn) -> Contents:
    items = draw(st.lists(st.tuples(CONSTANTS, LEAVES), max_size=3))
    return Contents(tuple(value for _, value in items), draw(st.booleans()), tuple(key for key, _ in items))


@st.composite
def worlds(draw: st.DrawFn) -> State:
    """Every container that is referred to exists, and every descriptor has a status."""
    env = draw(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4))
    heap = {cid: Contents() for cid in _cids()} | draw(st.dictionaries(CIDS, LISTS | dicts(), max_size=3))
    marks = st.frozensets(st.sampled_from([Event.BOUND, Event.SENT, Event.SPAWNED, Event.LENT]))
    status = st.builds(Resource, st.sampled_from(Status), marks)
    resources = {rid: draw(status) for rid in draw(st.sets(RIDS, max_size=5))}
    facts = draw(st.dictionaries(CONDITIONS, st.booleans()))
    return State(env, heap, resources, facts, armed=draw(st.frozensets(st.sampled_from([A, B]))))


def _cids() -> list[Container]:
    return [Container(display(site), age) for site in range(3) for age in (Age.NEWEST, Age.OLDER)]


def held(world: State) -> set[Descriptor]:
    return world.reachable(world.env.values())


def fd(site: int = 0, age: Age = Age.NEWEST, slot: int = 0) -> Fd:
    return Fd(Descriptor(AllocationSite(site), slot, age))


class TestKey:
    @given(worlds())
    def test_the_story_is_no_part_of_it(self, world: State) -> None:
        other = world.copy()
        other.tell("branch", object())
        assert other.story is not None
        assert other.key() == world.key()

    @given(worlds(), worlds())
    def test_it_is_the_same_only_for_worlds_in_the_same_state(self, one: State, other: State) -> None:
        same = all(
            getattr(one, name) == getattr(other, name) for name in ("env", "heap", "resources", "facts", "armed")
        )
        assert (one.key() == other.key()) is same

    @given(worlds(), VALUES)
    def test_a_copy_goes_its_own_way(self, world: State, value: Value) -> None:
        before = world.key()
        copy = world.copy()
        assert copy.key() == before
        copy.env[AccessPath("new")] = value
        copy.heap.clear()
        copy.resources.clear()
        copy.facts[Condition("new")] = True
        assert world.key() == before


class TestReachability:
    def test_through_containers_in_containers(self) -> None:
        outer, middle = Container(display(1), Age.NEWEST), Container(display(2), Age.NEWEST)
        world = State(heap={outer: Contents((Seq((Box(middle),)),)), middle: Contents((fd(),))})
        assert world.reachable([Any_((Box(outer),))]) == {fd().descriptor}
        assert world.containers([Box(outer)]) == {outer, middle}

    @given(worlds(), VALUES)
    def test_a_value_leads_somewhere_if_it_reaches_a_descriptor(self, world: State, value: Value) -> None:
        leads = Leads(world.heap)
        for one in (value, *world.env.values(), *map(Box, world.heap)):
            assert leads.anywhere(one) is bool(world.reachable([one]))

    def test_a_chain_of_containers_is_looked_through_once(self) -> None:
        chain = [Container(display(number), Age.NEWEST) for number in range(5_000)]
        heap = {one: Contents((Box(other),)) for one, other in pairwise(chain)} | {chain[-1]: Contents((fd(),))}
        env = {AccessPath(f"x{number}"): Box(one) for number, one in enumerate(chain)}
        world = State(env, heap, {fd().descriptor: Resource(Status.OPEN)})
        gc.disable()  # a collection of all that other tests left takes seconds
        start = process_time()
        world.forget(LiveAt(frozenset(), frozenset()))
        took = process_time() - start
        gc.enable()
        assert took < 2  # each alone, they take half a minute
        assert len(world.env) == len(chain)

    def test_a_container_that_holds_itself_is_no_trap(self) -> None:
        own = Container(display(1), Age.NEWEST)
        world = State(heap={own: Contents((Box(own), fd()))})
        assert world.reachable([Box(own)]) == {fd().descriptor}
        assert world.containers([Box(own)]) == {own}

    @given(worlds(), VALUES, VALUES)
    def test_two_values_reach_what_either_reaches(self, world: State, one: Value, other: Value) -> None:
        assert world.reachable([one, other]) == world.reachable([one]) | world.reachable([other])
        assert world.containers([one, other]) == world.containers([one]) | world.containers([other])


class TestOrphans:
    @given(worlds(), VALUES)
    def test_they_are_the_open_ones_that_nothing_else_holds(self, world: State, old: Value) -> None:
        lost = {rid for rid in world.reachable([old]) if world.is_open(rid)}
        assert world.orphans(old) == sorted(lost - held(world))

    @given(worlds(), VALUES)
    def test_an_alias_keeps_everything(self, world: State, old: Value) -> None:
        world.env[AccessPath("alias")] = Seq((old,))
        assert world.orphans(old) == []

    @pytest.mark.parametrize("status", [Status.CLOSED, Status.HANDED])
    def test_what_is_settled_is_nobodys_loss(self, status: Status) -> None:
        world = State(resources={fd().descriptor: Resource(status)})
        assert world.orphans(fd()) == []


class TestRecency:
    def test_last_rounds_descriptor_is_told_apart_until_the_statement_is_over(self) -> None:
        world = State({X: fd()}, resources={fd().descriptor: OPEN})
        world.make_older(AllocationSite(0))
        assert world.env[X] == fd(age=Age.PREVIOUS)
        world.settle()
        assert world.env[X] == fd(age=Age.OLDER)
        assert world.resources == {fd(age=Age.OLDER).descriptor: OPEN}

    @pytest.mark.parametrize(("newer", "older"), [(OPEN, CLOSED), (CLOSED, OPEN)])
    def test_two_that_become_one_are_open_if_either_is(self, newer: Resource, older: Resource) -> None:
        world = State(resources={fd(age=Age.PREVIOUS).descriptor: newer, fd(age=Age.OLDER).descriptor: older})
        world.settle()
        assert world.resources == {fd(age=Age.OLDER).descriptor: OPEN}

    def test_two_that_become_one_remember_what_was_done_to_either(self) -> None:
        sent, spawned = OPEN.marked(Event.SENT), OPEN.marked(Event.SPAWNED)
        world = State(resources={fd(age=Age.PREVIOUS).descriptor: sent, fd(age=Age.OLDER).descriptor: spawned})
        world.settle()
        assert world.resources[fd(age=Age.OLDER).descriptor] == sent.marked(Event.SPAWNED)

    @given(worlds(), st.integers(0, 2))
    def test_the_newest_place_is_free_and_other_sites_are_as_before(self, world: State, site: int) -> None:
        others = {rid: resource for rid, resource in world.resources.items() if rid.site != site}
        world.make_older(AllocationSite(site))
        assert not [rid for rid in world.resources if rid.site == site and rid.age is Age.NEWEST]
        assert {rid: resource for rid, resource in world.resources.items() if rid.site != site} == others

    @given(worlds(), st.integers(0, 2))
    def test_growing_older_loses_nothing_that_is_open(self, world: State, site: int) -> None:
        owed = {rid.origin_slot for rid in world.resources if world.is_open(rid)}
        kept = {rid.origin_slot for rid in held(world) if world.is_open(rid)}
        world.make_older(AllocationSite(site))
        world.settle()
        assert {rid.origin_slot for rid in world.resources if world.is_open(rid)} == owed
        assert {rid.origin_slot for rid in held(world) if world.is_open(rid)} >= kept

    @given(worlds())
    def test_settling_twice_is_settling_once(self, world: State) -> None:
        world.settle()
        once = world.key()
        world.settle()
        assert world.key() == once
        assert not [rid for rid in world.resources if rid.age is Age.PREVIOUS]


class TestNewBox:
    def test_the_one_made_there_before_is_told_apart(self) -> None:
        world = State()
        world.env[X] = world.new_box(display(7), Contents((fd(1),)))
        world.env[Y] = world.new_box(display(7), Contents((fd(2),)))
        assert world.reachable([world.env[X]]) == {fd(1).descriptor}
        assert world.reachable([world.env[Y]]) == {fd(2).descriptor}

    def test_older_ones_of_a_site_become_one_that_holds_what_either_held(self) -> None:
        world = State()
        for name, site in ((X, 1), (Y, 2), (Z, 3)):
            world.env[name] = world.new_box(display(7), Contents((fd(site),)))
        assert world.env[X] == world.env[Y] != world.env[Z]
        assert world.reachable([world.env[X]]) == {fd(1).descriptor, fd(2).descriptor}

    @given(worlds(), LISTS)
    def test_what_was_reachable_still_is(self, world: State, contents: Contents) -> None:
        before = held(world)
        box = world.new_box(display(1), contents)
        assert held(world) >= before
        assert world.reachable([box]) >= world.reachable(contents.items)


class TestForget:
    @given(worlds(), LIVE)
    def test_it_keeps_every_open_descriptor_and_its_holders(self, world: State, live: LiveAt) -> None:
        owed = {rid for rid in world.resources if world.is_open(rid)}
        before = {place: value for place, value in world.env.items() if world.reachable([value]) & owed}
        world.forget(live)
        assert {rid for rid in world.resources if world.is_open(rid)} == owed
        assert before.items() <= world.env.items()

    @given(worlds(), LIVE)
    def test_it_keeps_what_will_be_asked(self, world: State, live: LiveAt) -> None:
        wanted = {place: value for place, value in world.env.items() if place in live.places}
        world.forget(live)
        assert wanted.items() <= world.env.items()
        assert world.facts.keys() <= live.conditions

    @given(worlds(), LIVE)
    def test_what_is_left_refers_to_nothing_that_is_gone(self, world: State, live: LiveAt) -> None:
        statuses = {rid: world.resources.get(rid) for rid in held(world)}
        world.forget(live)
        assert world.containers(world.env.values()) == set(world.heap)
        assert all(world.resources.get(rid) == statuses[rid] for rid in held(world))

    @given(worlds(), LIVE)
    def test_twice_is_once(self, world: State, live: LiveAt) -> None:
        world.forget(live)
        once = world.key()
        world.forget(live)
        assert world.key() == once

    def test_dead_plain_values_go(self) -> None:
        world = State(
            {A: constant(1), B: constant(2), C: Box(Container(display(1), Age.NEWEST))},
            {Container(display(1), Age.NEWEST): Contents()},
        )
        world.forget(LiveAt(frozenset({A}), frozenset()))
        assert world.env == {A: constant(1)}
        assert world.heap == {}

    def test_a_list_that_somebody_else_holds_stays(self) -> None:
        cid = Container(display(1), Age.NEWEST)
        world = State({C: Box(cid)}, {cid: Contents(outlives=True)})
        world.forget(LiveAt(frozenset(), frozenset()))
        assert world.env == {C: Box(cid)}


class TestForgetConstants:
    @given(worlds())
    def test_what_it_says_of_descriptors_was_true_before(self, world: State) -> None:
        """It covers: of what is left nothing is new, and who holds an open descriptor still does."""
        covering = world.widen()
        owed = {rid for rid in world.resources if world.is_open(rid)}
        assert covering.resources == world.resources
        assert covering.env.items() <= world.env.items()
        assert covering.heap == world.heap
        assert covering.facts == {}
        assert held(covering) & owed == held(world) & owed

    @given(worlds())
    def test_it_is_a_projection(self, world: State) -> None:
        covering = world.widen()
        assert covering.widen().key() == covering.key()

    @given(worlds(), st.sampled_from([constant(1), constant(None), Known.SOME, Sym(AccessPath("p"))]))
    def test_worlds_that_differ_in_a_constant_become_one(self, world: State, value: Value) -> None:
        one, other = world.copy(), world.copy()
        one.env[A], other.env[A] = value, UNKNOWN
        one.facts[Condition("x")] = True
        assert one.widen().key() == other.widen().key()

    @given(worlds())
    def test_the_plain_fields_of_records_go_and_no_descriptor(self, world: State) -> None:
        before = world.key()
        covering = world.widen(records=True)
        assert world.key() == before
        assert held(covering) == held(world.widen())
        assert covering.widen(records=True).key() == covering.key()
        for container, contents in covering.heap.items():
            assert bool(contents.items) == bool(world.heap[container].items)

    @pytest.mark.parametrize("fields", [("fd", "open"), ("open", "fd"), ("fd", "open", "count"), ("fd",)])
    def test_records_that_differ_in_plain_fields_become_one(self, fields: tuple[str, ...]) -> None:
        record = Container(display(1), Age.NEWEST)
        items = tuple(fd() if name == "fd" else UNKNOWN for name in fields)
        world = State({A: Box(record)}, {record: Contents(items, keys=fields)}, {fd().descriptor: OPEN})
        alone = State({A: Box(record)}, {record: Contents((fd(),), keys=("fd",))}, {fd().descriptor: OPEN})
        assert world.widen(records=True).key() == alone.widen(records=True).key()
        assert world.doubted(records=True)[1] == alone.doubted(records=True)[1]

    @given(worlds())
    def test_the_world_given_stays_as_it_was(self, world: State) -> None:
        before = world.key()
        world.widen()
        assert world.key() == before


CONTENTS = LISTS | dicts()


def interesting(contents: Contents) -> set[Value]:
    return {item for item in contents.items if mentions_any(item)}


class TestContents:
    @given(CONTENTS)
    def test_a_normal_form_is_its_own_normal_form(self, contents: Contents) -> None:
        once = normal(contents)
        assert normal(once) == once
        assert unordered(unordered(contents)) == unordered(contents)

    @given(CONTENTS)
    def test_no_form_loses_a_descriptor(self, contents: Contents) -> None:
        assert interesting(normal(contents)) == interesting(contents)
        assert interesting(unordered(contents)) == interesting(contents)

    @given(CONTENTS)
    def test_every_item_of_a_dict_has_a_key(self, contents: Contents) -> None:
        for form in (normal(contents), unordered(contents), merged(contents, Contents((fd(),), keys=("k",)))):
            assert form.keys is None or len(form.keys) == len(form.items)

    @given(st.permutations([fd(0), fd(1), UNKNOWN, constant(3)]))
    def test_order_and_plain_items_do_not_matter_once_it_is_unordered(self, items: list[Value]) -> None:
        assert unordered(Contents(tuple(items))) == unordered(Contents((fd(0), fd(1))))

    def test_the_same_descriptor_twice_is_one_of_many(self) -> None:
        assert normal(Contents((fd(age=Age.OLDER), fd(age=Age.OLDER)))) == Contents((fd(age=Age.OLDER),), exact=False)

    def test_a_dict_holds_an_item_under_an_unknown_key_once(self) -> None:
        twice = Contents((fd(0), fd(1), fd(1)), exact=False, keys=("a", None, None))
        assert normal(twice) == Contents((fd(0), fd(1)), exact=False, keys=("a", None))

    def test_a_command_line_keeps_only_the_numbers_in_it(self) -> None:
        number = Text((fd(0),))
        line = Contents((Known.TRUTHY, number, *[Const(1)] * 4), exact=True)
        assert normal(line) == Contents((number,), exact=False)
        assert normal(Contents((Known.TRUTHY, number))).exact

    def test_a_long_list_has_lost_its_order(self) -> None:
        items = tuple(fd(site) for site in range(MAX_ITEMS + 1))
        assert not normal(Contents(items)).exact
        assert normal(Contents(items[:-1])).exact

    @given(CONTENTS, CONTENTS)
    def test_a_merge_covers_both_whichever_comes_first(self, one: Contents, other: Contents) -> None:
        both = merged(one, other)
        assert interesting(both) == interesting(one) | interesting(other)
        assert both == merged(other, one)
        assert merged(one, one) == one

    @given(CONTENTS)
    def test_what_somebody_else_holds_stays_so(self, contents: Contents) -> None:
        outlives = Contents(contents.items, contents.exact, contents.keys, outlives=True)
        assert normal(outlives).outlives
        assert unordered(outlives).outlives
        assert merged(outlives, contents).outlives
