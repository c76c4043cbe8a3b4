"""Scans the same files in three ways: in this process, in one with a time limit, and in two in another order."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .oracle import Input

_WAYS = {"alone": (1, None, False), "in a process that can be ended": (1, 3600.0, False), "in two": (2, None, True)}
"""The number of processes, the seconds for one file, and whether the order is reversed."""


def disagreements(inputs: Sequence[Input], scratch: Path) -> list[str]:
    """Returns the differences between the reports. ``scratch``: an empty directory."""
    for number, one in enumerate(inputs):
        (scratch / f"m{number:03}.py").write_bytes(one.data)
    reports = {name: _apart(scratch, *way) for name, way in _WAYS.items()}
    first = reports.pop("alone")
    return [f"differs {name}: {_first_difference(first, other)}" for name, other in reports.items() if other != first]


def _comparable(document: dict[str, Any]) -> dict[str, Any]:
    """Returns a report without the parts that depend on the order of the files or the clock."""
    document["skipped"].sort(key=str)
    del document["summary"]["seconds"]
    return document


def _apart(directory: Path, jobs: int, seconds: float | None, reverse: bool) -> dict[str, Any] | None:
    """Returns the report of a scan in a process of its own; None if it died."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_scan, args=(theirs, directory, jobs, seconds, reverse))
    process.start()
    theirs.close()
    try:
        report: dict[str, Any] | None = _comparable(json.loads(ours.recv()))
    except EOFError:
        report = None
    process.join()
    return report


def _scan(connection: Any, directory: Path, jobs: int, seconds: float | None, reverse: bool) -> None:
    from fdlint.report.jsonv1 import render
    from fdlint.scan import scan as project
    from fdlint.scan.files.discover import discover
    from fdlint.scan.options import Options

    project._WORTH_A_POOL = 1
    files = discover([directory]).files
    report = project.scan(files[::-1] if reverse else files, Options(jobs=jobs, seconds=seconds))
    connection.send(render(report))


def _first_difference(one: Any, other: Any, at: str = "") -> str:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next(
            (_first_difference(one[key], other[key], f"{at}.{key}") for key in one if one[key] != other[key]), at
        )
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        found = (
            _first_difference(a, b, f"{at}[{n}]") for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b
        )
        return next(found, at)
    return f"{at}: {str(one)[:300]} / {str(other)[:300]}"
