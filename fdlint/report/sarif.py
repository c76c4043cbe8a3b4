"""SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

The trace of a finding is its code flow. A fingerprint identifies a finding after unrelated lines have moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from fdlint.core.finding import Assumption, Confidence, Cost, Event, EventKind, Finding, Span
from fdlint.links import home, rule_page
from fdlint.report.cwe import NAMES
from fdlint.report.documents import as_json, sound
from fdlint.report.findings.audited import Audited, Revision
from fdlint.report.findings.finding import Report, Skipped
from fdlint.report.findings.fix import Fix
from fdlint.report.jsonv1 import compared, hidden, silencing
from fdlint.report.rulebook import Entry, Rulebook
from fdlint.report.states import gone, states
from fdlint.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_CWE = {"name": "CWE", "index": 0}
_RANKS = {Confidence.HIGH: 95.0, Confidence.MEDIUM: 80.0, Confidence.LOW: 40.0}
_WEIGHTS = {Cost.HIGH: 1.0, Cost.MEDIUM: 0.8, Cost.LOW: 0.5}
"""Section 3.27.25: the rank of a result is its priority, up to 100. It grows with the confidence and with the
impact."""
_KINDS = {  # section 3.38.8: the kind of a step, in the words that the standard proposes
    EventKind.ACQUIRED: ["acquire", "resource"],
    EventKind.RECEIVED: ["acquire", "resource"],
    EventKind.BRANCH: ["branch"],
    EventKind.CLOSED: ["release", "resource"],
    EventKind.RAISED: ["exception"],
}


def render(report: Report, rules: Rulebook, category: str = "") -> str:
    """Returns the log file: one run with its rules, results and skipped files. ``category``: what tells its runs from
    those about other code in the same place."""
    used = sorted(rules)
    index = {code: number for number, code in enumerate(used)}
    weaknesses = sorted({entry.cwe for entry in rules.values() if entry.cwe is not None})
    driver: dict[str, Any] = {
        "name": "fdlint",
        "semanticVersion": __version__,
        "rules": [_rule(rules[code], weaknesses) for code in used],
        "supportedTaxonomies": [_CWE],
    }
    if (page := home()) is not None:
        driver["informationUri"] = page
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "taxonomies": [_taxonomy(weaknesses)],
        "automationDetails": {"id": "/".join(["fdlint", *filter(None, [sound(category), _part(report)]), ""])},
        "invocations": [
            {"executionSuccessful": True, "toolExecutionNotifications": [_notification(one) for one in report.skipped]}
        ],
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The directory in which fdlint was run."}}},
        "results": [*_results(report, index)],
        "properties": {"silencing": silencing(report.silencing), "hidden": hidden(report.hidden)},
    }
    if report.trend is not None:
        run["properties"]["compared"] = compared(report.trend)
    if provenance := [_provenance(scan, one) for scan in report.scans for one in scan.revisions if one.repository]:
        run["versionControlProvenance"] = provenance
    return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _part(report: Report) -> str:
    return report.shard.replace("/", " of ") if report.shard else ""


def _rule(entry: Entry, weaknesses: list[int]) -> dict[str, Any]:
    tags = ["correctness", "reliability"]
    rule: dict[str, Any] = {
        "id": entry.code,
        "name": "".join(word.capitalize() for word in entry.name.split("-")),
        "shortDescription": {"text": f"{entry.defect or entry.name}."},
        "fullDescription": {"text": f"{entry.summary.rstrip('.')}."},
        "help": {"text": entry.page, "markdown": entry.page},
        "defaultConfiguration": {"level": entry.severity.value},
        "properties": {"precision": entry.precision, "problem.severity": entry.severity.value, "tags": tags},
    }
    if (page := rule_page(entry.code)) is not None:
        rule["helpUri"] = page
    if entry.cwe is not None:
        tags += ["security", f"external/cwe/cwe-{entry.cwe}"]
        target = {"id": str(entry.cwe), "index": weaknesses.index(entry.cwe), "toolComponent": _CWE}
        rule["relationships"] = [{"target": target, "kinds": ["superset"]}]
    return rule


def _provenance(scan: Audited, found: Revision) -> dict[str, Any]:
    """Returns the origin of the code, mapped to the working directory if that is the whole work tree."""
    details: dict[str, Any] = {"repositoryUri": found.repository, "revisionId": found.commit}
    if found.branch:
        details["branch"] = found.branch
    if found.directory == scan.directory and not scan.name:
        details["mappedTo"] = {"uriBaseId": _ROOT}
    return details


def _taxonomy(numbers: list[int]) -> dict[str, Any]:
    """Returns the part of the enumeration with these numbers, in order; section 3.19.3."""
    return {
        "name": "CWE",
        "version": "4.17",
        "organization": "MITRE",
        "shortDescription": {"text": "The MITRE Common Weakness Enumeration."},
        "informationUri": "https://cwe.mitre.org/",
        "isComprehensive": False,
        "taxa": [
            {
                "id": str(number),
                "shortDescription": {"text": f"{NAMES[number]}."},
                "helpUri": f"https://cwe.mitre.org/data/definitions/{number}.html",
            }
            for number in numbers
        ],
    }


def _results(report: Report, index: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Yields the findings; after a comparison with their state, and with those that are gone."""
    state = states(report)
    for finding in report.findings:
        result = _result(finding, index, report)
        yield {**result, "baselineState": state[finding]} if finding in state else result
    for finding in gone(report):
        # No snippet and no fix: the file has changed.
        yield {**_result(finding, index, replace(report, sources={}, fixes={})), "baselineState": "absent"}


def _result(finding: Finding, index: dict[str, int], report: Report) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.severity.value,
        "message": {"text": sound(finding.message)},
        "locations": [_location(finding, report)],
        "partialFingerprints": {"fdlint/v1": finding.fingerprint},
        "rank": round(_RANKS[finding.confidence] * _WEIGHTS[finding.impact.cost], 1),
        "properties": {
            "confidence": finding.confidence.value,
            "impact": finding.impact.cost.value,
            "impactReason": sound(finding.impact.reason),
            "inTests": finding.in_tests,
        },
    }
    if finding.code in index:
        result["ruleIndex"] = index[finding.code]
    if finding.trace:
        steps = [_step(number, event) for number, event in enumerate(finding.trace, start=1)]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if finding.assumptions:
        result["relatedLocations"] = [_assumption(one) for one in finding.assumptions]
    if finding in report.fixes:
        result["fixes"] = [_fix(finding, report.fixes[finding])]
    return result


def _fix(finding: Finding, fix: Fix) -> dict[str, Any]:
    """Returns a fix. Its edits replace whole lines, up to the start of the line behind them."""
    edits = [
        {
            "deletedRegion": {"startLine": one.line, "startColumn": 1, "endLine": one.end_line, "endColumn": 1},
            "insertedContent": {"text": sound(one.text)},
        }
        for one in fix.edits
    ]
    location = _physical(finding.span)["artifactLocation"]
    title = f"{sound(fix.title)} ({fix.applicability})"
    return {"description": {"text": title}, "artifactChanges": [{"artifactLocation": location, "replacements": edits}]}


def _location(finding: Finding, report: Report) -> dict[str, Any]:
    span, source = finding.span, report.sources.get(finding.span.path, ())
    physical = _physical(span)
    if span.line <= len(source):
        physical["region"]["snippet"] = {"text": sound("\n".join(source[span.line - 1 : span.end_line]))}
    found: dict[str, Any] = {"physicalLocation": physical}
    if finding.function is not None:
        found["logicalLocations"] = [{"fullyQualifiedName": finding.function, "kind": "function"}]
    return found


def _physical(span: Span) -> dict[str, Any]:
    return {
        "artifactLocation": {"uri": quote(sound(span.path)), "uriBaseId": _ROOT},
        "region": {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        },
    }


def _step(number: int, event: Event) -> dict[str, Any]:
    step: dict[str, Any] = {
        "executionOrder": number,
        "location": {"physicalLocation": _physical(event.span), "message": {"text": sound(event.message)}},
    }
    if event.kind in _KINDS:
        step["kinds"] = _KINDS[event.kind]
    return step


def _assumption(assumption: Assumption) -> dict[str, Any]:
    return {
        "physicalLocation": _physical(assumption.span),
        "message": {"text": sound(assumption.message)},
        "properties": {"assumption": assumption.kind.value},
    }


def _notification(skipped: Skipped) -> dict[str, Any]:
    place = {"physicalLocation": {"artifactLocation": {"uri": quote(sound(skipped.path)), "uriBaseId": _ROOT}}}
    return {"level": "warning", "message": {"text": sound(skipped.reason)}, "locations": [place]}
