"""Selects findings by changes: a finding counts if a function on its trace has changed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fdlint.core.finding import Span
from fdlint.languages.registry import language_of
from fdlint.languages.text import Extent, text_of
from fdlint.report.findings.finding import Report, Withheld
from fdlint.report.findings.hidden import hidden_by
from fdlint.report.findings.pairing import paired
from fdlint.report.findings.silencing import COMMAND_LINE
from fdlint.scan.changes import git
from fdlint.scan.changes.git import NEW, Change
from fdlint.scan.git.repository import Repository
from fdlint.scan.reading.intake import SOURCE, content


def only_changed(report: Report, revision: str, paths: Iterable[str]) -> Report:
    """Returns the report without the findings in functions that are unchanged since a revision. ``paths``: those of the
    command line; only the repositories around them count. Raises ``GitError``."""
    alone = [one.finding for one in report.withheld if one.alone]
    found = {span.path for one in (*report.findings, *alone) for span in one.spans}
    found |= {one.span.path for one in report.unused}
    contents = {path: content(path, SOURCE) for path in found}
    changes = _changes(revision, git.roots(paths), contents)
    known = _Changed(
        changes, {path: units(path, contents[path] or b"") for path, changed in changes.items() if changed}
    )
    findings = tuple(one for one in report.findings if any(map(known.at, one.spans)))
    unused = tuple(one for one in report.unused if known.at(one.span))
    left_out = paired(report.findings, id, map(id, findings))[1]
    before = (replace(one, alone=one.alone and any(map(known.at, one.finding.spans))) for one in report.withheld)
    withheld = (*before, *(Withheld(one, COMMAND_LINE) for one in left_out))
    hidden = hidden_by(one.screen for one in withheld if one.screen is not None and one.alone)
    return replace(report, findings=findings, unused=unused, unchanged=len(left_out), withheld=withheld, hidden=hidden)


def _changes(
    revision: str, roots: Sequence[Repository], contents: Mapping[str, bytes | None]
) -> Mapping[str, Sequence[Change]]:
    """Returns the changes by the path in reports. A file outside of the repositories, or one that can no longer be
    read, counts as new."""
    real = {path: os.path.realpath(path) for path in contents}
    found: dict[str, Sequence[Change]] = {}
    within: dict[Repository, dict[str, bytes]] = defaultdict(dict)
    for path, place in real.items():
        root = max((root for root in roots if root.holds(place)), key=lambda root: len(root.top), default=None)
        data = contents[path]
        if root is None or data is None:
            found[place] = (NEW,)
        else:
            within[root][place] = data
    for root, files in within.items():
        found |= git.changes(revision, root, files)
    return {path: found.get(place, ()) for path, place in real.items()}


@dataclass(frozen=True, slots=True)
class _Changed:
    changes: Mapping[str, Sequence[Change]]
    units: Mapping[str, Sequence[Extent]]

    def at(self, span: Span) -> bool:
        """Whether the function around a place has changed."""
        if span.path not in self.units:
            return False
        unit = innermost(self.units[span.path], span.line)
        return any(_touches(change, unit) for change in self.changes[span.path])


def _touches(change: Change, unit: Extent) -> bool:
    if change.first <= change.last:
        return change.first <= unit.last and unit.first <= change.last
    inside = unit.first <= change.last < unit.last
    return inside or (change.last == unit.last and change.indent > unit.indent)


def units(path: str, data: bytes) -> tuple[Extent, ...]:
    """Returns the units of a file. A file that cannot be parsed is one unit."""
    return text_of(language_of(path)).units(data)


def innermost(found: Sequence[Extent], line: int) -> Extent:
    """Returns the smallest unit that contains a line, or the line itself."""
    return min(
        (unit for unit in found if unit.has(line)),
        key=lambda unit: unit.last - unit.first,
        default=Extent(line, line, 0),
    )
