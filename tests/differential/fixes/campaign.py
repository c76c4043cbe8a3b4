"""Counts what fixes do to many generated modules, in several processes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..decisions import TooManyPaths
from ..execute import InvalidProgram
from ..minimise import minimise
from .compare import FixComparison

_CHUNK = 40
Write = Callable[[int], str]
Check = Callable[[str], FixComparison]
Smaller = Callable[[str], Iterable[str]]


@dataclass(slots=True)
class Count:
    """The numbers of many modules. ``failing``: the comparisons with a failure, each with its seed."""

    modules: int = 0
    functions: int = 0
    changed: int = 0
    discarded: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    failing: list[tuple[int, FixComparison]] = field(default_factory=list)

    def add(self, seed: int, one: FixComparison | None) -> None:
        """Counts one module; None if it cannot be compared."""
        if one is None:
            self.discarded += 1
            return
        self.modules += 1
        self.functions += len(re.findall(r"^ *(?:def|func) ", one.source, re.MULTILINE))
        self.changed += one.is_changed
        self.codes.update(one.codes)
        self.failures.update(difference.kind[1] or "" for difference in one.differences)
        if one.differences:
            self.failing.append((seed, one))

    def lines(self) -> Iterator[str]:
        """Yields the numbers in words."""
        yield f"{self.modules} modules, {self.functions} functions; {self.discarded} modules discarded"
        yield f"functions changed: {self.changed}"
        yield "fixes: " + ", ".join(f"{code} {number}" for code, number in sorted(self.codes.items()))
        more = self.failures["more leaks"]
        yield f"more leaks: {more}"
        yield f"changed behaviours: {self.failures.total() - more}"
        for kind, number in self.failures.most_common():
            yield f"  {number:5} x {kind}"


def counted(count: int, seed: int, write: Write, check: Check, jobs: int = 1) -> Count:
    """Compares ``count`` modules. The same seed gives the same numbers, with any number of processes."""
    found = Count()
    starts = list(range(seed, seed + count, _CHUNK))
    work = partial(_chunk, write=write, check=check, end=seed + count)
    if jobs == 1:
        parts: Iterator[list[tuple[int, FixComparison | None]]] = map(work, starts)
        return _summed(found, parts)
    with ProcessPoolExecutor(jobs) as pool:
        return _summed(found, pool.map(work, starts))


def _summed(found: Count, parts: Iterator[list[tuple[int, FixComparison | None]]]) -> Count:
    for part in parts:
        for seed, one in part:
            found.add(seed, one)
    return found


def _chunk(start: int, write: Write, check: Check, end: int) -> list[tuple[int, FixComparison | None]]:
    made: list[tuple[int, FixComparison | None]] = []
    for seed in range(start, min(start + _CHUNK, end)):
        try:
            made.append((seed, check(write(seed))))
        except (InvalidProgram, TooManyPaths):
            made.append((seed, None))
    return made


def kept(found: Count, directory: Path, check: Check, smaller: Smaller, each: int, suffix: str) -> None:
    """Saves the failing modules, before and after, and a smaller one for the first ``each`` of each kind."""
    directory.mkdir(parents=True, exist_ok=True)
    shown: Counter[str] = Counter()
    for seed, one in sorted(found.failing, key=lambda item: len(item[1].source)):
        for difference in one.differences:
            kind = (difference.kind[1] or "").replace(" ", "-")
            name = f"{kind}-{seed}"
            (directory / f"{name}{suffix}").write_text(one.source)
            (directory / f"{name}-after{suffix}").write_text(one.after)
            shown[kind] += 1
            if shown[kind] <= each:
                small = check(minimise(one.source, difference.kind, check, smaller=smaller))
                (directory / f"{name}-small{suffix}").write_text(small.source)
                (directory / f"{name}-small-after{suffix}").write_text(small.after)
