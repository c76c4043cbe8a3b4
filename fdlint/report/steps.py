"""The path of a finding as lines of text, for formats with one message a finding."""

from __future__ import annotations

from fdlint.core.finding import Finding


def steps(finding: Finding) -> list[str]:
    """Returns a line for each step, for each assumption, and one for what the defect costs. Each names its file,
    because a path can lead through several."""
    path = [f"{one.span.path}:{one.span.line}: {one.message}" for one in finding.sentences]
    return [*path, cost(finding)]


def cost(finding: Finding) -> str:
    """Returns what the defect costs, and why."""
    return f"{finding.impact.cost.value} impact: {finding.impact.reason}"
