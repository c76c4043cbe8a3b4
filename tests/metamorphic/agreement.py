"""Compares what fdlint finds in a program with what it finds in the same program, written otherwise."""

from __future__ import annotations

import ast
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from fdlint.report.findings.persona import Levels, Persona
from fdlint.scan.options import Options
from fdlint.scan.scan import scan_source
from tests.metamorphic import of_calls, of_classes, of_control, of_functions, of_holders, of_names, of_spelling
from tests.metamorphic.rewrite import Rewrite

REWRITES = (
    *of_names.REWRITES,
    *of_control.REWRITES,
    *of_calls.REWRITES,
    *of_holders.REWRITES,
    *of_classes.REWRITES,
    *of_functions.REWRITES,
    *of_spelling.REWRITES,
)
CASES = Path(__file__).parent.parent / "cases"
_SHOWN = Options(levels=Levels(Persona.AUDITOR))
Found = Counter[tuple[str, str]]


@dataclass
class Tally:
    """How many programs with findings, and how many without, had the same ones after a rewrite; and what differed."""

    found: int = 0
    found_kept: int = 0
    silent: int = 0
    silent_kept: int = 0
    differences: list[str] = field(default_factory=list)

    def add(self, name: str, before: Found, after: Found) -> None:
        """Adds one program that was rewritten."""
        same = before == after
        if before:
            self.found += 1
            self.found_kept += same
        else:
            self.silent += 1
            self.silent_kept += same
        if not same:
            self.differences.append(f"{name}: {_shown(before - after)} -> {_shown(after - before)}")


def _shown(found: Found) -> str:
    return ", ".join(f"{code} in {function}" for function, code in sorted(found)) or "nothing"


def findings(source: str) -> Found | None:
    """Returns the codes of the findings, by function; None if the source is not analysed in full."""
    report = scan_source(source.encode(), "case.py", _SHOWN)
    if report.skipped:
        return None
    return Counter((_outermost(one.function), one.code) for one in report.findings)


def _outermost(function: str | None) -> str:
    """Returns the last name of the outermost function: rewrites move methods to bases, and bodies into functions."""
    return (function or "").partition(".<locals>")[0].rpartition(".")[2]


def programs(step: int, start: int = 0) -> Iterator[tuple[str, str]]:
    """Yields the names and the sources of about one golden case in ``step``. What comments silence is left out.

    A hash of its name chooses a case, so a new case changes the choice of no other."""
    for path in sorted(CASES.rglob("*.yml")):
        if zlib.crc32(path.relative_to(CASES).as_posix().encode()) % step != start % step:
            continue
        source = yaml.safe_load(path.read_text(encoding="utf-8"))["code"]
        if "noqa" not in source and "fdlint:" not in source and (plain := _plain(source)) is not None:
            yield path.relative_to(CASES).as_posix(), plain


def _plain(source: str) -> str | None:
    """Returns the source as every rewrite prints it; None if this Python cannot read it."""
    try:
        return ast.unparse(ast.parse(source)) + "\n"
    except SyntaxError:
        return None


def measure(step: int, start: int = 0, only: str = "") -> dict[str, Tally]:
    """Returns the tally of each rewrite over a part of the golden cases. ``only``: those whose names contain it."""
    tallies: dict[str, Tally] = {}
    for name, source in programs(step, start):
        before = findings(source)
        if before is not None:
            for rewrite in (one for one in REWRITES if only in one.name):
                after = _after(rewrite, source)
                if after is not None:
                    pair = (_codes(before), _codes(after)) if rewrite.moves else (before, after)
                    tallies.setdefault(rewrite.name, Tally()).add(name, *pair)
    return tallies


def _codes(found: Found) -> Found:
    """Returns the findings without their functions."""
    codes: Found = Counter()
    for (_, code), times in found.items():
        codes["", code] += times
    return codes


def _after(rewrite: Rewrite, source: str) -> Found | None:
    written = rewrite(source)
    if written is None:
        return None
    compile(written, "case.py", "exec")
    return findings(written)
