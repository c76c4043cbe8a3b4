"""A method of the same object is called: what it does to the attributes, done to the caller's view of them."""

from __future__ import annotations

from dataclasses import replace

from fdlint.graph import Step
from fdlint.ownership.calls import Caller
from fdlint.ownership.fields import acquired_before
from fdlint.ownership.outcomes import Outcome, Renaming, Shared, Summary
from fdlint.ownership.story import chapters
from fdlint.state.values import Age, Cid, Rid, substitute
from fdlint.state.world import Resource, Status, Story, World


def note_fields(caller: Caller, world: World, step: Step, summary: Summary, renaming: Renaming) -> None:
    """What the callee lost or closed twice of what came in is noted as the caller's, whose story leads there."""
    rids = {known_as: rid for rid, known_as in renaming.rids.items()}
    record = caller.record
    if world.vague:
        return
    for lost in summary.overwrites:
        rid = rids[lost.rid]
        story = joined(Story("called", step.origin, rid, world.story), lost.story, rids)
        record.overwrites.setdefault(replace(lost, rid=rid, story=story, nth=acquired_before(rid, story)))
    for again in summary.recloses:
        rid = rids[again.rid]
        story = joined(Story("called", step.origin, rid, world.story), again.story, rids)
        record.recloses.setdefault(replace(again, rid=rid, story=story))
    for asked in summary.truths:
        record.truths.setdefault(replace(asked, rid=rids[asked.rid]))


def joined(before: Story, inside: Story | None, rids: dict[Rid, Rid]) -> Story:
    """A callee's story told after its caller's."""
    for chapter in reversed(list(chapters(inside))):
        rid = rids.get(chapter.rid) if chapter.rid is not None else None  # its own are no concern of the caller's
        before = Story(chapter.happening, chapter.origin, rid, before)
    return before


def take_over(caller: Caller, world: World, step: Step, outcome: Outcome, rids: dict[Rid, Rid]) -> None:
    """What the callee made and stored in the object's attributes is in the caller's view of them; ``rids`` learns what
    it is called here."""
    found: dict[Rid, Rid] = {}
    for known_as, made in outcome.held:
        site = caller.record.adopt(made)
        if not any(rid.site == site for rid in found.values()):
            make_older(world, site, rids)
        rid = found[known_as] = Rid(site, known_as.slot, known_as.age)
        world.resources[rid] = Resource(Status.HELD if caller.record.follows(site) else Status.HANDED, bound=True)
        world.tell("acquired", made.origin, rid)
        world.tell("called", step.origin, rid)
    rids |= found


def make_older(world: World, site: int, rids: dict[Rid, Rid]) -> None:
    """A site acquires again: what it acquired before is older from here on, also for who knows it by another name."""
    older = {Age.NEWEST: Age.PREVIOUS, Age.PREVIOUS: Age.OLDER, Age.OLDER: Age.OLDER}
    world.make_older(site)
    for known_as, rid in rids.items():
        if rid.site == site:
            rids[known_as] = rid._replace(age=older[rid.age])


def put_fields(world: World, shared: Shared, outcome: Outcome, rids: dict[Rid, Rid], cids: dict[Cid, Cid]) -> None:
    """The fields as the callee leaves them."""
    for place in [place for place in world.env if shared.path(place) is not None]:
        del world.env[place]
    for path, value in outcome.fields:
        world.env[shared.place(path)] = substitute(value, rids, cids)
