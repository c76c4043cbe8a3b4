"""Rewrites events and outcomes of a callee so that they make sense in its callers."""

from __future__ import annotations

from dataclasses import replace

from fdlint.core.engine.log import Occurrence
from fdlint.core.engine.summary import Outcome
from fdlint.core.engine.trace import in_callee, story_in_callee
from fdlint.core.ir.source import SourceCode


def occurrence_in_callee(one: Occurrence, places: SourceCode, name: str | None) -> Occurrence:
    """Returns an occurrence in the callee ``name`` with origins that say where they are. ``places``: its file."""
    return replace(one, origin=in_callee(one.origin, places, name), story=story_in_callee(one.story, places, name))


def outcome_in_callee(outcome: Outcome, places: SourceCode, name: str | None) -> Outcome:
    """Returns an outcome with sites and closes that say where they are."""
    new = tuple(
        one._replace(
            site=replace(one.site, origin=in_callee(one.site.origin, places, name), statement=-1),
            closed=in_callee(one.closed, places, name),
        )
        for one in outcome.new
    )
    occurrences = tuple(occurrence_in_callee(one, places, name) for one in outcome.occurrences)
    return replace(outcome, new=new, occurrences=occurrences)
