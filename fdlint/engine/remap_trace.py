"""What happened in a callee, told where its caller stands."""

from __future__ import annotations

from dataclasses import replace

from fdlint.engine.log import Occurrence, Places
from fdlint.engine.summary import Outcome
from fdlint.engine.trace import abroad, story_in_callee


def occurrence_in_callee(one: Occurrence, places: Places, name: str | None) -> Occurrence:
    """Something that happened in a callee of this name, to be told elsewhere; ``places`` knows where its origins
    stand."""
    return replace(one, origin=abroad(one.origin, places, name), story=story_in_callee(one.story, places, name))


def outcome_in_callee(outcome: Outcome, places: Places, name: str | None) -> Outcome:
    """An outcome whose sites and closes say where they are."""
    held = tuple(
        (fd, replace(site, origin=abroad(site.origin, places, name), statement=-1)) for fd, site in outcome.held
    )
    closes = tuple((fd, abroad(origin, places, name)) for fd, origin in outcome.closes)
    made = outcome.made_by
    made_by = replace(made, origin=abroad(made.origin, places, name)) if made is not None else None
    mistake = outcome.mistake
    if mistake is not None:
        mistake = mistake[0], abroad(mistake[1], places, name), mistake[2]
    return replace(outcome, held=held, closes=closes, made_by=made_by, mistake=mistake)
