"""``python -m tests.differential --kind calls --count 500 --seed 1``: recall, precision, and differences.

``--kind fixes`` and ``--kind go-fixes`` print what safe fixes did to the functions, and what they broke.
"""

from __future__ import annotations

import argparse
import difflib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from .class_compare import compare_class
from .class_program import generate_class
from .compare import Comparison, Kind, Tally, compare, comparisons
from .fixes.campaign import counted, kept
from .fixes.compare import FixComparison, compare_fixes
from .fixes.go_running import compare_go_fixes
from .fixes.go_writer import generate_fixable_go
from .fixes.writer import generate_fixable
from .golang.compare import compare_go
from .golang.writer import generate_go, smaller
from .minimise import minimise
from .misuse import compare_misuse, generate_misuse
from .mutate import deletions
from .owner_compare import compare_owners
from .owner_program import generate_owners, smaller_owners
from .program import generate, generate_calls

Comparer = Callable[[str], Comparison]
Smaller = Callable[[str], Iterable[str]]
KINDS: dict[str, tuple[Callable[[int], str], Comparer, Smaller]] = {
    "functions": (generate, compare, deletions),
    "calls": (generate_calls, compare, deletions),
    "classes": (generate_class, compare_class, deletions),
    "misuse": (generate_misuse, compare_misuse, deletions),
    "owners": (generate_owners, compare_owners, smaller_owners),
    "go": (generate_go, compare_go, smaller),
}
"""One function each; functions that call each other; classes; numbers that are misused after their end; Go."""
FIX_KINDS: dict[str, tuple[Callable[[int], str], Callable[[str], FixComparison], Smaller, str]] = {
    "fixes": (generate_fixable, compare_fixes, deletions, ".py"),
    "go-fixes": (generate_fixable_go, compare_go_fixes, smaller, ".go"),
}
"""Modules before and after their safe fixes, with the suffix of their files."""


def main() -> int:
    """Compares and prints. The exit status tells whether there was a disagreement."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--kind", choices=[*KINDS, *FIX_KINDS], default="functions", help="what to generate")
    parser.add_argument("--count", type=int, default=5000, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first; the next one's is one more")
    parser.add_argument("--show", type=int, default=10, help="how many of each kind to make small and print")
    parser.add_argument("--jobs", "-j", type=int, default=1, help="how many processes compare fixes")
    parser.add_argument("--keep", type=Path, help="where to save the modules that a fix breaks, and smaller ones")
    options = parser.parse_args()
    return _compare_fixes(options) if options.kind in FIX_KINDS else _compare(options)


def _compare_fixes(options: argparse.Namespace) -> int:
    started = time.perf_counter()
    write, check, shrink, suffix = FIX_KINDS[options.kind]
    found = counted(options.count, options.seed, write, check, options.jobs)
    examples: dict[Kind, list[Comparison]] = defaultdict(list)
    for _, comparison in found.failing:
        for difference in comparison.differences:
            examples[difference.kind].append(comparison)
    for kind, failing in sorted(examples.items(), key=lambda item: len(item[1])):
        for source in _small(kind, failing, options.show, check, shrink):
            print(f"=== {kind[1]}")
            print("\n".join(_changes(check(source))), flush=True)
    if options.keep is not None:
        kept(found, options.keep, check, shrink, options.show, suffix)
    print("\n".join(found.lines()))
    print(f"{time.perf_counter() - started:.0f} s")
    return bool(examples)


def _compare(options: argparse.Namespace) -> int:
    started = time.perf_counter()
    tally, discarded = Tally(), Counter[str]()
    examples: dict[Kind, list[Comparison]] = defaultdict(list)
    write, check, shrink = KINDS[options.kind]
    for comparison in comparisons(options.count, options.seed, discarded, write, check):
        tally.add(comparison.verdicts.values())
        for difference in comparison.differences:
            examples[difference.kind].append(comparison)
    for kind, found in sorted(examples.items(), key=lambda item: len(item[1])):
        _show(kind, found, options.show, check, shrink)
    print("\n".join(tally.lines()))
    print(f"discarded: {dict(discarded)}; {time.perf_counter() - started:.0f} s")
    return bool(examples)


def _small(kind: Kind, found: list[Comparison], limit: int, check: Comparer, shrink: Smaller) -> Counter[str]:
    """Returns the smallest programs found for a kind of disagreement, each with how often it was found."""
    shortest = sorted(found, key=lambda comparison: len(comparison.source))[:limit]
    return Counter(minimise(comparison.source, kind, check, smaller=shrink) for comparison in shortest)


def _show(kind: Kind, found: list[Comparison], limit: int, check: Comparer, shrink: Smaller) -> None:
    for source, count in _small(kind, found, limit, check, shrink).most_common():
        print(f"=== expected {kind[0] or 'clean'}, reported {kind[1] or 'clean'} ({count})")
        print("\n".join(line for line in source.splitlines() if not line.startswith(("import", "from"))), flush=True)


def _changes(comparison: FixComparison) -> list[str]:
    """Returns the lines of the functions of a module, with those that the fixes have added and taken away."""
    before, after = (
        [line for line in one.splitlines() if line.strip()] for one in (comparison.source, comparison.after)
    )
    lines = list(difflib.unified_diff(before, after, n=1_000, lineterm=""))[3:]
    return [line for line in lines if not line.startswith((" import", " from"))]


if __name__ == "__main__":
    raise SystemExit(main())
