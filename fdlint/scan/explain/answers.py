"""Answers for one line of a file: the whole story of its findings, or why it has none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fdlint.core.checks import by_code
from fdlint.core.finding import Event, Finding, Span
from fdlint.languages.registry import by_key
from fdlint.languages.text import text_of
from fdlint.report.findings.explanation import Explanation, Reason, ReportedFinding, Story
from fdlint.report.findings.finding import Report
from fdlint.report.findings.silencing import COMMAND_LINE, DEFAULTS, Means
from fdlint.scan.config import Config
from fdlint.scan.explain.fates import acquisitions, fates
from fdlint.scan.explain.left_out import left_out_of_scans
from fdlint.scan.explain.line import about_line
from fdlint.scan.explain.reading import Read, read
from fdlint.scan.explain.reasons import with_reasons
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.options import NO_OPTIONS, Options
from fdlint.scan.process.stack import call
from fdlint.scan.scan import scan, scan_alone

_ADVICE = re.compile(r"^## What to do\n(?P<text>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_HIDING = {
    Means.COMMENTS.value: "a comment suppresses it",
    Means.BASELINE.value: "the baseline has it",
    Means.RULES.value: "the configuration disables its rule (`select`, `ignore`)",
    Means.PER_FILE.value: "the configuration disables its rule in this file (`per-file-ignores`)",
    Means.TESTS.value: "the configuration hides it in test files (`tests`)",
    COMMAND_LINE: "an option of the command line leaves it out",
}
_NEAREST = 3


class NoSuchLineError(ValueError):
    """The file has no such line. The message is for the user."""


def explain(file: FileToScan, line: int, options: Options = NO_OPTIONS) -> Story:
    """Returns the story of each finding on a line, also of those that are not reported. Raises ``OSError`` and
    ``NoSuchLineError``."""
    seen = _read(file, line)
    found = list(_findings(_report(file, options), file.config))
    here = [pair for pair in found if pair[0].span.line <= line <= pair[0].span.end_line]
    if not here:
        here = [pair for pair in found if any(one.span.line == line for one in _own(pair[0]))]
    told = call(lambda: tuple(_told(finding, hidden, seen) for finding, hidden in here))
    near = sorted({one.span.line for one, _ in found}, key=lambda other: (abs(other - line), other))
    return Story(file.shown, line, seen.lines, told, () if told else tuple(sorted(near[:_NEAREST])))


def why_not(file: FileToScan, line: int, options: Options = NO_OPTIONS) -> Explanation:
    """Returns why a line has no finding, or which one it has. Raises ``OSError`` and ``NoSuchLineError``."""
    seen = _read(file, line)
    language = file.language.key
    if seen.refused is not None:
        return Explanation(file.shown, line, seen.lines, (), (Reason(seen.refused),), language)
    reported = list(_findings(_report(file, options), file.config))
    told = [
        (one, f"is reported: {one.message}" if hidden is None else f"found, but not reported: {hidden}")
        for one, hidden in reported
    ]

    def answer() -> Explanation:
        places = [(replace(one.span, path=seen.path), one.code, how) for one, how in told]
        found = tuple(dict.fromkeys(fates(seen, line, places)))  # the two ends of a pair often have one fate
        spans = {one.span for one in found}
        others = [
            Reason(f"{one.code}: {how}", one.span)
            for one, how in told
            if one.span.line <= line <= one.span.end_line and replace(one.span, path=seen.path) not in spans
        ]
        reasons = () if found else tuple(about_line(seen, line, list(_acquired(seen))))
        left_out = left_out_of_scans(file)
        return Explanation(file.shown, line, seen.lines, found, (*others, *reasons, *left_out), language)

    return call(answer)


def _read(file: FileToScan, line: int) -> Read:
    seen = read(file)
    if not 1 <= line <= len(seen.lines):
        raise NoSuchLineError(f"{file.shown} has {len(seen.lines):,} lines, so no line {line}")
    return seen


def _acquired(seen: Read) -> Iterator[tuple[Span, str]]:
    for span, where, slot, _, _ in acquisitions(seen):
        yield span, where.log.sites[slot[0]].api


def _report(file: FileToScan, options: Options) -> Report:
    """Returns the report of a scan of the file."""
    if file.language.by_package:
        return scan([file], replace(options, jobs=1))
    return scan_alone(file.path, file.config, options)


def _findings(report: Report, config: Config) -> Iterator[tuple[Finding, str | None]]:
    """Yields the findings of a report and those that it withholds, each with why it is hidden."""
    yield from ((one, None) for one in report.findings)
    for one in report.withheld:
        yield one.finding, _hiding(one.finding, one.by, config)


def _hiding(finding: Finding, by: str, config: Config) -> str:
    least = config.confidence_of(finding.code)
    if by in (Means.CONFIDENCE.value, DEFAULTS) and not finding.confidence.reaches(least):
        return f"its confidence is {finding.confidence.value}, below the threshold {least.value} (`confidence`)"
    if by == DEFAULTS and finding.in_tests:
        return "it is in a test file, where findings of this rule are hidden by default (`tests`)"
    if by == DEFAULTS:
        return "another finding tells of the same exception"
    return _HIDING.get(by, f"hidden by {by}")


def _own(finding: Finding) -> Iterator[Event]:
    return (event for event in finding.trace if event.span.path == finding.span.path)


def _told(finding: Finding, hidden: str | None, seen: Read) -> ReportedFinding:
    facts = seen.search.all_facts() if seen.search is not None else []
    detailed, sure = with_reasons(finding, [one for one in facts if one.span.path == seen.path])
    comment = by_key(finding.language).ignore.format(code=finding.code)
    return ReportedFinding(_worded(detailed, seen), hidden, sure, _repair(finding), comment)


def _repair(finding: Finding) -> str:
    """Returns what the rule's page advises, if that is about the language of the finding. Otherwise the advice is at
    the end of the message."""
    if not text_of(by_key(finding.language)).advised:
        words = finding.message.rpartition(": ")[2]
        return f"{words[:1].upper()}{words[1:]}."
    advice = _ADVICE.search(by_code(finding.code).page)
    return " ".join(advice["text"].split("\n\n")[0].split()) if advice is not None else ""


def _worded(finding: Finding, seen: Read) -> Finding:
    """Returns the finding with its steps in the words of its language, under the name that reports show."""
    words, shown = text_of(by_key(finding.language)).message, finding.span.path
    trace = (
        replace(
            one,
            message=words(one.message),
            span=replace(one.span, path=shown) if one.span.path == seen.path else one.span,
        )
        for one in finding.trace
    )
    return replace(finding, trace=tuple(trace))
