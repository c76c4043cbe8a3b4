"""Compares what fdlint finds in a program with what it finds in the same program, written otherwise."""

from __future__ import annotations

import ast
import json
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from fdlint.report.findings.persona import Levels, Persona
from fdlint.scan.options import Options
from fdlint.scan.scan import scan_source
from tests.ecosystem.__main__ import FINDINGS
from tests.ecosystem.gate import wheels
from tests.metamorphic import of_calls, of_classes, of_control, of_functions, of_holders, of_names, of_spelling
from tests.metamorphic.rewrite import Function, Rewrite

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
    """How many functions with findings, and how many without, had the same ones after a rewrite; and what differed.
    ``rules``: for each rule, how many of those with a finding of it there were, and how many had the same ones."""

    found: int = 0
    found_kept: int = 0
    silent: int = 0
    silent_kept: int = 0
    differences: list[str] = field(default_factory=list)
    rules: Counter[str] = field(default_factory=Counter)
    rules_kept: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, before: Found, after: Found) -> None:
        """Adds one function that was rewritten, of the program with this name."""
        same = before == after
        codes = {code for _, code in before}
        self.rules.update(codes)
        self.rules_kept.update(codes if same else ())
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


def real_programs(directory: Path, step: int, start: int = 0) -> Iterator[tuple[str, str]]:
    """Yields the names and the sources of about one file in ``step`` with findings in the wheels of the gate. Each is
    looked at alone, without the rest of its package."""
    known = map(json.loads, FINDINGS.read_text(encoding="utf-8").splitlines())
    paths: defaultdict[str, set[str]] = defaultdict(set)
    for one in known:
        if one["path"].endswith(".py") and zlib.crc32(one["path"].encode()) % step == start % step:
            paths[one["package"]].add(one["path"])
    for wheel in wheels(directory):
        with zipfile.ZipFile(wheel.path) as archive:
            for path in sorted(paths[wheel.name]):
                plain = _plain(archive.read(path).decode("utf-8", "replace"))
                if plain is not None:
                    yield f"{wheel.name}/{path}", plain


def measure(given: Iterable[tuple[str, str]], only: str = "") -> dict[str, Tally]:
    """Returns the tally of each rewrite over programs, by name and source. ``only``: those whose names contain it."""
    tallies: dict[str, Tally] = {}
    for name, source in given:
        before = findings(source)
        if before is not None:
            for rewrite in (one for one in REWRITES if only in one.name):
                written = rewrite(source)
                after = _after(written) if written is not None else None
                if written is not None and after is not None:
                    tally = tallies.setdefault(rewrite.name, Tally())
                    for pair in _pairs(rewrite, (source, before), (written, after)):
                        tally.add(name, *pair)
    return tallies


def _pairs(rewrite: Rewrite, old: tuple[str, Found], new: tuple[str, Found]) -> Iterator[tuple[Found, Found]]:
    """Yields the findings of each function before and after; of the whole if the rewrite moves them. A function without
    any counts if the rewrite changed it."""
    (source, before), (written, after) = old, new
    if rewrite.moves:
        yield _codes(before), _codes(after)
        return
    texts, others = _texts(source), _texts(written)
    changed = {name for name, text in texts.items() if others.get(name) != text}
    for function in changed | {name for name, _ in before | after}:
        yield _of(before, function), _of(after, function)


def _texts(source: str) -> dict[str, list[str]]:
    """Returns the texts of the functions and methods by their names."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function):
            texts[node.name].append(ast.unparse(node))
    return texts


def _of(found: Found, function: str) -> Found:
    return Counter({key: times for key, times in found.items() if key[0] == function})


def _codes(found: Found) -> Found:
    """Returns the findings without their functions."""
    codes: Found = Counter()
    for (_, code), times in found.items():
        codes["", code] += times
    return codes


def _after(written: str) -> Found | None:
    compile(written, "case.py", "exec")
    return findings(written)
