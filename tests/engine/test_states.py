"""The abstract state by example: two descriptors become one, all grow older, what does not matter is forgotten, and
widening. Its laws, for any state: ``tests/test_state.py``. How states are written: ``building``."""

from __future__ import annotations

import pytest

from engine.building import DICT, FD, LIST, OTHER, given, resource, shown, typestate
from fdlint.core.domain.contents import Contents, merged, normal
from fdlint.core.domain.state import State
from fdlint.core.domain.values import (
    NONE,
    UNKNOWN,
    Age,
    AllocationSite,
    Const,
    Descriptor,
    Fd,
    Known,
    Pid,
    Seq,
    Sym,
    Typed,
    Value,
)
from fdlint.core.ir import AccessPath, Condition, LiveAt

NEWEST, PREVIOUS, OLDER = (Fd(Descriptor(AllocationSite(0), 0, age)) for age in Age)


def aged(**typestates: str) -> State:
    """A state with descriptors of one site: the newest, the one before, and those before that."""
    ages = {"newest": NEWEST, "previous": PREVIOUS, "older": OLDER}
    state = given({name: ages[name] for name in typestates})
    state.resources = {ages[name].descriptor: resource(words) for name, words in typestates.items()}
    return state


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("open", "open", "open"),
        ("open", "closed", "open"),
        ("closed", "open", "open"),
        ("handed", "open", "open"),
        ("held", "open", "open"),
        ("held", "closed", "held"),
        ("handed", "held", "held"),
        ("closed", "handed", "closed"),
        ("handed", "closed", "handed"),
        ("open bound", "open", "open bound"),
        ("open sent", "open spawned", "open sent spawned"),
        ("open forked", "closed cloexec_set", "open cloexec_set forked"),
        ("open lent", "open", "open"),
        ("open lent", "open lent", "open lent"),
        ("open picked", "open", "open picked"),
        ("closed certain", "closed certain", "closed"),
        ("closed double_close", "closed", "closed"),
    ],
)
def test_two_descriptors_become_one(one: str, other: str, both: str) -> None:
    state = aged(previous=one, older=other)
    state.settle()
    assert shown(state) == f"older=fd0'', previous=fd0'' | fd0'' {both}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (aged(newest="open"), "newest=fd0' | fd0' open"),
        (aged(previous="open"), "previous=fd0'' | fd0'' open"),
        (aged(newest="open", previous="closed"), "newest=fd0', previous=fd0'' | fd0' open, fd0'' closed"),
        (aged(previous="open", older="closed"), "older=fd0'', previous=fd0'' | fd0'' open"),
        (given({"x": OTHER}, fd1="open"), "x=fd1 | fd1 open"),
    ],
)
def test_a_site_is_about_to_acquire_again(before: State, after: str) -> None:
    before.make_older(0)
    assert shown(before) == after


def test_growing_older_renames_inside_containers() -> None:
    before = given({"x": LIST, "y": Seq((FD,))}, {LIST: Contents((FD, OTHER))}, fd0="open", fd1="open")
    before.make_older(0)
    assert shown(before) == "x=[fd0', fd1], y=(fd0') | fd0' open, fd1 open"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (given({"x": Const(1)}), ""),
        (given({"x": Typed("socket.socket")}), ""),
        (given({"live": Const(1)}), "live=1"),
        (given({}, armed=["x"]), "armed x"),
        (given({"x": FD}, fd0="open"), "x=fd0 | fd0 open"),
        (given({"x": FD}, fd0="held"), "x=fd0 | fd0 held"),
        (given({"x": FD}, fd0="closed"), ""),
        (given({"live": FD}, fd0="closed"), "live=fd0 | fd0 closed"),
        (given({}, fd0="open"), "fd0 open"),
        (given({}, fd0="handed"), ""),
        (given({"x": LIST}, {LIST: Contents()}), ""),
        (given({"x": LIST}, {LIST: Contents((FD,))}, fd0="open"), "x=[fd0] | fd0 open"),
        (given({"x": LIST}, {LIST: Contents(outlives=True)}), "x=shared []"),
        (given({}, facts={"asked": True, "over": False}), "asked: True"),
    ],
)
def test_forget_what_can_make_no_difference(before: State, after: str) -> None:
    before.forget(LiveAt(frozenset({AccessPath("live")}), frozenset({Condition("asked")})))
    assert shown(before) == after


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (Const(1), ""),
        (NONE, ""),
        (Known.TRUTHY, ""),
        (Sym("p"), ""),
        (Seq((Const(1),)), ""),
        (Typed("socket.socket"), "x=<socket.socket> | "),
        (Pid(7), "x=pid | "),
        (FD, "x=fd0 | "),
        (Seq((FD, NONE)), "x=(fd0, None) | "),
    ],
)
def test_widen_keeps_who_holds_what(value: Value, kept: str) -> None:
    state = given({"x": value}, facts={"x": True}, fd0="open bound")
    assert shown(state.widen()) == f"{kept}fd0 open bound | widened"
    assert state.facts == {"x": True}


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Contents(), Contents(), "[]"),
        (Contents((FD,)), Contents((FD,)), "[fd0]"),
        (Contents((FD,)), Contents(), "[fd0, ...]"),
        (Contents((OTHER,)), Contents((FD,)), "[fd0, fd1, ...]"),
        (Contents((FD, NONE)), Contents((Const(1),)), "[fd0, ...]"),
        (Contents((FD,), outlives=True), Contents((FD,)), "shared [fd0, ...]"),
        (Contents((FD,), keys=("k",)), Contents((OTHER,), keys=("k",)), "{None: fd0, None: fd1, ...}"),
    ],
)
def test_two_containers_become_one(one: Contents, other: Contents, both: str) -> None:
    assert shown(given({"x": LIST}, {LIST: merged(one, other)})) == f"x={both}"


@pytest.mark.parametrize(
    ("contents", "normalized"),
    [
        (Contents((FD, NONE)), "[fd0, None]"),
        (Contents((Const(1), Const(2))), "[unknown, ...]"),
        (Contents((FD, FD)), "[fd0, ...]"),
        (Contents((FD, *[NONE] * 12)), "[fd0, ...]"),
        (Contents((UNKNOWN,), keys=("k",)), "{'k': unknown}"),
    ],
)
def test_contents_in_normal_form(contents: Contents, normalized: str) -> None:
    assert shown(given({"x": DICT}, {DICT: normal(contents)})) == f"x={normalized}"


def test_states_as_text_and_back() -> None:
    for words in ("open", "closed certain", "held bound cloexec_set forked lent picked sent spawned"):
        assert typestate(resource(words)) == words
