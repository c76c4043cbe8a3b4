"""Writes reports of a fleet: one HTML page, Markdown, a table as CSV or Parquet, SARIF for each repository."""

from __future__ import annotations

import csv
import importlib
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fdlint.fleet.overview import Found, Overview, Repository
from fdlint.fleet.page import render
from fdlint.fleet.summary import summary
from fdlint.report import sarif
from fdlint.report.excerpts import sources_of
from fdlint.report.findings.finding import Report
from fdlint.report.reading import read
from fdlint.report.rulebook import Rulebook
from fdlint.scan.reading.replacing import write_file

_FORMULA = re.compile(r"[=+\-@\t\r\n]")
_NO_NAME = re.compile(r"[^\w.-]+", re.ASCII)
COLUMNS = tuple(name for name in Found._fields if name != "id")


def write(found: Overview, form: str, place: Path, rules: Rulebook) -> None:
    """Writes one report. Raises ``OSError``."""
    if form == "html":
        write_file(place, render(found, rules).encode(errors="backslashreplace"))
    elif form == "markdown":
        write_file(place, f"{summary(found)}\n".encode())
    elif form == "csv":
        write_file(place, as_csv(found).encode(errors="backslashreplace"))
    elif form == "parquet":
        _parquet(found, place)
    else:
        place.mkdir(exist_ok=True)
        for name, text in as_sarif(found, rules):
            write_file(place / name, text.encode())


def as_csv(found: Overview) -> str:
    """Returns a table with a row for each finding. A spreadsheet takes none of its cells for a formula."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    table.writerows([_cell(value) for value in _values(one)] for one in found.findings)
    return text.getvalue()


def _values(one: Found) -> list[Any]:
    return [" ".join(value) if isinstance(value, tuple) else value for value in one[1:]]


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _parquet(found: Overview, place: Path) -> None:
    """Writes the table with pyarrow, whichever version there is: it is no dependency of fdlint."""
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    columns = zip(*map(_values, found.findings), strict=True) if found.findings else ((),) * len(COLUMNS)
    data = {name: list(column) for name, column in zip(COLUMNS, columns, strict=True)}
    parquet.write_table(arrow.table(data), place)


def as_sarif(found: Overview, rules: Rulebook) -> Iterator[tuple[str, str]]:
    """Yields a file name and a log for each repository that was ever scanned, with its provenance."""
    findings: dict[str, list[tuple[Found, tuple[dict[str, Any], dict[str, dict[str, str]]]]]] = defaultdict(list)
    for one, detail in zip(found.findings, found.details(), strict=True):
        findings[one.repository].append((one, detail))
    names = file_names(one.name for one in found.repositories)
    for repository in found.repositories:
        if repository.scan:
            report = report_of(found, repository, [detail for _, detail in findings[repository.name]])
            yield f"{names[repository.name]}.sarif", sarif.render(report, rules, category=repository.name)


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Returns a file name without a suffix for each name; no two are equal, in upper or lower case."""
    found, taken = dict[str, str](), Counter[str]()
    for name in sorted(names):
        stem = _NO_NAME.sub("_", name).strip(".") or "_"
        taken[stem.lower()] += 1
        found[name] = stem if taken[stem.lower()] == 1 else f"{stem}~{taken[stem.lower()]}"
    return found


def report_of(
    found: Overview, repository: Repository, details: Iterable[tuple[dict[str, Any], dict[str, dict[str, str]]]]
) -> Report:
    """Returns the report of one repository, as its scan gave it."""
    listed = list(details)
    where = "SELECT path, reason FROM skipped WHERE scan = ?"
    tip = {"commit": repository.revision, "branch": repository.branch, "repository": repository.address}
    document = {
        "version": 1,
        "findings": [one for one, _ in listed],
        "skipped": [dict(row) for row in found.store.rows(where, repository.scan)],
        "summary": {
            "files": repository.files, "files_analysed": repository.files, "lines": repository.lines, "seconds": 0.0,
            "scans": [{"revisions": [{"directory": "", **tip}]}],
        },
    }  # fmt: skip
    report = read(json.dumps(document).encode())
    code = (
        {path: {int(number): text for number, text in some.items()} for path, some in one.items()} for _, one in listed
    )
    return replace(report, sources=sources_of(code))
