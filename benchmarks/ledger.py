"""The ledger of mechanisms: which golden cases and which findings in real code change if a mechanism is switched off.

    python benchmarks/ledger.py --golden
    python benchmarks/ledger.py DIRECTORY ... [--only NAME ...]
    python benchmarks/ledger.py --page

The first two add what they measure to ``benchmarks/ledger.json``; the third writes ``docs/ledger.md`` from that. For
each directory, one scan notes which mechanisms have an effect, and a second runs without all of these. Only if that
changes findings, further scans find out which of them it was, half by half.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from mechanisms import MECHANISMS, copied, replaced

from fdlint.api import scan_paths
from fdlint.catalog import naming
from fdlint.core.finding import Finding

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "ledger.json"
PAGE = ROOT / "docs" / "ledger.md"
CASES = {"case.py": "cases/*/*.yml", "case.go": "go_cases/*.yml"}
Keys: TypeAlias = list[tuple[str, int, str, str]]
_seen: set[str] = set()  # the mechanisms that had an effect since ``_fresh``
_CACHED = [one for one in vars(naming).values() if hasattr(one, "cache_clear")]


def main() -> None:
    """Measures, or writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="*")
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--only", nargs="*", default=list(MECHANISMS))
    options = parser.parse_args()
    known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.is_file() else {}
    if options.golden:
        for name, cases in _by_cases(options.only).items():
            known.setdefault(name, {})["cases"] = cases
    for directory in options.directories:
        for name, change in _by_scan(directory, options.only).items():
            known.setdefault(name, {}).setdefault("real", {})[Path(directory).resolve().name] = change
    DATA.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if options.page:
        PAGE.write_text(page(known), encoding="utf-8")


def _child(work: Callable[..., Any], *args: Any) -> Any:
    """Works in a process of its own: a mechanism that is off stays off."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(work, args)


def _switch_off(names: Iterable[str]) -> None:
    for one in (one for name in names for one in MECHANISMS[name]):
        off = one.off()
        replaced(one.find(), off)


def _watch() -> None:
    """Lets each mechanism note when it does something else than nothing."""
    for name, one in ((name, one) for name, functions in MECHANISMS.items() for one in functions):
        replaced(one.find(), _noting(name, copied(one.find()), one.off()))


def _noting(name: str, work: Callable[..., Any], off: Callable[..., Any]) -> Callable[..., Any]:
    def noting(*args: Any, **kwargs: Any) -> Any:
        result = work(*args, **kwargs)
        if hasattr(result, "__next__"):
            listed = list(result)
            _seen.update([name] if listed else [])
            return iter(listed)
        if name not in _seen and (result is None or result != off(*args, **kwargs)):
            _seen.add(name)
        return result

    return noting


def _fresh() -> None:
    _seen.clear()
    for one in _CACHED:
        one.cache_clear()


# -- real code


def _by_scan(directory: str, names: Collection[str]) -> dict[str, dict[str, Keys]]:
    """Returns the findings that change without each mechanism, for those that change any."""
    before, effective = _child(_scanned, directory, (), True)
    several = sorted(effective.intersection(names))
    found = {}
    for name in _changing(directory, before, several):
        after, _ = _child(_scanned, directory, (name,), False)
        found[name] = {
            "lost": [one for one in before if one not in after],
            "new": [x for x in after if x not in before],
        }
        print(directory, name, found[name], flush=True)
    return found


def _changing(directory: str, before: Keys, names: list[str]) -> list[str]:
    """Returns the mechanisms without which a scan gives something else."""
    if not names or _child(_scanned, directory, names, False)[0] == before:
        return []
    half = len(names) // 2
    return (
        names
        if not half
        else [*_changing(directory, before, names[:half]), *_changing(directory, before, names[half:])]
    )


def _scanned(directory: str, off: Collection[str], watching: bool) -> tuple[Keys, set[str]]:
    _fresh()
    if watching:
        _watch()
    _switch_off(off)
    os.chdir(directory)
    report = scan_paths(["."], isolated=True, persona="auditor", suppressions=False, jobs=1)
    return sorted((one.span.path, one.span.line, one.code, _level(one)) for one in report.findings), set(_seen)


def _level(finding: Finding) -> str:
    """Returns the confidence and the impact of a finding."""
    return f"{finding.confidence.value} {finding.impact.cost.value}"


# -- golden cases


def _by_cases(names: Collection[str]) -> dict[str, list[str]]:
    """Returns the golden cases whose findings, confidences or impacts change without each mechanism."""
    paths = {path: file for file, pattern in CASES.items() for path in sorted((ROOT / "tests").glob(pattern))}
    before = _child(_findings, paths, (), True)
    changed = {}
    for name in names:
        touched = {path: paths[path] for path, (_, seen) in before.items() if name in seen}
        after = _child(_findings, touched, (name,), False) if touched else {}
        changed[name] = [path.stem for path, (keys, _) in after.items() if keys != before[path][0]]
        print(name, len(touched), changed[name], flush=True)
    return changed


def _findings(paths: dict[Path, str], off: Collection[str], watching: bool) -> dict[Path, tuple[Any, set[str]]]:
    if watching:
        _watch()
    _switch_off(off)
    found = {}
    for path, file in paths.items():
        _fresh()
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            Path(file).write_text(yaml.safe_load(path.read_text(encoding="utf-8"))["code"], encoding="utf-8")
            report = scan_paths([file], isolated=True, persona="auditor", jobs=1)
        found[path] = [(one.span.line, one.code, _level(one)) for one in report.findings], set(_seen)
    return found


# -- the page

HEAD = """# The ledger of mechanisms

A mechanism is a small part of the engine that treats one pattern of code in its own way. Each must earn its place. This
table says for each what it decides: the golden cases that change without it, and what happens without it to findings in
real code: lost, new, or reported with another confidence or impact. All findings count, those with low confidence and
in tests too. `lines` are those of the functions that are switched off, without what only they call; `limits` are the
constants that these functions use.

The real code: twisted, ansible, portage, DeepSpeed, kitty, and the directories around the labels of 17 older Python
trees and 7 Go trees (see [Accuracy](accuracy.md)). Mechanisms with at most four cases were also measured on the
labelled files of 61 more trees, with 389 findings, nearly all of Python. That is much Python and little Go, so a dash
says little about a mechanism that exists for Go. In gVisor, 29 findings are lost and 33 are new if all are off at once;
nobody has measured which mechanism changes which. A mechanism that guards what the [rules](rules/index.md) promise
stays without a finding.

`python benchmarks/ledger.py --help` describes how to measure again; `--page` writes this page.
"""


def page(known: dict[str, Any]) -> str:
    """Returns the page: a row for each mechanism that is there, and those that went."""
    rows = [_row(name, known.get(name, {})) for name in MECHANISMS]
    gone = [f"- `{name}`: {why}" for name, why in known.get("gone", {}).items()]
    head = "| mechanism | lines | limits | cases | findings in real code |\n|---|---:|---:|---:|---|"
    return "\n".join([HEAD, head, *rows, "", "## What went", "", *gone, ""])


def _row(name: str, measured: dict[str, Any]) -> str:
    functions = MECHANISMS[name]
    what = (
        (functions[0].find().__doc__ or "")
        .strip()
        .partition(".")[0]
        .partition(":")[0]
        .replace("\n", " ")
        .replace("|", "or")
    )
    lines, limits = sum(one.lines() for one in functions), sum(one.limits() for one in functions)
    cases = len(measured.get("cases", ()))
    return f"| `{name}`: {' '.join(what.split())} | {lines} | {limits} | {cases} | {_real(measured.get('real', {}))} |"


def _real(changes: dict[str, dict[str, Keys]]) -> str:
    """Returns what happens without a mechanism: findings lost, new ones, and those of another level."""
    counts = {"lost": 0, "new": 0, "of another level": 0}
    for change in changes.values():
        before, after = ({tuple(one[:3]) for one in change[kind]} for kind in ("lost", "new"))
        counts["lost"] += len(before - after)
        counts["new"] += len(after - before)
        counts["of another level"] += len(before & after)
    return ", ".join(f"{number} {kind}" for kind, number in counts.items() if number) or "–"


if __name__ == "__main__":
    main()
