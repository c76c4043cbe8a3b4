"""Merges several reports: the shards of a scan, or several repositories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fdlint.core.finding import Finding, fingerprint_of
from fdlint.report.excerpts import together
from fdlint.report.findings import silencing
from fdlint.report.findings.finding import Report, Skipped, Summary
from fdlint.report.findings.hidden import all_hidden


def merged(reports: Sequence[Report]) -> Report:
    """Merges reports in the order of a scan, and adds up the numbers.

    A finding in several reports appears once. Its path and fingerprint identify it. Two equal findings in one report
    (two equal calls on one line) stay two.
    """
    return Report(
        tuple(sorted(_findings(reports), key=lambda one: (one.span, one.code))),
        tuple(sorted(dict.fromkeys(one for report in reports for one in report.skipped), key=_by_path)),
        Summary(
            sum(one.summary.files for one in reports),
            sum(one.summary.files_analysed for one in reports),
            sum(one.summary.lines for one in reports),
            sum(one.summary.seconds for one in reports),
        ),
        silenced=sum(one.silenced for one in reports),
        baselined=sum(one.baselined for one in reports),
        unchanged=sum(one.unchanged for one in reports),
        silencing=silencing.together(one.silencing for one in reports),
        persona=reports[0].persona if len({one.persona for one in reports}) == 1 else None,
        hidden=all_hidden(one.hidden for one in reports),
        scans=tuple(dict.fromkeys(scan for one in reports for scan in one.scans)),
        owners={path: owners for one in reports for path, owners in one.owners.items()},
        sources=together(one.sources for one in reports),
    )


def below(name: str, report: Report) -> Report:
    """Returns the report as seen from outside of its repository: ``name/`` precedes each path.

    The fingerprints change with the paths, because those of two copies of one repository must differ.
    """
    findings = tuple(_finding_below(name, one) for one in report.findings)
    skipped = tuple(Skipped(f"{name}/{one.path}", one.reason) for one in report.skipped)
    configurations = tuple(f"{name}/{one}" for one in report.silencing.configurations)
    silenced = replace(report.silencing, configurations=configurations)
    scans = tuple(replace(one, name=f"{name}/{one.name}" if one.name else name) for one in report.scans)
    owners = {f"{name}/{path}": some for path, some in report.owners.items()}
    sources = {f"{name}/{path}": lines for path, lines in report.sources.items()}
    return replace(
        report, findings=findings, skipped=skipped, silencing=silenced, scans=scans, owners=owners, sources=sources
    )


def _findings(reports: Sequence[Report]) -> list[Finding]:
    found: list[Finding] = []
    before: Counter[tuple[str, str]] = Counter()
    for report in reports:
        here: Counter[tuple[str, str]] = Counter()
        for one in report.findings:
            key = one.span.path, one.fingerprint
            here[key] += 1
            if here[key] > before[key]:
                found.append(one)
        before |= here
    return found


def _by_path(skipped: Skipped) -> str:
    return skipped.path


def _finding_below(name: str, finding: Finding) -> Finding:
    mark = fingerprint_of(name, finding.fingerprint)
    return replace(finding.placed(lambda span: replace(span, path=f"{name}/{span.path}")), fingerprint=mark)
