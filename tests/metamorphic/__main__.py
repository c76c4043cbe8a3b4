"""``python -m tests.metamorphic --step 11 --start 3``: how many verdicts each rewrite keeps, and what differs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from tests.metamorphic.agreement import Tally, measure


def main() -> None:
    """Prints a line for each rewrite, the differences, and the sum."""
    parser = argparse.ArgumentParser(prog="python -m tests.metamorphic", description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="use one golden case in so many")
    parser.add_argument("--start", type=int, default=0, help="the first one")
    parser.add_argument("--only", default="", help="rewrites whose names contain this text")
    chosen = parser.parse_args()
    tallies = measure(chosen.step, chosen.start, chosen.only)
    for name, one in tallies.items():
        print(f"{name:34} {one.found_kept:4}/{one.found:4} found, {one.silent_kept:4}/{one.silent:4} silent")
        for difference in one.differences:
            print(f"    {difference}")
    print(in_all(tallies.values()))


def in_all(tallies: Iterable[Tally]) -> str:
    """Returns the sum in one line."""
    sums = [(one.found_kept, one.found, one.silent_kept, one.silent) for one in tallies]
    kept, found, silent_kept, silent = (sum(column) for column in zip(*sums, strict=True))
    spoken = f"{kept}/{found} = {kept / max(found, 1):.1%} with findings"
    return f"kept: {spoken}, {silent_kept}/{silent} = {silent_kept / max(silent, 1):.2%} without"


if __name__ == "__main__":
    main()
