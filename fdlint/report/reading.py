"""Reads the JSON output. It is strict about the keys of the contract, and ignores other keys."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

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
from fdlint.report.findings.hidden import VALUES, Hidden
from fdlint.report.findings.persona import Hiding, Persona
from fdlint.report.findings.silencing import NOTHING, Means, Silencing
from fdlint.report.findings.tests import in_tests

Names = tuple[str, ...]
Number = Annotated[int, Meta(ge=0)]
Place = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(ge=0, le=sys.maxsize)]
Language = Annotated[str, Meta(pattern=f"^({'|'.join(one.key for one in LANGUAGES)})$")]
Value = Annotated[str, Meta(pattern=f"^({'|'.join(VALUES)})$")]


class _Step(Struct):
    event: EventKind
    path: str
    line: Place
    column: Place
    message: str

    def said(self) -> Event:
        """The step. The report does not contain its end."""
        return Event(self.event, Span(self.path, self.line, self.column, self.line, self.column), self.message)


class _Assumed(Struct):
    kind: AssumptionKind
    message: str
    path: str
    line: Place

    def said(self) -> Assumption:
        """The assumption. The report does not contain its columns."""
        return Assumption(self.kind, self.message, Span(self.path, self.line, 1, self.line, 1))


class _Cost(Struct):
    level: Cost
    reason: str


class _Found(Struct):
    code: str
    name: str
    severity: Severity
    language: Language
    path: str
    line: Place
    column: Place
    end_line: Place
    end_column: Place
    message: str
    fingerprint: str
    trace: tuple[_Step, ...]
    function: str | None = None
    api: str | None = None
    confidence: Confidence = Confidence.MEDIUM  # in reports of versions that did not rate all findings
    impact: _Cost | None = None
    assumptions: tuple[_Assumed, ...] = ()
    in_tests: bool | None = None
    owners: Names = ()

    def said(self) -> Finding:
        """The finding."""
        return Finding(
            code=self.code,
            name=self.name,
            severity=self.severity,
            span=Span(self.path, self.line, self.column, self.end_line, self.end_column),
            message=self.message,
            function=self.function,
            api=self.api,
            fingerprint=self.fingerprint,
            trace=tuple(one.said() for one in self.trace),
            language=self.language,
            confidence=self.confidence,
            impact=Impact(self.impact.level, self.impact.reason) if self.impact is not None else UNKNOWN_CALLERS,
            assumptions=tuple(one.said() for one in self.assumptions),
            in_tests=self.in_tests if self.in_tests is not None else in_tests(self.path),
        )


class _Silenced(Struct):
    findings: dict[str, Number]
    paths: dict[str, Number]
    lowered: Number
    rules: Names
    models: Names
    configurations: Names

    def said(self) -> Silencing:
        """The numbers. Those of means that this version does not know are left out."""
        findings, paths = (
            {means: found[means.value] for means in Means if means.value in found}
            for found in (self.findings, self.paths)
        )
        return Silencing(findings, paths, self.lowered, self.rules, self.models, self.configurations)


class _Scan(Struct):
    name: str = ""
    directory: str = ""
    paths: Names = ()
    revisions: tuple[Revision, ...] = ()
    started: str = ""
    command: Names = ()
    configurations: Names = ()
    versions: dict[str, str] = {}

    def said(self) -> Audited:
        """The data of an audited scan, as far as they are known."""
        asked = self.directory, self.paths, self.revisions, self.started, self.command, self.configurations
        return Audited(*asked, tuple(self.versions.items()), self.name)


class _Summary(Struct):
    files: Number
    files_analysed: Number
    lines: Number
    seconds: Seconds
    silenced: Number = 0
    baselined: Number = 0
    unchanged: Number = 0
    silencing: _Silenced | None = None
    persona: Persona | None = None
    hidden: dict[str, Number] = {}
    show_hidden: dict[str, Value] = {}
    shard: str | None = None
    scans: tuple[_Scan, ...] = ()


class _Document(Struct):
    version: Literal[1]
    findings: tuple[_Found, ...]
    skipped: tuple[Skipped, ...]
    summary: _Summary
    code: dict[str, dict[Place, str]] = {}


class NotAReportError(Exception):
    """The input is not a report. The message is the reason."""


def read(data: bytes) -> Report:
    """Returns the report in a JSON document; of the code it has the lines around findings. Raises
    ``NotAReportError``."""
    try:
        document = msgspec.json.decode(data, type=_Document)
        sources = sources_of([document.code])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotAReportError(str(error)) from None
    except TooManyLinesError:
        raise NotAReportError("`code` has more lines than any report") from None
    summary = document.summary
    return Report(
        tuple(one.said() for one in document.findings),
        document.skipped,
        Summary(summary.files, summary.files_analysed, summary.lines, summary.seconds),
        silenced=summary.silenced,
        baselined=summary.baselined,
        unchanged=summary.unchanged,
        shard=summary.shard,
        silencing=summary.silencing.said() if summary.silencing is not None else NOTHING,
        persona=summary.persona,
        hidden=Hidden(
            {why: summary.hidden[why.value] for why in Hiding if why.value in summary.hidden}, summary.show_hidden
        ),
        scans=tuple(one.said() for one in summary.scans),
        owners={one.path: one.owners for one in document.findings if one.owners},
        sources=sources,
    )
