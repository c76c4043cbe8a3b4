"""What a method did in one state of its object, told again for others."""

from __future__ import annotations

from fdlint.core.domain.event import Event
from fdlint.core.domain.state import BOUND, Resource, State, Story
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import NONE, Age, AllocationSite, Descriptor, Fd
from fdlint.core.ir import AccessPath
from fdlint.core.objects.method_ways import Ways, parted

A, B = AccessPath("self.a"), AccessPath("self.b")
HELD = Resource(Status.HELD, BOUND)


def descriptor(site: int) -> Descriptor:
    return Descriptor(AllocationSite(site), 0, Age.NEWEST)


def holding(**held: int) -> State:
    fds = {AccessPath(f"self.{name}"): descriptor(site) for name, site in held.items()}
    story = Story(Event.ACQUIRED, "before", None, None)
    return State({place: Fd(fd) for place, fd in fds.items()}, {}, dict.fromkeys(fds.values(), HELD), story=story)


def test_a_state_falls_into_two_parts() -> None:
    near, rest = parted(holding(a=0, b=1), {B})
    assert (near.env, near.resources) == ({A: Fd(descriptor(0))}, {descriptor(0): HELD})
    assert (rest.env, rest.resources) == ({B: Fd(descriptor(1))}, {descriptor(1): HELD})


def test_the_story_goes_on_after_another_one() -> None:
    near, rest = parted(holding(a=0, b=1), {B})
    left = State({A: NONE}, story=Story(Event.CLOSED, "inside", None, near.story))
    other = Story(Event.ACQUIRED, "elsewhere", None, None)
    ways = Ways(near.story, ((False, left),), (), False).told_after(other, rest)
    assert ways.left[0][1].env == {A: NONE, B: Fd(descriptor(1))}
    assert ways.left[0][1].story == Story(Event.CLOSED, "inside", None, other)


def test_what_a_method_makes_again_or_lets_go_of_concerns_the_rest() -> None:
    near, rest = parted(holding(a=0, b=1), {B})
    assert Ways(None, ((False, holding(a=2)),), (), False).leave_alone(near, rest)
    assert not Ways(None, ((False, holding(a=1)),), (), False).leave_alone(near, rest)
    assert not Ways(None, ((False, holding(a=2)),), (), True).leave_alone(near, rest)
