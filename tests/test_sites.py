"""Sites: what allocates descriptors and makes containers, told without numbers that mean something else."""

from __future__ import annotations

import ast

from fdlint.core.domain.contents import Contents
from fdlint.core.domain.state import State
from fdlint.core.domain.values import Age, AllocationSite, Container, ContainerSite, Descriptor, Fd, IncomingSite, Maker
from fdlint.core.engine.eval import received_at
from fdlint.core.engine.log import Log
from fdlint.core.engine.summary import Renaming
from tests.package import modules


def test_what_came_in_is_not_the_functions_own() -> None:
    own, incoming = AllocationSite(0), IncomingSite.of_lot(0)
    assert own.is_own
    assert not incoming.is_own
    assert own != incoming


def test_no_two_sites_are_the_same() -> None:
    sites = [*map(AllocationSite, range(5)), *map(IncomingSite.of_lot, range(5))]
    assert len(set(sites)) == len(sites)


def test_a_site_is_as_fast_as_a_number() -> None:
    assert AllocationSite.__hash__ is int.__hash__
    assert AllocationSite.__eq__ is int.__eq__
    assert not hasattr(AllocationSite(0), "__dict__")


def test_the_log_counts_acquiring_calls() -> None:
    log, first, second = Log(), object(), object()
    sites = [log.site(origin, "os.open", False, 0) for origin in (first, second, first)]
    assert sites == [0, 1, 0]
    assert all(site.is_own for site in sites)


def test_descriptors_of_one_place_differ_by_their_age_alone() -> None:
    one, other = (Descriptor(AllocationSite(1), 0, age) for age in (Age.NEWEST, Age.OLDER))
    assert one.origin_slot == other.origin_slot
    assert one.origin_slot != Descriptor(AllocationSite(1), 1, Age.NEWEST).origin_slot


def test_what_goes_into_a_call_is_incoming_there() -> None:
    renaming, state = Renaming(), State()
    box = state.new_box(ContainerSite(Maker.DISPLAY, 3, function="f"), Contents((Fd(fd(0)), Fd(fd(1)))))
    renaming.meet(state, box)
    assert [one.site for one in renaming.fds.values()] == [IncomingSite.of_lot(0), IncomingSite.of_lot(1)]
    assert list(renaming.containers.values()) == [Container(ContainerSite(Maker.CALLER, 0), Age.NEWEST)]


def test_the_number_of_a_container_says_nothing_without_its_maker() -> None:
    sites = [ContainerSite(maker, 1) for maker in Maker]
    assert len(set(sites)) == len(sites)
    assert received_at(AllocationSite(1)) == ContainerSite(Maker.RECEIVING_CALL, 1)
    assert ContainerSite(Maker.DISPLAY, 1, function="C.add") != ContainerSite(Maker.DISPLAY, 1, function="C.drop")


def test_no_number_is_made_of_an_address() -> None:
    found = [
        (module.name, node.lineno)
        for module in modules()
        for node in module.nodes
        if isinstance(node, (ast.BinOp, ast.UnaryOp))
        for part in ast.walk(node)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "id"
    ]
    assert not found


def fd(site: int) -> Descriptor:
    return Descriptor(AllocationSite(site), 0, Age.NEWEST)
