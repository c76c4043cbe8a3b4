"""``python -m tests.differential --count 5000 --seed 1``: recall, precision, and every disagreement made small."""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable

from .compare import Comparison, Kind, Tally, comparisons
from .minimise import minimise
from .program import generate, generate_calls

GENERATORS: dict[str, Callable[[int], str]] = {"functions": generate, "calls": generate_calls}
"""One function each; functions that call each other."""


def main() -> int:
    """Compare, print, and say by the exit status whether there was a disagreement."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--kind", choices=GENERATORS, default="functions", help="what to generate")
    parser.add_argument("--count", type=int, default=5000, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first; the next one's is one more")
    parser.add_argument("--show", type=int, default=10, help="how many of each kind to make small and print")
    options = parser.parse_args()
    started = time.perf_counter()
    tally, discarded = Tally(), Counter[str]()
    examples: dict[Kind, list[Comparison]] = defaultdict(list)
    for comparison in comparisons(options.count, options.seed, discarded, GENERATORS[options.kind]):
        tally.add(comparison.verdicts.values())
        for difference in comparison.differences:
            examples[difference.kind].append(comparison)
    for kind, found in sorted(examples.items(), key=lambda item: len(item[1])):
        _show(kind, found, options.show)
    print("\n".join(tally.lines()))
    print(f"discarded: {dict(discarded)}; {time.perf_counter() - started:.0f} s")
    return bool(examples)


def _show(kind: Kind, found: list[Comparison], limit: int) -> None:
    small = Counter(minimise(comparison.source, kind) for comparison in sorted(found, key=lambda one: len(one.source))[:limit])
    for source, count in small.most_common():
        print(f"=== expected {kind[0] or 'clean'}, reported {kind[1] or 'clean'} ({count})")
        print("\n".join(line for line in source.splitlines() if not line.startswith(("import", "from"))), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
