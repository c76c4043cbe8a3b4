"""A short run of the fuzzer: every input is scanned without an error, in bounded work, time and memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from .agree import disagreements
from .families import member, names
from .kinds import KINDS, REAL, inputs, own_files
from .minimise import minimised
from .oracle import Input, Limits, Measured, Oracle, fault

SEED = 1_000
COUNTS = {"hypothesmith": 1, "grammar": 15, "families": 0, "tokens": 60, "mutated": 15, REAL: 10}
_SLOW = Limits(seconds=60)  # for the sake of slow machines
_SIZE = 2


@pytest.mark.parametrize("kind", [kind for kind in KINDS if COUNTS[kind]])
def test_every_input_is_scanned(kind: str) -> None:
    with Oracle(_SLOW) as oracle:
        failures = [one for one in oracle.outcomes(inputs(kind, COUNTS[kind], SEED, own_files())) if one.failure]
    assert [(one.given.name, one.failure) for one in failures] == []


def test_every_family_is_scanned() -> None:
    given = [Input(name, member(name, _SIZE)) for name in names()]
    with Oracle(_SLOW) as oracle:
        failures = [one for one in oracle.outcomes(given) if one.failure]
    assert [(one.given.name, one.failure) for one in failures] == []


def test_inputs_are_the_same_for_the_same_seed() -> None:
    files = own_files()[:20]
    for kind in ("grammar", "families", "tokens", "mutated"):
        assert list(inputs(kind, 3, 7, files)) == list(inputs(kind, 3, 7, files))
        assert list(inputs(kind, 3, 7, files))[1:] == list(inputs(kind, 2, 8, files))


def test_the_report_is_the_same_with_and_without_processes(tmp_path: Path) -> None:
    given = [one for kind in ("grammar", "tokens", "mutated") for one in inputs(kind, 5, SEED, own_files())]
    assert disagreements(given, tmp_path) == []


@pytest.mark.parametrize(
    ("measured", "kind"),
    [
        (Measured(1, 100, 50, 10, 100), None),
        (Measured(60, 100, 50, 10, 100), "slow"),
        (Measured(1, 600, 50, 10, 100), "memory"),
        (Measured(1, 100, 50, 900_000, 100), "overspent"),
        (Measured(1, 100, 50, 10, 100, skipped=("internal error, please report it: x",)), "internal"),
        (Measured(1, 100, 50, 10, 100, raised="Traceback"), "raised"),
    ],
)
def test_what_is_a_failure(measured: Measured, kind: str | None) -> None:
    found = fault(Input("x", b""), measured, Limits())
    assert (found and found.partition(":")[0]) == kind


def test_a_process_that_does_not_answer_is_ended() -> None:
    with Oracle(Limits(seconds=0.01)) as oracle:
        late = oracle.outcome(Input("late", member("all_call_all", 40)))
        assert late.failure is not None and late.failure.startswith("endless")
        oracle.limits = Limits()
        assert oracle.outcome(Input("next", b"import os\nos.open('a', 0)\n")).failure is None


def test_what_fails_is_made_small() -> None:
    data = b"".join(b"%d\n" % number for number in range(100))
    assert minimised(data, lambda less: b"17\n" in less and b"\n80\n" in less) in (b"17\n80\n",)
