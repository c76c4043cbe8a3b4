"""Reports of the sanitizer as text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from fdlint.report.printable import printable
from fdlint.runtime.recording.acquisitions import Frames
from fdlint.runtime.recording.leaks import Place, places_of, until_runner
from fdlint.runtime.sanitizer.sanitizer import Offence, Offending

_SHOWN = 8
_FROZEN = "<frozen"  # it starts a program


def told(one: Offending, root: str, finding_at: Callable[[Place], str] = lambda place: "") -> str:
    """Returns a report. ``root``: the directory of the project. ``finding_at``: the finding on a line, or nothing."""
    owner = f" (by {type(one.opening.owner).__name__})" if one.offence is Offence.OWNED else ""
    lines = [f"fdlint: {one.offence.code}: descriptor {one.opening.number} is {one.offence.value[1]}{owner}"]
    lines += _stack(f"{one.api}() here", one.frames, root)
    lines += _stack(f"opened by {one.opening.api}()", one.opening.made, root)
    if one.opening.ended is not None and one.offence is not Offence.OWNED:
        lines += _stack("closed", one.opening.ended, root)
    if one.stranger is not None and one.offence is not Offence.OWNED:
        lines += _stack(f"opened by {one.stranger.api}() since", one.stranger.made, root)
    places = [place for frames in (one.frames, one.opening.made) for place in _places(frames, root) if place.own]
    said = dict.fromkeys(filter(None, map(finding_at, places)))
    return "\n".join((*lines, *(f"  fdlint scan: {printable(each)}" for each in said)))


def _places(frames: Frames, root: str) -> list[Place]:
    project = os.path.join(os.path.realpath(root), "")
    for library in (False, True):
        found = places_of(until_runner(frames), project, library=library)
        if places := [one for one in found if not one.path.startswith(_FROZEN)]:
            return places[:_SHOWN]
    return []


def _stack(what: str, frames: Frames, root: str) -> Iterator[str]:
    places = _places(frames, root)
    yield f"  {what}:"
    yield from (printable(f"    {one.path}:{one.line} in {one.function}") for one in places)
