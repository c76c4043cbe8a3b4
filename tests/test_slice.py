"""Which plain values of a function must be told apart, and which states of a worklist are merged."""

from __future__ import annotations

from paths import function

from fdlint.catalog import default_catalog
from fdlint.core.dataflow.reachability import lone, passing
from fdlint.core.dataflow.slice import Correlated, correlated, touches
from fdlint.core.dataflow.worklist import Flow, Limits, postorder, solve
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.correlated import Apart
from fdlint.core.domain.state import State
from fdlint.core.domain.values import NONE, Age, Box, Const, Container, ContainerSite, Known, Maker, Value
from fdlint.core.ir import RAISE, RETURN, AccessPath, Call, Condition, Graph, Place

CATALOG = default_catalog()


def lowered(*lines: str) -> Graph:
    return function("import os\ndef f(a, b, c):\n" + "".join(f"    {line}\n" for line in lines))


def told_apart(*lines: str, holding: str = "") -> set[Place]:
    """The named places whose values are told apart."""
    held = frozenset(map(AccessPath, holding.split()))
    found = correlated(lowered(*lines), CATALOG, held, lambda call: touches(call, CATALOG))
    places = found.always.places.union(*found.ahead.values())
    return {place for place in places if place.is_named}


def test_a_flag_that_decides_about_a_descriptor_is_told_apart() -> None:
    lines = "flag = False", "if a:", "    flag = True", "print(a)", "if flag:", "    fd = os.open(b, 0)"
    assert told_apart(*lines) == {"flag", "fd"}


def test_a_flag_that_decides_about_nothing_is_not() -> None:
    lines = "flag = False", "if a:", "    flag = True", "fd = os.open(b, 0)", "if flag:", "    print(a)", "os.close(fd)"
    assert told_apart(*lines) == {"fd"}


def test_what_a_flag_is_made_of_is_told_apart() -> None:
    lines = "one = 1", "if a:", "    one = 2", "flag = one", "if flag:", "    fd = os.open(b, 0)"
    assert told_apart(*lines) == {"one", "flag", "fd"}


def test_a_flag_decides_about_what_comes_in() -> None:
    lines = "flag = False", "if a:", "    flag = True", "if flag:", "    self.fd = b"
    assert told_apart(*lines) == set()
    assert told_apart(*lines, holding="b") == {"b", "flag", "self.fd"}


def test_a_way_out_before_decides_as_well() -> None:
    lines = "flag = False", "if a:", "    flag = True", "if flag:", "    return", "fd = os.open(b, 0)"
    assert told_apart(*lines) == {"flag", "fd"}


def test_what_is_given_is_told_apart_if_it_is_asked_about_again() -> None:
    lines = ["if b is not None:", "    fd = os.open(b, 0)"]
    assert told_apart(*lines) == {"fd"}
    assert told_apart("if a and b is not None:", "    return", *lines) == {"b", "fd"}
    assert told_apart(*lines, "if b is not None:", "    print(a)") == {"b", "fd"}


def test_answers_count_where_they_decide_about_a_descriptor() -> None:
    lines = (
        "if a and b:",
        "    return",
        "if c:",
        "    print(a)",
        "if c:",
        "    print(b)",
        "if a:",
        "    fd = os.open(b, 0)",
    )
    found = correlated(lowered(*lines), CATALOG, frozenset(), lambda call: touches(call, CATALOG))
    assert found.always.conditions == {"a", "b"}


def test_a_loop_that_never_ends_is_sliced() -> None:
    lines = "flag = False", "while True:", "    if flag:", "        fd = os.open(b, 0)", "    flag = True"
    assert told_apart(*lines) == {"flag", "fd"}


def test_blocks_that_only_lead_on() -> None:
    graph = lowered("if a:", "    pass", "else:", "    pass", "print(a)")
    found = passing(graph, postorder(graph.entry, graph.successors))
    assert found and all(not graph.blocks[index].steps for index in found)
    endless = lowered("while True:", "    pass")
    found = passing(endless, postorder(endless.entry, endless.successors))
    assert all(target not in found or found[target] != index for index, target in found.items())


def state(**values: Value) -> State:
    return State({AccessPath(name): value for name, value in values.items()})


def kin(one: State, places: str = "", iterated: str = "", conditions: str = "") -> object:
    told_apart, containers = (frozenset(map(AccessPath, names.split())) for names in (places, iterated))
    return one.kin(Apart(told_apart, frozenset(), containers, frozenset(map(Condition, conditions.split()))))


def test_states_that_differ_in_plain_values_are_merged() -> None:
    one, other = state(a=NONE, b=Known.TRUTHY), state(a=Const(1), b=Known.TRUTHY)
    assert kin(one) == kin(other)
    assert kin(one, "a") != kin(other, "a")
    merged = one.merged(other)
    assert merged.env == {"b": Known.TRUTHY}
    assert merged.merged(other) is merged


def test_answers_that_decide_are_told_apart() -> None:
    one, other = State(facts={Condition("a"): True}), State(facts={Condition("a"): False})
    assert kin(one) == kin(other)
    assert kin(one, conditions="a") != kin(other, conditions="a")
    assert kin(one) != one.key() != kin(one, conditions="a")


def test_containers_are_merged_into_one_that_can_be_iterated() -> None:
    def container(number: int) -> State:
        found = State()
        found.env[AccessPath("a")] = found.new_box(ContainerSite(Maker.DISPLAY, number), Contents())
        return found

    one, other = container(1), container(2)
    assert kin(one) == kin(other)
    merged = one.merged(other)
    assert not isinstance(merged.env[AccessPath("a")], Box)
    assert merged.merged(container(3)) is merged
    assert kin(merged, iterated="a") == kin(one, iterated="a") != kin(state(a=NONE), iterated="a")


def test_past_some_states_at_a_node_those_of_one_kin_are_merged() -> None:
    def step(node: int, state: int) -> list[tuple[int, int]]:
        return [(1, number) for number in range(1, 100)] if node == 0 else [(2, state)] if node == 1 else []

    def visits(apart: int) -> int:
        flow = Flow(step, lambda s: s, lambda s: s, {0: 0, 1: 1, 2: 2}, kin=lambda _, s: (s % 2,), merge=min)
        return solve(flow, 0, [0], Limits(apart=apart, soft=1_000)).visits

    assert visits(1_000) == 1 + 99 + 99
    assert visits(10) <= 1 + 2 * 12


def test_past_more_states_those_that_are_alike_are_merged() -> None:
    def step(node: int, state: int) -> list[tuple[int, int]]:
        return [(1, number) for number in range(1, 100)] if node == 0 else [(2, state)] if node == 1 else []

    def visits(alike: int) -> int:
        flow = Flow(step, lambda s: s, lambda s: s, {}, doubted=lambda s: (-s % 2, (s % 2,)), merge=min)
        return solve(flow, 0, [0], Limits(alike=alike, soft=1_000)).visits

    assert visits(1_000) == 1 + 99 + 99
    assert visits(10) <= 1 + 12 + 12


def test_a_node_that_one_other_leads_to_is_visited_as_often_as_that() -> None:
    def step(node: int, state: int) -> list[tuple[int, int]]:
        return [(1, 0), (1, 0), (1, 1)] if node == 0 else [(2, 0)] if node == 1 else []

    def visits(*alone: int) -> int:
        return solve(Flow(step, lambda s: s, lambda s: s, {}, lone=frozenset(alone)), 0, [0]).visits

    assert visits() == 1 + 2 + 1
    assert visits(1) == 1 + 2 + 1
    assert visits(1, 2) == 1 + 2 + 2


def test_blocks_with_one_predecessor() -> None:
    graph = lowered("if a:", "    b()", "c()")
    order = postorder(graph.entry, graph.successors)
    found = lone(graph, order)
    for index in found:
        assert sum(index in graph.successors(before) for before in order) == 1
    assert found and not found & {RETURN, RAISE, graph.entry}


def test_states_with_the_same_descriptors_are_alike() -> None:
    one, other = state(a=NONE, b=Known.TRUTHY), state(a=Const(1))
    assert one.key() != other.key()
    (doubted, first), (_, second) = one.doubted(), other.doubted()
    assert first == second != state(a=Box(Container(ContainerSite(Maker.DISPLAY, 1), Age.NEWEST))).key()
    assert doubted.widened and not one.widened


def test_the_essence_covers_every_state_of_the_kin() -> None:
    one, other = state(a=NONE, b=Known.TRUTHY), state(a=Const(1), b=Known.TRUTHY)
    nothing: frozenset[Place] = frozenset()
    found = one.essence(Apart(frozenset({AccessPath("b")}), nothing, nothing, frozenset()))
    assert found.env == {"b": Known.TRUTHY}
    assert found.merged(one) is found and found.merged(other) is found


def apart_at(followed: str, *lines: str) -> Correlated:
    """The differences that keep states apart if only one call is followed."""
    graph = lowered(*lines)
    origin = next(
        step.origin for step in graph.steps() if isinstance(step.effect, Call) and step.effect.callee.dotted == followed
    )
    return correlated(graph, CATALOG, frozenset(), lambda call: touches(call, CATALOG), origin)


def test_a_value_that_is_asked_about_before_a_block_only_does_not_count_there() -> None:
    lines = "if a != -1 and a > 2:", "    return", "fd = os.open(b, 0)", "os.close(fd)"
    graph = lowered(*lines)
    found = correlated(graph, CATALOG, frozenset(), lambda call: touches(call, CATALOG))
    assert "a" in found.at(graph.entry).places
    after = next(
        index
        for index, block in enumerate(graph.blocks)
        for step in block.steps
        if isinstance(step.effect, Call) and step.effect.callee.dotted == "os.close"
    )
    assert "a" not in found.at(after).places


def test_a_flag_of_another_descriptor_does_not_count() -> None:
    lines = (
        "other = -1",
        "if a:",
        "    other = os.dup(b)",
        "fd = os.open(b, 0)",
        "if other != -1:",
        "    os.close(other)",
    )
    assert "other" in apart_at("os.dup", *lines).always.places
    found = apart_at("os.open", *lines)
    assert "fd" in found.always.places
    assert "other" not in found.always.places.union(*found.ahead.values())


def test_a_flag_counts_if_a_fork_depends_on_it() -> None:
    lines = "flag = False", "if a:", "    flag = True", "fd = os.open(b, 0)", "if flag:", "    os.fork()"
    assert any("flag" in places for places in apart_at("os.open", *lines).ahead.values())
