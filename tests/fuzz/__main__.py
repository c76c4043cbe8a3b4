"""Scans hostile and random inputs. Each scan must end without an error, within its budget of work, in short time and
little memory. A sample must have the same report with any number of processes, in any order.

``python -m tests.fuzz --kind mutated --kind families --count 1000 --seed 1 --keep failures``
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from .agree import disagreements
from .kinds import KINDS, REAL, files_in, inputs, own_files
from .minimise import minimised
from .oracle import Input, Limits, Oracle, Outcome
from .tally import Tally


def main() -> int:
    """Fuzzes and prints. The exit status tells whether something failed."""
    options = _options()
    limits = Limits(options.seconds, options.megabytes)
    files = files_in(options.files) or own_files()
    failed = False
    for kind in options.kind or [one for one in KINDS if one != REAL]:
        started = time.perf_counter()
        tally = _fuzz(kind, options, files, limits)
        print(f"== {kind}: {time.perf_counter() - started:.0f} s\n" + "\n".join(tally.lines()), flush=True)
        failed = failed or bool(tally.failures)
    return failed


def _options() -> argparse.Namespace:
    usual = Limits()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--kind", choices=KINDS, action="append", help="what to scan; can be repeated (all but real)")
    parser.add_argument("--count", type=int, default=1000, help="how many inputs of each kind")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first; the next one's is one more")
    parser.add_argument("--files", type=Path, action="append", default=[], metavar="DIR", help="where real files are")
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="processor time of an input of 100 kB")
    parser.add_argument("--megabytes", type=int, default=usual.megabytes, help="memory of its process")
    parser.add_argument("--sample", type=int, default=20, help="one group in so many is scanned in three ways; 0: none")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to put what fails, and the same made smaller")
    return parser.parse_args()


def _fuzz(kind: str, options: argparse.Namespace, files: Sequence[Path], limits: Limits) -> Tally:
    tally, waiting = Tally(), inputs(kind, options.count, options.seed, files)
    with Oracle(limits) as oracle:
        number = 0
        while group := list(islice(waiting, _GROUP)):
            outcomes = list(oracle.outcomes(group))
            for outcome in outcomes:
                tally.add(outcome)
                if outcome.failure is not None:
                    _report(outcome, oracle, options.keep)
            if options.sample and number % options.sample == 0:
                _compare([one.given for one in outcomes if one.failure is None], tally, options.keep)
            number += 1
    return tally


_GROUP = 25


def _report(outcome: Outcome, oracle: Oracle, keep: Path | None) -> None:
    print(f"{outcome.given.name}: {outcome.failure}", flush=True)
    if keep is not None:
        kind = (outcome.failure or "").partition(":")[0]

        def fails(data: bytes) -> bool:
            again = oracle.outcome(Input(outcome.given.name, data)).failure
            return again is not None and again.partition(":")[0] == kind

        _save(keep, outcome.given, kind)
        _save(keep, Input(outcome.given.name, minimised(outcome.given.data, fails)), f"{kind}.small")


def _compare(group: Sequence[Input], tally: Tally, keep: Path | None) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for failure in disagreements(group, Path(scratch)):
            print(f"{group[0].name} and {len(group) - 1} after it: {failure}", flush=True)
            tally.failures["differs"] += 1
            for one in group if keep is not None else ():
                _save(keep, one, "differs")
    tally.compared += len(group)


def _save(keep: Path | None, given: Input, kind: str) -> None:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{given.name.replace('/', '_')[-80:]}.{kind}.py").write_bytes(given.data)


if __name__ == "__main__":
    raise SystemExit(main())
