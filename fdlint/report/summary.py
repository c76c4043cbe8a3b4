"""Summarises a scan in a line or two of plain text: a report without findings does not need rich."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fdlint.core.finding import Confidence, Cost, Finding, Severity
from fdlint.report.findings.finding import Report, Summary, Trend
from fdlint.report.findings.persona import Hiding
from fdlint.report.findings.silencing import Means
from fdlint.report.printable import printable

_NAMES_SHOWN = 8
_SKIPPED_SHOWN = 20
CHANGES_SHOWN = 50
_HIDING = {
    Hiding.LOW_CONFIDENCE: "of low confidence",
    Hiding.MEDIUM_CONFIDENCE: "of medium confidence",
    Hiding.LOW_IMPACT: "of low impact",
    Hiding.MEDIUM_IMPACT: "of medium impact",
    Hiding.PEDANTIC_RULE: "of a pedantic rule",
    Hiding.WARNING: "of severity warning",
    Hiding.TEST: "in tests",
}


def summary(report: Report) -> str:
    """Returns the number of scanned files, and the findings."""
    looked_at, findings = report.summary, report.findings
    parts = [_files(looked_at), count(len(findings), "finding") + _by_severity(findings)]
    baselined = report.baselined - report.silencing.findings.get(Means.BASELINE, 0)
    if baselined:
        parts.append(f"{baselined:,} in the baseline")
    if report.unchanged:
        parts.append(f"{report.unchanged:,} in unchanged functions")
    in_part = {one.path for one in report.skipped if one.left_out}
    whole = sum(not one.left_out for one in report.skipped)
    parts.extend(f"{some:,} {word}" for some, word in ((whole, "skipped"), (len(in_part), "not in full")) if some)
    return f"{', '.join(parts)} in {looked_at.seconds:.1f} s"


def trend(found: Trend) -> str:
    """Returns one line that compares a report with an older one."""
    groups = (
        (found.new, "new"),
        (found.fixed, "fixed"),
        (found.unchanged, "unchanged"),
        (found.silenced, "now silenced"),
        (found.unknown, "in files that were not analysed now"),
    )
    said = [f"{len(some):,} {word}" for number, (some, word) in enumerate(groups) if some or number < 3]
    return printable(f"Compared with {found.older}: {', '.join(said)}")


def new(found: Trend) -> Iterator[str]:
    """Yields a line for each new finding; for very many, only the first ones and the number."""
    yield from _changes("new", found.new)


def fixed(found: Trend) -> Iterator[str]:
    """Yields the same for the findings that are fixed."""
    yield from _changes("fixed", found.fixed)


def _changes(word: str, findings: Sequence[Finding]) -> Iterator[str]:
    for one in findings[:CHANGES_SHOWN]:
        place = printable(f"{one.span.path}:{one.span.line}")
        yield f"{word:<5} {place}: {printable(one.code)} {printable(one.message)}"
    if (rest := len(findings) - CHANGES_SHOWN) > 0:
        yield f"{word:<5} {rest:,} more; -o html=FILE lists them all"


def _files(looked_at: Summary) -> str:
    if not looked_at.files:
        return count(0, "file")
    uses = "uses" if looked_at.files_analysed == 1 else "use"
    return f"{looked_at.files_analysed:,} of {count(looked_at.files, 'file')} {uses} descriptors"


def fixable(report: Report) -> str:
    """Returns a line with the number of unused suppressions that ``--fix`` would remove; empty if there are none."""
    places = {one.span for one in report.unused if one.understood and one.span.path in report.digests}
    number = sum(one.span in places for one in report.findings)
    return f"{count(number, 'finding')} can be fixed with --fix" if number else ""


def skipped(report: Report) -> Iterator[str]:
    """Yields a line for each file that was not fully analysed; for very many files, only the first ones and the
    number."""
    for entry in report.skipped[:_SKIPPED_SHOWN]:
        yield f"{'' if entry.left_out else 'skipped '}{printable(entry.path)}: {printable(entry.reason)}"
    if (rest := len(report.skipped) - _SKIPPED_SHOWN) > 0:
        yield f"{rest:,} more were not analysed in full; --output-format json lists them all"


def silenced(report: Report) -> str:
    """Returns a line about the findings that the scanned tree itself silences; empty if there are none."""
    found = report.silencing
    parts = [_by_means(found.findings, "finding"), _by_means(found.paths, "path")]
    if found.lowered:
        parts.append(f"{count(found.lowered, 'error')} made warning{'' if found.lowered == 1 else 's'}")
    for names, noun in ((found.rules, "rule"), (found.models, "model")):
        if names:
            more = ", …" if len(names) > _NAMES_SHOWN else ""
            parts.append(f"{count(len(names), noun)} ({', '.join(names[:_NAMES_SHOWN])}{more})")
    said = ", ".join(part for part in parts if part)
    by = f" ({', '.join(found.configurations)})" if found.configurations else ""
    return printable(f"Silenced by the tree{by}: {said}") if said else ""


def hidden(report: Report) -> str:
    """Returns a line with the number of findings that are not shown, why, and the option that shows them; empty if all
    are shown."""
    found = report.hidden
    if not found.number:
        return ""
    most_first = sorted(found.counts.items(), key=lambda one: -one[1])
    reasons = ", ".join(f"{number:,} {_HIDING[why]}" for why, number in most_first)
    options = " ".join(f"{name} {value}" for name, value in found.options.items())
    return f"{count(len(report.findings), 'finding')}, {found.number:,} hidden: {reasons}; {options}"


def _by_means(numbers: Mapping[Means, int], noun: str) -> str:
    means = [f"{number:,} by {one.value}" for one, number in numbers.items()]
    if len(means) == 1:
        means = [one.value for one in numbers]
    return f"{count(sum(numbers.values()), noun)} ({', '.join(means)})" if means else ""


def _by_severity(findings: Sequence[Finding]) -> str:
    numbers = Counter(finding.severity for finding in findings)
    kinds = [count(numbers[severity], severity.value) for severity in Severity if numbers[severity]]
    tests = sum(finding.in_tests for finding in findings)
    return f" ({', '.join(kinds)}{f'; {tests:,} in tests' if tests else ''})" if kinds else ""


def rated(finding: Finding) -> str:
    """Returns a note on the confidence of a finding; empty if it is high."""
    return f"{finding.confidence.value} confidence" if finding.confidence is not Confidence.HIGH else ""


def costly(finding: Finding) -> str:
    """Returns a note on the impact of a finding; empty if it is medium."""
    return f"{finding.impact.cost.value} impact" if finding.impact.cost is not Cost.MEDIUM else ""


def count(number: int, noun: str, plural: str = "") -> str:
    """Returns ``1 file``, ``2 files``; ``plural`` is for nouns with another one."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
