"""``python -m tests.metamorphic --step 11 --start 3``: how many verdicts each rewrite keeps, and what differs.

``--wheels DIR`` rewrites the files with findings in the wheels of the gate. ``--proved 20`` runs so many generated
programs of each kind before and after each rewrite.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.metamorphic.agreement import Tally, measure, programs, real_programs
from tests.metamorphic.proved import proofs


def main() -> None:
    """Prints a line for each rewrite, the differences, a line for each rule, and the sum."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.metamorphic", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--step", type=int, default=1, help="use one golden case in so many")
    parser.add_argument("--start", type=int, default=0, help="the first one")
    parser.add_argument("--only", default="", help="rewrites whose names contain this text")
    parser.add_argument("--wheels", type=Path, metavar="DIR", help="use the files with findings in these packages")
    parser.add_argument("--proved", type=int, metavar="N", help="run N generated programs of each kind")
    chosen = parser.parse_args()
    if chosen.proved:
        _prove(chosen.proved)
        return
    part = (chosen.step, chosen.start)
    given = programs(*part) if chosen.wheels is None else real_programs(chosen.wheels, *part)
    tallies = measure(given, chosen.only)
    for name, one in tallies.items():
        print(f"{name:34} {one.found_kept:4}/{one.found:4} found, {one.silent_kept:4}/{one.silent:4} silent")
        for difference in one.differences:
            print(f"    {difference}")
    rules: Counter[str] = sum((one.rules for one in tallies.values()), Counter())
    kept: Counter[str] = sum((one.rules_kept for one in tallies.values()), Counter())
    for code in sorted(rules):
        print(f"{code}: {kept[code]}/{rules[code]}")
    print(in_all(tallies.values()))


def _prove(count: int) -> None:
    found = proofs(range(1, count + 1))
    for name, one in found.items():
        print(f"{name:34} {one.same:4} the same, {len(one.differences):4} not, {one.not_run:4} not run")
        for difference in one.differences:
            print(f"    {difference}")
    print(f"proved: {sum(one.same > 0 and not one.differences for one in found.values())} of {len(found)}")


def in_all(tallies: Iterable[Tally]) -> str:
    """Returns the sum in one line."""
    listed = list(tallies)
    kept, found = sum(one.found_kept for one in listed), sum(one.found for one in listed)
    silent_kept, silent = sum(one.silent_kept for one in listed), sum(one.silent for one in listed)
    spoken = f"{kept}/{found} = {kept / max(found, 1):.1%} with findings"
    return f"kept: {spoken}, {silent_kept}/{silent} = {silent_kept / max(silent, 1):.2%} without"


if __name__ == "__main__":
    main()
