"""Keeps the results of a method in one state of its object, and reuses them for other states. These differ only in
attributes that the method does not use, or in the events that led to them."""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass, replace

from fdlint.core.domain.state import State, Story
from fdlint.core.engine.log import Occurrence
from fdlint.core.engine.trace import chapters
from fdlint.core.ir import Place


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways out of a method. ``before``: the story that led to it. ``left``: the attributes after each way, with
    whether it raised. ``happened``: its effects on the attributes. ``lets_go``: unknown code may have changed
    attributes that the method does not know."""

    before: Story | None
    left: tuple[tuple[bool, State], ...]
    happened: tuple[Occurrence, ...]
    lets_go: bool

    def leave_alone(self, near: State, rest: State) -> bool:
        """Whether the method has no effect on the ``rest`` of the attributes, and creates nothing at the sites that
        created their contents. ``near``: the state in which the method started."""
        if not rest.env:
            return True
        sites, makers = {fd.site for fd in rest.resources}, {container.site for container in rest.heap}
        return not (self.lets_go and rest.resources) and all(
            sites.isdisjoint(fd.site for fd in left.resources.keys() - near.resources.keys())
            and makers.isdisjoint(container.site for container in left.heap.keys() - near.heap.keys())
            for _, left in self.left
        )

    def told_after(self, story: Story | None, rest: State) -> Ways:
        """Returns the same ways after another story, with the rest of the attributes."""
        left = tuple((raised, _together(one, rest, self._after(one.story, story))) for raised, one in self.left)
        happened = tuple(replace(one, story=self._after(one.story, story)) for one in self.happened)
        return Ways(story, left, happened, self.lets_go)

    def _after(self, told: Story | None, story: Story | None) -> Story | None:
        if story is not self.before:
            for one in reversed(list(chapters(told, self.before))):
                story = one._replace(before=story)
            return story
        return told


def parted(state: State, apart: Set[Place]) -> tuple[State, State]:
    """Returns a state without some of its attributes, and a state with only these."""
    return _only(state, state.env.keys() - apart), _only(state, state.env.keys() & apart)


def _only(state: State, places: Collection[Place]) -> State:
    env = {place: value for place, value in state.env.items() if place in places}
    reached, boxes = state.reachable(env.values()), state.containers(env.values())
    heap = {container: contents for container, contents in state.heap.items() if container in boxes}
    resources = {fd: resource for fd, resource in state.resources.items() if fd in reached}
    return State(env, heap, resources, story=state.story)


def _together(left: State, rest: State, story: Story | None) -> State:
    resources = left.resources | rest.resources
    return State(left.env | rest.env, left.heap | rest.heap, resources, raising=left.raising, story=story)
