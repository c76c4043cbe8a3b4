"""The path of a finding as lines of text, for formats with one message a finding."""

from __future__ import annotations

from fdlint.core.finding import Finding


def steps(finding: Finding) -> list[str]:
    """Returns a line for each step. Each names its file, because a path can lead through several."""
    return [f"{event.span.path}:{event.span.line}: {event.message}" for event in finding.trace]
