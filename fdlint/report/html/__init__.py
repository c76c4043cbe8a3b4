"""The audit report: one self-contained HTML file to share.

Each finding is a folded part with a picture of its path and its steps, which needs no script to be read. A script
searches, sorts and groups, and it adds the code when the reader opens a finding, so that thousands stay fast. All data
from the scanned tree is text: escaped in the document, never parsed as HTML by the script. The page's policy allows no
other script.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fdlint.core.finding import Cost, Finding, Severity
from fdlint.report.documents import sound
from fdlint.report.findings.finding import Report
from fdlint.report.findings.silencing import DEFAULTS
from fdlint.report.html.page import page
from fdlint.report.html.picture import Box, boxes
from fdlint.report.html.story import code, highlighted
from fdlint.report.jsonv1 import document
from fdlint.report.order import costliest_first
from fdlint.report.rulebook import Entry, Rulebook
from fdlint.report.summary import hidden, silenced

NOBODY = "nobody"
_TOP = 8  # rows of a table of totals


class Story(NamedTuple):
    """A finding, the name of its part of the page, its place in the data, and the picture of its path."""

    id: str
    number: int
    finding: Finding
    boxes: list[Box]


class Share(NamedTuple):
    """One row of a table of totals."""

    name: str
    total: int
    title: str = ""


def render(report: Report, rules: Rulebook) -> str:
    """Returns the document. Escapes all data from the scanned code."""
    findings = report.findings
    used = {code: rules[code] for code in sorted({one.code for one in findings} & rules.keys())}
    return page(
        __name__,
        "audit.html.j2",
        scripts=("audit.js",),
        data=_data(report, used),
        top=_TOP,
        stories=_stories(findings),
        summary=report.summary,
        skipped=report.skipped,
        scans=report.scans,
        trend=report.trend,
        withheld=[one for one in report.withheld if one.by != DEFAULTS],
        silenced=silenced(report),
        hidden=hidden(report),
        baselined=report.baselined,
        unchanged=report.unchanged,
        errors=sum(one.severity is Severity.ERROR for one in findings),
        warnings=sum(one.severity is Severity.WARNING for one in findings),
        by_impact=_shares(f"{one.impact.cost.value} impact" for one in findings),
        costly=sum(one.impact.cost is Cost.HIGH for one in findings),
        by_code=_shares((one.code for one in findings), used),
        by_directory=_shares(map(_directory, findings)),
        by_owner=_shares(name for one in findings for name in _owners(one, report)) if report.owners else [],
        by_file=_shares(one.span.path for one in findings),
        rules=used,
    )


def _stories(findings: Sequence[Finding]) -> list[Story]:
    """Returns the stories, those that cost most first. The script gives the same names: a fingerprint that is there
    twice gets a number."""
    seen, places = Counter[str](), {id(one): index for index, one in enumerate(findings)}
    names = []
    for one in findings:
        seen[one.fingerprint] += 1
        times = seen[one.fingerprint]
        names.append(one.fingerprint if times == 1 else f"{one.fingerprint}.{times}")
    return [Story(names[places[id(one)]], places[id(one)], one, boxes(one)) for one in costliest_first(findings)]


def _data(report: Report, rules: Mapping[str, Entry]) -> dict[str, Any]:
    """Returns the data for the script. Lists have the order of the findings."""
    findings = report.findings
    return {
        "report": document(report),
        "code": {sound(path): lines for path, lines in code(findings, report.sources).items()},
        "rules": {code: {"name": rule.name, "instead": _instead(rule)} for code, rule in rules.items()},
    }


def _instead(rule: Entry) -> dict[str, list[list[str]]]:
    """Returns code that the rule does not report, by language."""
    return {language: highlighted(text.split("\n"), language)[:-1] for language, text in rule.good.items()}


def _owners(finding: Finding, report: Report) -> tuple[str, ...]:
    return report.owners.get(finding.span.path) or (NOBODY,)


def _directory(finding: Finding) -> str:
    return finding.span.path.rpartition("/")[0] or "."


def _shares(names: Iterable[str], rules: Mapping[str, Entry] | None = None) -> list[Share]:
    titles = {code: rule.name for code, rule in (rules or {}).items()}
    counts = Counter(names)
    return [
        Share(name, number, titles.get(name, ""))
        for name, number in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
