"""Reads from the store what a report about the whole fleet shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from sqlite3 import Row
from typing import Any, NamedTuple

from fdlint.core.finding import Cost, Severity
from fdlint.fleet.store import Store
from fdlint.report.summary import count

NEW_LEAK, NEW_REPOSITORY, UPGRADE, KNOWN = "new leak", "new repository", "upgrade", "known"
STATES = (NEW_LEAK, NEW_REPOSITORY, UPGRADE, KNOWN)
_STATE_OF_CAUSE = {
    "repository": NEW_REPOSITORY,
    "upgrade": UPGRADE,
    "code": NEW_LEAK,
    "code and upgrade": NEW_LEAK,
}
NOBODY = "nobody"
_FIRST = 5
_RUNS = 12
"""The runs of a trend."""


class Found(NamedTuple):
    """One finding. ``id``: its row in the store. ``state``: one of ``STATES``. ``since``: the start of the run that
    found it first."""

    id: int
    repository: str
    owners: tuple[str, ...]
    rule: str
    name: str
    severity: str
    confidence: str
    impact: str
    path: str
    line: int
    function: str
    api: str
    message: str
    language: str
    in_tests: bool
    fingerprint: str
    revision: str
    version: str
    since: str
    state: str


class Repository(NamedTuple):
    """One repository and its last visit. ``outcome``: empty if the last run did not get to it. ``scan``: what counts
    for it, 0 if there is none."""

    name: str
    source: str
    owner: str
    outcome: str
    reason: str
    scan: int
    revision: str
    branch: str
    address: str
    scanned: str
    files: int
    lines: int
    silenced: int
    hidden: int


class Point(NamedTuple):
    """One run in the trend: its numbers of findings, of those with high impact, and of new and gone ones."""

    started: str
    finished: str
    version: str
    repositories: int
    failed: int
    findings: int
    high: int
    new: int
    gone: int


@dataclass(frozen=True)
class Overview:
    """All that reports show. The findings that cost most come first; the runs are in their order."""

    store: Store
    findings: tuple[Found, ...]
    repositories: tuple[Repository, ...]
    runs: tuple[Point, ...]
    skipped: Mapping[str, int]
    """The number of files that were not analysed in full, by repository."""

    @cached_property
    def new_leaks(self) -> tuple[Found, ...]:
        """The findings that the code of known repositories got since the run before."""
        return tuple(one for one in self.findings if one.state == NEW_LEAK)

    @cached_property
    def first(self) -> tuple[Found, ...]:
        """Where to begin: a finding of each repository that has the most of high impact in production code."""
        urgent = [one for one in self.findings if one.impact == Cost.HIGH.value and not one.in_tests]
        order = [one.name for one in totals((one.repository, one) for one in urgent)]
        return tuple(next(one for one in urgent if one.repository == name) for name in order[:_FIRST])

    @cached_property
    def new_repositories(self) -> tuple[str, ...]:
        """The repositories that were scanned for the first time."""
        return tuple(dict.fromkeys(one.repository for one in self.findings if one.state == NEW_REPOSITORY))

    @cached_property
    def not_scanned(self) -> tuple[Repository, ...]:
        """The repositories of which the last run does not know the present commit."""
        return tuple(one for one in self.repositories if one.outcome not in ("scanned", "unchanged"))

    def details(self) -> Iterator[tuple[dict[str, Any], dict[str, dict[str, str]]]]:
        """Yields the document of each finding, and the lines around its steps, in their order."""
        for one in self.findings:
            row = self.store.rows("SELECT document, code FROM finding WHERE id = ?", one.id)[0]
            yield json.loads(row["document"]), json.loads(row["code"])


class Total(NamedTuple):
    """What is counted under a name."""

    name: str
    all: int
    high: int
    new: int


def totals(named: Iterable[tuple[str, Found]]) -> list[Total]:
    """Counts findings by names, the most of high impact first."""
    every, high, new = Counter[str](), Counter[str](), Counter[str]()
    for name, one in named:
        every[name] += 1
        high[name] += one.impact == Cost.HIGH.value
        new[name] += one.state == NEW_LEAK
    found = [Total(name, number, high[name], new[name]) for name, number in every.items()]
    return sorted(found, key=lambda one: (-one.high, -one.all, one.name))


def overview(store: Store) -> Overview:
    """Reads the store."""
    last = store.rows("SELECT max(id) FROM run")[0][0] or 0
    rows = store.rows("SELECT open_finding.*, finding.name FROM open_finding JOIN finding ON finding.id = finding")
    costs, severities = ([one.value for one in kind] for kind in (Cost, Severity))
    found = sorted(
        (_found(row, last) for row in rows),
        key=lambda one: (
            costs.index(one.impact), STATES.index(one.state), one.in_tests, severities.index(one.severity),
            one.repository, one.path, one.line, one.rule,
        ),
    )  # fmt: skip
    skipped = store.rows(
        "SELECT repository.name, count(DISTINCT skipped.path) AS number FROM visit "
        "JOIN repository ON repository.id = visit.repository AND repository.listed "
        "JOIN skipped ON skipped.scan = visit.scan WHERE visit.run = "
        "(SELECT max(run) FROM visit AS other WHERE other.repository = visit.repository) GROUP BY repository.id"
    )
    numbers = {row["name"]: row["number"] for row in skipped}
    return Overview(store, tuple(found), tuple(_repositories(store, last)), tuple(_points(store)), numbers)


def progress(store: Store) -> str:
    """Returns what the last run has done, in a few lines."""
    found = overview(store)
    if not found.runs:
        return "no run yet"
    run, total = found.runs[-1], len(found.repositories)
    states = Counter(one.outcome or "to do" for one in found.repositories)
    said = f"run of {run.started}, fdlint {run.version}: " + (
        f"finished {run.finished}" if run.finished else "not finished; `fdlint fleet run` goes on"
    )
    numbers = ", ".join(f"{number:,} {state}" for state, number in sorted(states.items()))
    lines = [said, f"{count(total, 'repository', 'repositories')}: {numbers}"]
    lines += [f"  {one.name}: {one.reason}" for one in found.not_scanned if one.reason]
    lines.append(f"{count(len(found.findings), 'finding')}, {len(found.new_leaks):,} new leaks")
    return "\n".join(lines)


def _found(row: Row, last: int) -> Found:
    new = row["first_run"] == last
    return Found(
        row["finding"], row["repository"], tuple(row["owner"].split()) or (NOBODY,), row["rule"], row["name"],
        row["severity"], row["confidence"], row["impact"], row["path"], row["line"], row["function"] or "",
        row["api"] or "", row["message"], row["language"], bool(row["in_tests"]), row["fingerprint"],
        row["revision"], row["version"], row["since"] or "", _STATE_OF_CAUSE[row["cause"]] if new else KNOWN,
    )  # fmt: skip


def _repositories(store: Store, last: int) -> Iterator[Repository]:
    rows = store.rows(
        "SELECT repository.*, visit.run, visit.outcome, visit.reason, visit.scan, scan.revision, scan.branch, "
        "scan.address, scan.finished, scan.files, scan.lines, scan.silenced, scan.hidden FROM repository "
        "LEFT JOIN visit ON visit.repository = repository.id AND visit.run = "
        "(SELECT max(run) FROM visit AS other WHERE other.repository = repository.id) "
        "LEFT JOIN scan ON scan.id = visit.scan WHERE repository.listed ORDER BY repository.name"
    )
    for row in rows:
        here = row["run"] == last
        known = {name: row[name] for name in Repository._fields if name in row.keys()}  # noqa: SIM118
        known |= {name: row[name] or "" for name in ("revision", "branch", "address")}
        known |= {name: row[name] or 0 for name in ("scan", "files", "lines", "silenced", "hidden")}
        known |= {"scanned": row["finished"] or "", "outcome": row["outcome"] if here else ""}
        yield Repository(**{**known, "reason": row["reason"] if here else "the run was interrupted before it"})


def _points(store: Store) -> Iterator[Point]:
    rows = store.rows(
        "SELECT run.*, count(visit.repository) AS repositories, sum(visit.outcome = 'failed') AS failed, "
        "(SELECT count(*) FROM leak WHERE first_run = run.id AND cause LIKE 'code%') AS new, "
        "(SELECT count(*) FROM leak WHERE gone_run = run.id) AS gone "
        "FROM run LEFT JOIN visit ON visit.run = run.id GROUP BY run.id ORDER BY run.id DESC LIMIT ?",
        _RUNS,
    )
    for row in reversed(rows):
        numbers = store.rows(
            "SELECT count(*) AS findings, coalesce(sum(impact = 'high'), 0) AS high FROM finding "
            "JOIN visit ON visit.scan = finding.scan WHERE visit.run = ?",
            row["id"],
        )[0]
        yield Point(
            row["started"], row["finished"] or "", row["version"], row["repositories"], row["failed"] or 0,
            numbers["findings"], numbers["high"], row["new"], row["gone"],
        )  # fmt: skip
