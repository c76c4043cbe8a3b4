"""Decides what somebody claims of a descriptor, such as "the one of line 12 leaks on an exception in line 15"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fdlint.core.finding import Finding
from fdlint.report.findings.explanation import Answer, Fate, Reason

CONFIRMED, REFUTED, OPEN = "confirmed", "refuted", "not decidable"
LEAKS = tuple(f"FD{number}" for number in (*range(101, 111),))
KINDS = {
    "leak": LEAKS,
    "double close": ("FD201", "FD203"),
    "use after close": ("FD202",),
    "close of another owner's descriptor": ("FD203",),
    "inheritable": ("FD301", "FD302"),
}
"""What can be claimed, and the rules that find it."""
_DOUBTS = ("assumed", "not known", "gave", "did not follow", "may be", "doubted")
"""Words of an answer that rests on something that fdlint does not know."""


def decided(answer: Answer, kind: str, at_line: int | None) -> dict[str, Any]:
    """Returns the verdict on a claim about the line of an answer, its reason, and the trace or the ways out that show
    it. ``at_line``: where it is to happen; None if anywhere."""
    found = [one.finding for one in answer.findings if one.finding.code in KINDS[kind]]
    here = [one for one in found if at_line is None or at_line in _lines(one)]
    if here:
        return _confirmed(here[0])
    exits = [one for fate in answer.fates for one in fate.exits if one.span is not None and one.span.line == at_line]
    if kind == "leak" and any("still open" in one.message for one in exits):
        return _document(CONFIRMED, "it is still open on that way out of the function", reasons=exits)
    if found:
        places = sorted({line for one in found for line in _lines(one)} - {answer.line})
        reason = f"there is such a defect, but not on line {at_line}: its steps are on {', '.join(map(str, places))}"
        return _document(_unless_doubted(answer.fates), reason, trace=found[0])
    return _without_finding(answer, kind, exits)


def _without_finding(answer: Answer, kind: str, exits: Iterable[Reason]) -> dict[str, Any]:
    if not answer.fates:
        said = "; ".join(one.message for one in answer.reasons) or "fdlint knows no descriptor there"
        return _document(OPEN, f"line {answer.line} acquires or changes no descriptor that fdlint knows: {said}")
    verdict = _unless_doubted(answer.fates)
    reason = "; ".join(dict.fromkeys(one.verdict for one in answer.fates))
    listed = list(exits) or [one for fate in answer.fates for one in (*fate.ends, *fate.exits)]
    if verdict == REFUTED and kind != "leak":
        reason = f"fdlint followed all paths, and none has a {kind}"
    return _document(verdict, reason, reasons=listed)


def _lines(finding: Finding) -> set[int]:
    """The lines at which a defect happens."""
    return {one.span.line for one in finding.trace} | {one.line for one in finding.causes} | {finding.span.line}


def _unless_doubted(fates: Iterable[Fate]) -> str:
    texts = [text for one in fates for text in (one.verdict, *(each.message for each in (*one.ends, *one.exits)))]
    return OPEN if any(word in text for text in texts for word in _DOUBTS) else REFUTED


def _confirmed(finding: Finding) -> dict[str, Any]:
    return _document(CONFIRMED, f"{finding.code} {finding.name}: {finding.message}", trace=finding)


def _document(
    verdict: str, reason: str, *, trace: Finding | None = None, reasons: Iterable[Reason] = ()
) -> dict[str, Any]:
    steps = [(one.kind.value, one.span, one.message) for one in trace.trace] if trace is not None else []
    return {
        "verdict": verdict,
        "reason": reason,
        "confidence": trace.confidence.value if trace is not None else None,
        "assumptions": [one.message for one in trace.assumptions] if trace is not None else [],
        "trace": [
            *({"event": kind, "path": span.path, "line": span.line, "message": text} for kind, span, text in steps),
            *({"line": one.span.line if one.span is not None else None, "message": one.message} for one in reasons),
        ],
    }
