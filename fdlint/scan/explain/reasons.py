"""Says why a finding has its confidence."""

from __future__ import annotations

from fdlint.core.checks import by_code
from fdlint.core.finding import Confidence, Finding, Span

_CERTAIN = "nothing on the path is assumed"
_CAPPED = "few labelled findings support this rule, so it is {} at most"


def reasons(finding: Finding) -> tuple[str, ...]:
    """Returns the sentences that say why a finding has its confidence."""
    assumed = [f"{one.message} ({_place(one.span, finding)})" for one in finding.assumptions]
    most = by_code(finding.code).rule.at_most
    capped = [_CAPPED.format(most.value)] if most is not Confidence.HIGH else []
    return (*assumed, *capped) or (_CERTAIN,)


def _place(span: Span, finding: Finding) -> str:
    return f"line {span.line}" if span.path == finding.span.path else f"{span.path}:{span.line}"
