"""Words findings as the Go code does: calls with the names that it uses, and advice that fits into it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fdlint.catalog.model import Fresh
from fdlint.core.finding import Event, Finding, Severity
from fdlint.languages.go.catalog import go_catalog
from fdlint.languages.go.lowering.language import GO

_CALLED = re.compile(r"(?<!\w)(\w+(?:\.\w+){0,4})\(")
_PATHS = re.compile(r"(?<![\w/.~-])(?:[\w.~-]+/)+(?=[\w-]+\.\w)")
_PLAIN = re.compile(r"`(\w+)` from ")
_LONG = 40
_FAR, _NEAR = 60, 5  # lines from the call to a loop, and from there to a close
_LOST = frozenset({"FD101", "FD102", "FD109"})
_ADVICE = "close it in a `defer`"


def worded(finding: Finding, lines: Sequence[str]) -> Finding:
    """Returns the finding in Go's terms. ``lines``: the text of its file."""
    spelled = _spelled(finding, lines)
    api = (finding.api or "").removeprefix("*.")
    known = {f"{api}()": f"{spelled}()"} if spelled is not None and api else {}
    message = GO.worded(_short(finding.message, known)).replace(_ADVICE, _advice(finding, spelled))
    message = _index_closed(finding, lines) or message
    trace = tuple(_event(one, known, finding) for one in finding.trace)
    said = replace(finding, message=message, trace=trace)
    assumptions = tuple(replace(one, message=GO.worded(_short(one.message, {}))) for one in finding.assumptions)
    return replace(said, assumptions=assumptions)


def _event(event: Event, known: dict[str, str], finding: Finding) -> Event:
    here = known if event.span == finding.span else {}
    return replace(event, message=GO.worded(_short(event.message, here)))


def _short(message: str, known: dict[str, str]) -> str:
    """Returns a message with the calls as the code spells them; of other import paths only the last part."""
    for name, spelled in known.items():
        message = message.replace(name, spelled)
    return _PATHS.sub("", message)


def _spelled(finding: Finding, lines: Sequence[str]) -> str | None:
    """Returns the name by which the code calls what acquires; None if it is no plain name."""
    line = lines[finding.span.line - 1] if finding.span.line <= len(lines) else ""
    found = _CALLED.match(line, finding.span.column - 1)
    last = (finding.api or "").rpartition(".")[2]
    return found[1] if found is not None and found[1].rpartition(".")[2] == last and len(found[1]) <= _LONG else None


def _advice(finding: Finding, spelled: str | None) -> str:
    """Returns how to close what a known call gives: a number, or an object that has a method for it."""
    name, apis = _PLAIN.match(finding.message), go_catalog().lookup(finding.api or "")
    if name is None or not apis or not isinstance(apis[0].returns, Fresh):
        return _ADVICE
    if apis[0].finalized or not go_catalog().lookup(f"{apis[0].name.rpartition('.')[0]}.Close"):
        return f"close it with `defer {name[1]}.Close()`"
    if apis[0].fails_with_number and finding.severity is Severity.ERROR:
        return f"close it with `defer {(spelled or finding.api or '').rpartition('.')[0]}.Close({name[1]})`"
    return _ADVICE


def _index_closed(finding: Finding, lines: Sequence[str]) -> str | None:
    """Returns the message for a list that a loop was to close: it closes the positions, not the descriptors."""
    name = _PLAIN.match(finding.message)
    if name is None or finding.code not in _LOST:
        return None
    loop = re.compile(rf"\s*for (\w+) := range {name[1]}\b(?!\.)")
    for number, line in enumerate(lines[finding.span.line : finding.span.line + _FAR], finding.span.line + 1):
        found = loop.match(line)
        closing = re.compile(rf"\bClose\({found[1]}\)") if found is not None else None
        if found is not None and closing is not None and any(map(closing.search, lines[number : number + _NEAR])):
            what, index = finding.message.partition(": ")[0], found[1]
            right = f"for _, {index} := range {name[1]}"
            return f"{what}: the loop on line {number} closes the index `{index}`, so write `{right}`"
    return None
