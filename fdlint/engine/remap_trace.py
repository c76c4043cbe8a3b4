"""What happened in a callee, told where its caller stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from fdlint.engine.log import Overwrite, Places, Reclose
from fdlint.engine.summary import Outcome
from fdlint.engine.trace import abroad, story_in_callee

Told = TypeVar("Told", Overwrite, Reclose)


def told_in_callee(what: Told, places: Places, name: str | None) -> Told:
    """A fault that a callee of this name found, to be told elsewhere; ``places`` knows where its origins stand."""
    return replace(what, origin=abroad(what.origin, places, name), story=story_in_callee(what.story, places, name))


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
