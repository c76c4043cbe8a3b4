"""Shows the answers of ``fdlint explain PATH:LINE`` and ``fdlint why-not PATH:LINE``, for people and for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from fdlint.core.finding import Event, EventKind, Severity
from fdlint.report.findings.explanation import Answer, Fate, Reason, ReportedFinding
from fdlint.report.frame import visible
from fdlint.report.line import Line, line
from fdlint.report.printable import printable

_WIDTH = 100
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow"}
_STATES = {
    EventKind.ACQUIRED: "open",
    EventKind.RECEIVED: "open",
    EventKind.CLOSED: "closed",
    EventKind.TRANSFERRED: "handed over",
    EventKind.OVERWRITTEN: "let go",
    EventKind.LEAKED: "lost",
}
"""The state of the descriptor after a step; other steps leave it as it is."""


def story(found: Answer) -> Iterator[Line]:
    """Yields the lines of the answer to "explain": the findings, or why there is none."""
    for number, one in enumerate(found.findings):
        if number:
            yield line()
        yield from _told(one, found.source)
    if not found.findings:
        yield line((f"{printable(found.path)}:{found.line}: no finding here", "bold"))
        yield from _code(found.source, found.line)
        if found.nearest:
            yield line(f"  findings of this file: line {', '.join(map(str, found.nearest))}")
        yield from _known(found)


def explanation(found: Answer) -> Iterator[Line]:
    """Yields the lines of the answer to "why not"."""
    yield line((f"{printable(found.path)}:{found.line}:", "bold"))
    yield from _code(found.source, found.line)
    yield from _known(found)


def _known(found: Answer) -> Iterator[Line]:
    for fate in found.fates:
        yield line()
        yield from _fate(fate, found)
    if found.reasons:
        yield line()
        yield from (one for reason in found.reasons for one in _reason(reason, found))


def _told(told: ReportedFinding, source: Sequence[str]) -> Iterator[Line]:
    finding = told.finding
    span = finding.span
    where = f"{printable(span.path)}:{span.line}:{span.column}:"
    yield line((where, "bold"), " ", (finding.code, _STYLES[finding.severity]), f" {finding.name}")
    yield from _wrapped(finding.message, "  ")
    if finding.function is not None:
        yield line(f"  in {printable(finding.function)}")
    yield line()
    hidden = "yes" if told.hidden is None else f"no: {told.hidden}"
    yield from _item("reported", hidden)
    yield from _item("confidence", f"{finding.confidence.value}: {'; '.join(told.sure)}")
    yield from _item("impact", f"{finding.impact.cost.value}: {finding.impact.reason}")
    yield line()
    yield line(("  the path", "bold"))
    state = "open"
    for number, event in enumerate(finding.trace, start=1):
        state = _STATES.get(event.kind, state)
        yield from _step(number, event, state, span.path, source)
    yield line()
    if told.repair:
        yield from _item("repair", told.repair)
    yield from _item("suppress", f"{told.suppress}, on line {span.line}")
    yield from _item("rule", f"{finding.code} {finding.name}: `fdlint explain {finding.code}` shows its page")


def _step(number: int, event: Event, state: str, path: str, source: Sequence[str]) -> Iterator[Line]:
    own = event.span.path == path
    place = f"line {event.span.line}" if own else f"{printable(event.span.path)}:{event.span.line}"
    yield line((f"  {number:>2}. {place}: ", "dim"), printable(event.message), (f"  [{state}]", "cyan"))
    if own:
        yield from _code(source, event.span.line)


def _fate(fate: Fate, found: Answer) -> Iterator[Line]:
    inside = f" in {printable(fate.function)}" if fate.function is not None else ""
    acquired = f", acquired on line {fate.span.line}" if not fate.span.line <= found.line <= fate.span.end_line else ""
    yield line((f"  {printable(fate.subject)}{inside}{acquired}", "bold"))
    yield from _wrapped(fate.verdict, "    ")
    for title, reasons in (("what happens to it", fate.ends), ("ways out of the function", fate.exits)):
        if reasons:
            yield line(f"    {title}:")
        for reason in reasons:
            yield from _reason(reason, found, "      ")


def _reason(reason: Reason, found: Answer, margin: str = "  ") -> Iterator[Line]:
    place = ""
    if reason.span is not None:
        own = _base(reason.span.path) == _base(found.path)
        place = f"line {reason.span.line}: " if own else f"{printable(reason.span.path)}:{reason.span.line}: "
    yield from _wrapped(f"{place}{reason.message}", margin)


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _item(name: str, text: str) -> Iterator[Line]:
    yield from _wrapped(text, "  ", f"{name + ':':<12}")


def _wrapped(text: str, margin: str, head: str = "") -> Iterator[Line]:
    """Yields a text in lines of a readable width; the first one after a head."""
    width = max(20, _WIDTH - len(margin) - len(head))
    parts = textwrap.wrap(printable(text), width, break_long_words=False, break_on_hyphens=False) or [""]
    for number, part in enumerate(parts):
        yield line(f"{margin}{head if not number else ' ' * (len(head) or 2)}{part}")


def _code(source: Sequence[str], number: int) -> Iterator[Line]:
    if 1 <= number <= len(source):
        text = visible(source[number - 1]).strip()
        yield line((f"      {text if len(text) <= _WIDTH else text[: _WIDTH - 3] + '...'}", "dim"))


def document(found: Answer) -> dict[str, Any]:
    """Returns the answer for JSON."""
    return {
        "version": 1,
        "path": found.path,
        "line": found.line,
        "findings": [
            {
                "code": one.finding.code,
                "name": one.finding.name,
                "message": one.finding.message,
                "function": one.finding.function,
                "confidence": one.finding.confidence.value,
                "because": list(one.sure),
                "impact": {"level": one.finding.impact.cost.value, "reason": one.finding.impact.reason},
                "hidden": one.hidden,
                "steps": [{**_as_document(event), "kind": event.kind.value} for event in one.finding.trace],
                "repair": one.repair,
                "suppress": one.suppress,
            }
            for one in found.findings
        ],
        "descriptors": [
            {
                "subject": one.subject,
                "function": one.function,
                "line": one.span.line,
                "verdict": one.verdict,
                "ends": list(map(_as_document, one.ends)),
                "exits": list(map(_as_document, one.exits)),
            }
            for one in found.fates
        ],
        "reasons": list(map(_as_document, found.reasons)),
        "nearest": list(found.nearest),
    }


def _as_document(one: Reason | Event) -> dict[str, Any]:
    place = {"path": one.span.path, "line": one.span.line} if one.span is not None else {}
    return {"message": one.message, **place}
