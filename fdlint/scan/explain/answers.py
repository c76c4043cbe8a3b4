"""Answers for one line of a file: the whole story of its findings, or why it has none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fdlint.core.checks import by_code
from fdlint.core.finding import Confidence, Finding, Span
from fdlint.languages.registry import by_key
from fdlint.languages.text import text_of
from fdlint.report.findings.explanation import Answer, Reason, ReportedFinding
from fdlint.report.findings.finding import Report, Withheld
from fdlint.report.findings.persona import Hiding
from fdlint.report.findings.silencing import COMMAND_LINE, DEFAULTS, Means
from fdlint.scan.explain.fates import acquisitions, fates
from fdlint.scan.explain.left_out import left_out_of_scans
from fdlint.scan.explain.line import about_line
from fdlint.scan.explain.reading import Read, read
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.options import NO_OPTIONS, Options
from fdlint.scan.process.stack import call
from fdlint.scan.scan import scan, scan_alone

_CERTAIN = "nothing on the path is assumed"
_CAPPED = "few labelled findings support this rule, so it is {} at most"

_ADVICE = re.compile(r"^## What to do\n(?P<text>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_HIDING = {
    Means.COMMENTS.value: "a comment suppresses it",
    Means.BASELINE.value: "the baseline has it",
    Means.RULES.value: "the configuration disables its rule (`select`, `ignore`)",
    Means.PER_FILE.value: "the configuration disables its rule in this file (`per-file-ignores`)",
    COMMAND_LINE: "an option of the command line leaves it out",
}
_SCREENED = {
    Hiding.LOW_CONFIDENCE: "its confidence is low",
    Hiding.MEDIUM_CONFIDENCE: "its confidence is medium",
    Hiding.LOW_IMPACT: "its impact is low",
    Hiding.MEDIUM_IMPACT: "its impact is medium",
    Hiding.PEDANTIC_RULE: "its rule is for pedants",
    Hiding.WARNING: "it is a warning",
    Hiding.TEST: "it is in a test file",
}
_NEAREST = 3


class NoSuchLineError(ValueError):
    """The file has no such line. The message is for the user."""


def answer(file: FileToScan, line: int, options: Options = NO_OPTIONS) -> Answer:
    """Returns the story of each finding on a line, also of those that are not reported, what became of its descriptors,
    and what fdlint knows of it. Raises ``OSError`` and ``NoSuchLineError``."""
    seen = read(file)
    if not 1 <= line <= len(seen.lines):
        raise NoSuchLineError(f"{file.shown} has {len(seen.lines):,} lines, so no line {line}")
    whole = file.language.by_package
    report = (
        scan([file], replace(options, jobs=1)) if whole else scan_alone(file.path, file.config, options, callers=True)
    )
    found = list(_findings(report))
    near = sorted({one.span.line for one, _ in found}, key=lambda other: (abs(other - line), other))
    empty = Answer(file.shown, line, seen.lines, nearest=tuple(sorted(near[:_NEAREST])))
    if seen.refused is not None:
        return replace(empty, reasons=(Reason(seen.refused),))
    return call(lambda: _answered(empty, file, seen, found))


def _answered(empty: Answer, file: FileToScan, seen: Read, found: Sequence[tuple[Finding, str | None]]) -> Answer:
    line, shown = empty.line, empty.path
    here = [one for one in found if one[0].span.line <= line <= one[0].span.end_line]
    passing = [one for one in found if any((step.span.path, step.span.line) == (shown, line) for step in one[0].trace)]
    reported = [
        (
            replace(one.span, path=seen.path),
            one.code,
            f"is reported: {one.message}" if by is None else f"found, but not reported: {by}",
        )
        for one, by in found
    ]
    acquired = list(acquisitions(seen))
    became = tuple(dict.fromkeys(fates(acquired, line, reported)))  # the two ends of a pair often have one fate
    told = {one.span for one in became}
    others = [
        Reason(f"{code}: {how}", replace(span, path=shown))
        for span, code, how in reported
        if span.line <= line <= span.end_line and span not in told
    ]
    about = () if became else about_line(seen, line, acquired)
    stories = tuple(_story(one, by) for one, by in here or passing)
    return replace(empty, findings=stories, fates=became, reasons=(*others, *about, *left_out_of_scans(file)))


def _findings(report: Report) -> Iterator[tuple[Finding, str | None]]:
    """Yields the findings of a report and those that it withholds, each with why it is hidden."""
    yield from ((one, None) for one in report.findings)
    yield from ((one.finding, _hiding(one)) for one in report.withheld)


def _hiding(withheld: Withheld) -> str:
    if withheld.screen is not None:
        by = f", and the configuration hides that (`{withheld.by}`)" if withheld.by != DEFAULTS else ""
        options = " ".join(f"{name} {value}" for name, value in withheld.screen.options.items())
        return f"{_SCREENED[withheld.screen.hiding]}{by}: `{options}` shows it"
    if withheld.by == DEFAULTS:
        return "another finding already covers the same exception"
    return _HIDING.get(withheld.by, f"hidden by {withheld.by}")


def _story(finding: Finding, hidden: str | None) -> ReportedFinding:
    comment = by_key(finding.language).ignore.format(code=finding.code)
    return ReportedFinding(finding, hidden, reasons(finding), _repair(finding), comment)


def _repair(finding: Finding) -> str:
    """Returns what the rule's page advises, if that is about the language of the finding. Otherwise the advice is at
    the end of the message."""
    if not text_of(by_key(finding.language)).advised:
        words = finding.message.rpartition(": ")[2]
        return f"{words[:1].upper()}{words[1:]}."
    advice = _ADVICE.search(by_code(finding.code).page)
    return " ".join(advice["text"].split("\n\n")[0].split()) if advice is not None else ""


def reasons(finding: Finding) -> tuple[str, ...]:
    """Returns the sentences that say why a finding has its confidence."""
    assumed = [f"{one.message} ({_place(one.span, finding)})" for one in finding.assumptions]
    most = by_code(finding.code).rule.at_most
    capped = [_CAPPED.format(most.value)] if most is not Confidence.HIGH else []
    return (*assumed, *capped) or (_CERTAIN,)


def _place(span: Span, finding: Finding) -> str:
    return f"line {span.line}" if span.path == finding.span.path else f"{span.path}:{span.line}"
