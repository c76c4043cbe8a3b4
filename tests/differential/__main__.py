"""``python -m tests.differential --kind calls --count 500 --seed 1``: recall, precision, and differences."""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from .class_compare import compare_class
from .class_program import generate_class
from .compare import Comparison, Kind, Tally, compare, comparisons
from .golang.compare import compare_go
from .golang.writer import generate_go, smaller
from .minimise import minimise
from .misuse import compare_misuse, generate_misuse
from .mutate import deletions
from .program import generate, generate_calls

Comparer = Callable[[str], Comparison]
Smaller = Callable[[str], Iterable[str]]
KINDS: dict[str, tuple[Callable[[int], str], Comparer, Smaller]] = {
    "functions": (generate, compare, deletions),
    "calls": (generate_calls, compare, deletions),
    "classes": (generate_class, compare_class, deletions),
    "misuse": (generate_misuse, compare_misuse, deletions),
    "go": (generate_go, compare_go, smaller),
}
"""One function each; functions that call each other; classes; numbers that are misused after their end; Go."""


def main() -> int:
    """Compares and prints. The exit status tells whether there was a disagreement."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--kind", choices=KINDS, default="functions", help="what to generate")
    parser.add_argument("--count", type=int, default=5000, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first; the next one's is one more")
    parser.add_argument("--show", type=int, default=10, help="how many of each kind to make small and print")
    options = parser.parse_args()
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


def _show(kind: Kind, found: list[Comparison], limit: int, check: Comparer, shrink: Smaller) -> None:
    shortest = sorted(found, key=lambda comparison: len(comparison.source))[:limit]
    small = Counter(minimise(comparison.source, kind, check, smaller=shrink) for comparison in shortest)
    for source, count in small.most_common():
        print(f"=== expected {kind[0] or 'clean'}, reported {kind[1] or 'clean'} ({count})")
        print("\n".join(line for line in source.splitlines() if not line.startswith(("import", "from"))), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
