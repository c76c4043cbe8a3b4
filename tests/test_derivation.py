"""Where values come from and where they go, whatever the order of the steps."""

from __future__ import annotations

from paths import function

from fdlint.catalog import default_catalog
from fdlint.core.dataflow.derivation import (
    Aliases,
    How,
    closed_by,
    closed_places,
    destinations,
    flows,
    given_places,
    kept_places,
    lasting_places,
    let_go,
    origins,
    stored_from,
    taken_apart,
)
from fdlint.core.dataflow.makers import binding_steps, makers
from fdlint.core.ir import AccessPath, Call, Graph, Place

CATALOG = default_catalog()


def lowered(*lines: str, parameters: str = "a, b, c") -> Graph:
    return function("import os\n" + f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines))


def named(places: frozenset[Place]) -> set[Place]:
    """Without temporaries."""
    return {place for place in places if place.is_named}


def opens(call: Call) -> bool:
    return call.callee.dotted == "os.open"


def test_a_value_flows_in_each_of_the_ways() -> None:
    graph = lowered("d = [a, *b]", "e = d[0]", "f = d[1:]", "with c as g:", "    h = g.get(a)", "for i in d: pass")
    assert {one.how for one in flows(graph, None)} == set(How) - {How.ADDED}


def test_positions_are_those_of_items() -> None:
    graph = lowered("x, y = c", "z = c[1]", "z = c[x]")
    found = [(one.how, one.position) for one in flows(graph, CATALOG) if one.source == "c"]
    assert found == [(How.ITEM, 0), (How.ITEM, 1), (How.ITEM, 1), (How.ITEM, None)]


def test_origins_and_destinations_go_opposite_ways() -> None:
    graph = lowered("d = a", "e = [d, b]", "for x in e: y = x")
    every = list(flows(graph, CATALOG))
    assert named(origins([AccessPath("y")], every)) == {"y", "x", "e", "d", "a", "b"}
    assert named(destinations([AccessPath("b")], every)) == {"b", "e", "x", "y"}


def test_a_call_passes_on_what_its_name_or_entry_says() -> None:
    graph = lowered("d = list(a)", "e = measure(b)")
    assert named(origins([AccessPath("d")], flows(graph, CATALOG))) == {"d", "a"}
    assert named(origins([AccessPath("e")], flows(graph, CATALOG))) == {"e"}
    assert named(origins([AccessPath("e")], flows(graph, None))) == {"e", "b"}


def test_names_of_one_value_have_one_representative() -> None:
    graph = lowered("d = a", "for x in [d]: pass", "y = b")
    names = Aliases(graph, CATALOG)
    assert names.root("x") == names.root("a") != names.root("y") == names.root("b")


def test_what_is_closed_by_another_name_is_closed() -> None:
    graph = lowered("d = a", "os.close(d)", "print(b)", "os.close(self.fds[0])", parameters="self, a, b")
    assert named(given_places(graph, lambda call: closed_by(call, CATALOG))) >= {"a", "d", "self.fds"}
    assert named(closed_places(graph, lambda call: closed_by(call, CATALOG))) == {"a", "d"}


def test_what_is_let_go() -> None:
    graph = lowered("self.a = a", "b[0] = c", "return d", parameters="self, a, b, c, d")
    assert named(let_go(graph, CATALOG)) >= {"a", "d"}
    assert "d" not in let_go(graph, CATALOG, lends=True)
    assert "c" not in let_go(graph, CATALOG)
    assert "c" in let_go(graph, CATALOG, stows=True)


def test_where_the_results_of_calls_are_stored() -> None:
    graph = lowered("fd = os.open(a, 0)", "self.fd = fd", "self.path = a", "b[a] = fd", parameters="self, a, b")
    assert stored_from(graph, CATALOG, opens) == ({"self.fd"}, {"b"})


def test_of_a_tuple_only_the_items_that_are_descriptors_are_stored() -> None:
    graph = lowered("import tempfile", "self.fd, self.path = tempfile.mkstemp()", parameters="self")
    made = stored_from(
        graph, CATALOG, lambda call: call.callee.dotted == "tempfile.mkstemp", taken_apart(graph, CATALOG)
    )
    assert made == ({"self.fd"}, set())


def test_what_lasts_and_what_is_kept() -> None:
    graph = lowered("global kept", "kept = wrap(a)", "self.b = pair(b)", "look(c)", parameters="self, a, b, c")
    assert named(lasting_places(graph)) & {"a", "b", "c"} == {"a"}
    assert named(kept_places(graph, CATALOG, lambda _: set())) & {"a", "b", "c"} == {"a", "b"}


def test_the_calls_that_made_a_value_are_known_if_nothing_else_did() -> None:
    graph = lowered("with lend() as d:", "    e = d", "e = get()", "x = get()", "x = a", "a = get()")
    bound = binding_steps(graph)
    assert {(call.callee.name, entered) for _, call, entered in makers(bound, AccessPath("e"))} == {
        ("lend", True),
        ("get", False),
    }
    assert not makers(bound, AccessPath("x"))  # `a` is a parameter
    assert not makers(bound, AccessPath("a"))
