"""The findings in wheels, as lines to compare."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path, PurePosixPath

from fdlint.api import scan_paths
from fdlint.report.findings.finding import Report

KEPT = (".py", ".pyi", ".go")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A file of the package index. ``name``: that of the package, as the file spells it."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name.partition("-")[0].lower()


def wheels(directory: Path) -> Sequence[Wheel]:
    """Returns the wheels in a directory, in the order of their names."""
    return sorted(map(Wheel, directory.glob("*.whl")), key=lambda one: one.name)


def unpack(wheel: Wheel, into: Path) -> None:
    """Unpacks the source files of a wheel. Nothing of it is installed or run."""
    with zipfile.ZipFile(wheel.path) as archive:
        for member in archive.infolist():
            name = PurePosixPath(member.filename)
            if name.suffix not in KEPT or name.is_absolute() or ".." in name.parts:
                continue
            place = into / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, place.open("wb") as target:
                shutil.copyfileobj(source, target)


def lines(package: str, report: Report, top: Path) -> Iterator[str]:
    """Yields a line for each finding, and for each file that was not analysed in full."""
    for one in report.findings:
        yield json.dumps(
            {
                "package": package,
                "path": Path(one.span.path).resolve().relative_to(top.resolve()).as_posix(),
                "line": one.span.line,
                "code": one.code,
                "function": one.function,
                "confidence": one.confidence.value,
                "impact": one.impact.cost.value,
            }
        )
    for skipped in report.skipped:
        place = Path(skipped.path).resolve().relative_to(top.resolve()).as_posix()
        yield json.dumps({"package": package, "path": place, "skipped": skipped.reason})


def found_in(directory: Path, work: Path) -> list[str]:
    """Returns the lines for all wheels of a directory. ``work``: an empty directory for their files. Each package is a
    project of its own; a process scans one after the other."""
    chosen = wheels(directory)
    largest_first = sorted(chosen, key=lambda one: -one.path.stat().st_size)
    with ProcessPoolExecutor() as processes:
        found = dict(zip(largest_first, processes.map(_found, largest_first, repeat(work)), strict=True))
    return [line for wheel in chosen for line in found[wheel]]


def _found(wheel: Wheel, work: Path) -> list[str]:
    top = work / wheel.name
    unpack(wheel, top)
    if not top.is_dir():
        return []
    report = scan_paths([str(top)], isolated=True, persona="auditor", tests="all", suppressions=False, jobs=1)
    return list(lines(wheel.name, report, top))


def difference(wanted: Sequence[str], found: Sequence[str]) -> list[str]:
    """Returns the lines that are gone, after a minus, and those that are new, after a plus."""
    before, after = Counter(wanted), Counter(found)
    gone, new = (before - after).elements(), (after - before).elements()
    return sorted([*(f"-{one}" for one in gone), *(f"+{one}" for one in new)], key=lambda one: one[1:])
