"""Reads the JSON output. It is strict about the keys of the contract, and ignores other keys."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from fdlint.core.finding import (
    UNKNOWN_CALLERS,
    Assumption,
    AssumptionKind,
    Confidence,
    Cost,
    Event,
    EventKind,
    Finding,
    Impact,
    Severity,
    Span,
)
from fdlint.languages.registry import LANGUAGES
from fdlint.report.excerpts import TooManyLinesError, sources_of
from fdlint.report.findings.audited import Audited, Revision
from fdlint.report.findings.finding import Report, Skipped, Summary
from fdlint.report.findings.hidden import NOTHING_HIDDEN, VALUES, Hidden
from fdlint.report.findings.persona import Hiding, Persona
from fdlint.report.findings.silencing import NOTHING, Means, Silencing
from fdlint.report.findings.tests import in_tests

VERSION = 1
_UNRATED = {"confidence": Confidence.MEDIUM.value}  # in reports of versions that did not rate all findings
One = TypeVar("One")


class NotAReportError(Exception):
    """The input is not a report. The message is the reason."""


def read(data: bytes) -> Report:
    """Returns the report in a JSON document; of the code it has the lines around findings. Raises
    ``NotAReportError``."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotAReportError(f"it is not JSON: {error}") from None
    if not isinstance(document, Mapping) or not {"version", "findings", "skipped", "summary"} <= document.keys():
        raise NotAReportError("it has no `version`, `findings`, `skipped` and `summary`")
    if document["version"] != VERSION:
        raise NotAReportError(f"its version is {document['version']!r}, not {VERSION}")
    findings = _all(document, "findings", _finding)
    skipped = _all(document, "skipped", lambda raw: Skipped(_text(raw, "path"), _text(raw, "reason")))
    summary = _within(document, "summary")
    seconds = summary.get("seconds")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds <= sys.maxsize:
        raise NotAReportError(f"`seconds` is not a number: {seconds!r}")
    files, analysed, lines = (_number(summary, key) for key in ("files", "files_analysed", "lines"))
    left_out = {key: _number(summary, key) if key in summary else 0 for key in ("silenced", "baselined", "unchanged")}
    return Report(
        findings,
        skipped,
        Summary(files, analysed, lines, float(seconds)),
        silenced=left_out["silenced"],
        baselined=left_out["baselined"],
        unchanged=left_out["unchanged"],
        shard=_text_or_none(summary, "shard"),
        silencing=_silencing(_within(summary, "silencing")) if "silencing" in summary else NOTHING,
        persona=_persona(summary),
        hidden=_hidden(summary) if "hidden" in summary else NOTHING_HIDDEN,
        scans=_all(summary, "scans", _scan) if "scans" in summary else (),
        owners=dict(_owned(document["findings"])),
        sources=_code(document) if "code" in document else {},
    )


def _owned(findings: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields the paths of findings with their owners."""
    for one in findings:
        owners = one.get("owners", [])
        if not isinstance(owners, list) or not all(isinstance(owner, str) for owner in owners):
            raise NotAReportError("`owners` is not a list of strings")
        if owners:
            yield _text(one, "path"), tuple(owners)


def _code(document: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Returns the lines of files that the report quotes."""
    raw = _within(document, "code")
    try:
        known = {
            path: {int(number): _text(lines, number) for number in lines if int(number) > 0}
            for path, lines in raw.items()
        }
        return sources_of([known])
    except (AttributeError, TypeError, ValueError, TooManyLinesError):
        raise NotAReportError("`code` has no lines by path and number") from None


_NOTHING_KNOWN: Mapping[str, Any] = {
    **dict.fromkeys(("name", "directory", "started"), ""),
    **{key: [] for key in ("paths", "revisions", "command", "configurations")},
    "versions": {},
}


def _scan(raw: Mapping[str, Any]) -> Audited:
    """Returns the data of an audited scan, as far as they are known."""
    known = {**_NOTHING_KNOWN, **raw}
    versions = _within(known, "versions")
    return Audited(
        _text(known, "directory"),
        _names(known, "paths"),
        _all(known, "revisions", _revision),
        _text(known, "started"),
        _names(known, "command"),
        _names(known, "configurations"),
        tuple((key, _text(versions, key)) for key in versions),
        _text(known, "name"),
    )


def _revision(raw: Mapping[str, Any]) -> Revision:
    named = ("directory", "commit", "branch", "repository")
    return Revision(*(_text({"repository": "", **raw}, key) for key in named))


def _silencing(raw: Mapping[str, Any]) -> Silencing:
    return Silencing(
        _by_means(_within(raw, "findings")),
        _by_means(_within(raw, "paths")),
        _number(raw, "lowered"),
        *(_names(raw, key) for key in ("rules", "models", "configurations")),
    )


def _persona(summary: Mapping[str, Any]) -> Persona | None:
    """Returns for whom the scan was; None if that is not the same for all files, or if the report does not tell."""
    if summary.get("persona") is None:
        return None
    return Persona(_choice(summary, "persona", [one.value for one in Persona]))


def _hidden(summary: Mapping[str, Any]) -> Hidden:
    raw, shown = _within(summary, "hidden"), _within(summary, "show_hidden")
    counts = {why: _number(raw, why.value) for why in Hiding if why.value in raw}
    return Hidden(counts, {name: _choice(shown, name, [*VALUES]) for name in shown})


def _by_means(raw: Mapping[str, Any]) -> dict[Means, int]:
    return {means: _number(raw, means.value) for means in Means if means.value in raw}


def _names(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = raw.get(key)
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise NotAReportError(f"`{key}` is not a list of strings")
    return tuple(names)


def _all(raw: Mapping[str, Any], key: str, one: Callable[[Mapping[str, Any]], One]) -> tuple[One, ...]:
    items = raw.get(key)
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        raise NotAReportError(f"`{key}` is not a list of objects")
    return tuple(one(item) for item in items)


def _finding(raw: Mapping[str, Any]) -> Finding:
    path = _text(raw, "path")
    return Finding(
        code=_text(raw, "code"),
        name=_text(raw, "name"),
        severity=Severity(_choice(raw, "severity", [one.value for one in Severity])),
        span=Span(path, *(_number(raw, key, least=1) for key in ("line", "column", "end_line", "end_column"))),
        message=_text(raw, "message"),
        function=_text_or_none(raw, "function"),
        api=_text_or_none(raw, "api"),
        fingerprint=_text(raw, "fingerprint"),
        trace=_all(raw, "trace", _event),
        language=_choice(raw, "language", [one.key for one in LANGUAGES]),
        confidence=Confidence(_choice({**_UNRATED, **raw}, "confidence", [one.value for one in Confidence])),
        impact=_impact(_within(raw, "impact")) if "impact" in raw else UNKNOWN_CALLERS,
        assumptions=_all(raw, "assumptions", _assumption) if "assumptions" in raw else (),
        in_tests=_truth(raw, "in_tests") if "in_tests" in raw else in_tests(path),
    )


def _impact(raw: Mapping[str, Any]) -> Impact:
    return Impact(Cost(_choice(raw, "level", [one.value for one in Cost])), _text(raw, "reason"))


def _assumption(raw: Mapping[str, Any]) -> Assumption:
    """Returns an assumption. The report does not contain its columns."""
    kind = AssumptionKind(_choice(raw, "kind", [one.value for one in AssumptionKind]))
    line = _number(raw, "line", least=1)
    return Assumption(kind, _text(raw, "message"), Span(_text(raw, "path"), line, 1, line, 1))


def _event(raw: Mapping[str, Any]) -> Event:
    """Returns a step. The report does not contain its end."""
    line, column = _number(raw, "line", least=1), _number(raw, "column", least=1)
    kind = EventKind(_choice(raw, "event", [one.value for one in EventKind]))
    return Event(kind, Span(_text(raw, "path"), line, column, line, column), _text(raw, "message"))


def _within(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = raw.get(key)
    if not isinstance(found, Mapping):
        raise NotAReportError(f"`{key}` is not an object")
    return found


def _text(raw: Mapping[str, Any], key: str) -> str:
    found = raw.get(key)
    if not isinstance(found, str):
        raise NotAReportError(f"`{key}` is not a string: {found!r}")
    return found


def _text_or_none(raw: Mapping[str, Any], key: str) -> str | None:
    return None if raw.get(key) is None else _text(raw, key)


def _truth(raw: Mapping[str, Any], key: str) -> bool:
    found = raw.get(key)
    if not isinstance(found, bool):
        raise NotAReportError(f"`{key}` is not true or false: {found!r}")
    return found


def _number(raw: Mapping[str, Any], key: str, least: int = 0) -> int:
    found = raw.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or found < least:
        raise NotAReportError(f"`{key}` is not a number from {least} on: {found!r}")
    return found


def _choice(raw: Mapping[str, Any], key: str, choices: list[str]) -> str:
    found = _text(raw, key)
    if found not in choices:
        raise NotAReportError(f"`{key}` is not one of {', '.join(choices)}: {found!r}")
    return found
