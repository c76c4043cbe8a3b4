"""The work of a file: what is paid, when, and that the files before it make no difference."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from file_results import file_results

from fdlint.catalog import default_catalog
from fdlint.core.budget import Budget, BudgetSpentError, file_work, spent
from fdlint.core.engine.context import AnalysisContext
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.scan import analysis
from fdlint.scan.files.discover import discover
from fdlint.scan.options import Options
from fdlint.scan.scan import scan


def test_work_is_taken_up_to_the_limit() -> None:
    budget = Budget(limit=10)
    budget.spend(10)
    with pytest.raises(BudgetSpentError):
        budget.spend(1)
    assert "the limit is 10 steps" in spent(budget)


def test_a_large_state_costs_more() -> None:
    small, large = Budget(), Budget()
    small.steps(1, 1)
    large.steps(1, 100)
    assert small.spent == 1 < large.spent
    small.visit(1)
    assert (small.spent, small.visits) == (4, 1)


def test_a_result_is_paid_once_a_file() -> None:
    budget = Budget()
    budget.begin()
    budget.spend(5)
    budget.end("f")
    budget.look_up("f")
    assert budget.spent == 5
    budget.renew()
    budget.look_up("f")
    budget.look_up("f")
    assert budget.spent == 5


def test_a_result_is_paid_with_what_it_needs() -> None:
    budget = Budget()
    budget.begin()
    budget.spend(2)
    budget.begin()
    budget.spend(3)
    budget.end("inner")
    budget.spend(1)
    budget.end("outer")
    assert budget.spent == 6
    for names in (["outer"], ["inner", "outer"], ["outer", "inner"]):
        budget.renew()
        for name in names:
            budget.look_up(name)
        assert budget.spent == 6


def test_what_was_looked_up_is_no_part_of_a_result_but_needed_by_it() -> None:
    budget = Budget()
    budget.begin()
    budget.spend(5)
    budget.end("shared")
    budget.renew()
    budget.begin()
    budget.look_up("shared")
    budget.spend(1)
    budget.end("user")
    budget.renew()
    budget.look_up("shared")
    assert budget.spent == 5
    budget.look_up("user")
    assert budget.spent == 6


def test_looking_up_can_take_what_is_left() -> None:
    budget = Budget(limit=6)
    budget.begin()
    budget.spend(5)
    budget.end("f")
    budget.renew(6)
    budget.spend(2)
    with pytest.raises(BudgetSpentError):
        budget.look_up("f")


def test_renewing_forgets_how_far_callees_were_to_be_followed() -> None:
    budget = Budget(stop_at=0)
    budget.visit(1)
    assert budget.exhausted
    budget.renew()
    assert not budget.exhausted


_SHARED = "import os\n\n\ndef opened(p):\n    if p:\n        return os.open(p, 0)\n    return os.open('x', 0)\n"
_USER = """\
import os
from shared import opened


def use(p):
    fd = opened(p)
    os.read(fd, 1)
    os.close(fd)
"""


@pytest.mark.parametrize("limit", [20, 40, 60, 80, 120, 200, 100_000])
def test_the_files_before_it_make_no_difference(limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "file_work", lambda _: limit)
    for name, text in {"shared": _SHARED, "one": _USER, "two": _USER}.items():
        (tmp_path / f"{name}.py").write_text(text)
    files = discover([tmp_path]).files
    reports = [scan(order, Options(jobs=1)) for order in (files, files[::-1])]
    assert reports[0].findings == reports[1].findings
    assert sorted(map(str, reports[0].skipped)) == sorted(map(str, reports[1].skipped))


def test_a_part_that_takes_too_much_leaves_the_rest_enough() -> None:
    budget = Budget()
    budget.renew(1_600)
    for last in (False, True):
        with pytest.raises(BudgetSpentError), budget.part(last=last):
            budget.spend(2_000)
        assert budget.limit == 1_600
        assert budget.spent == {False: 0, True: 1_500}[last]
    with budget.part():
        budget.spend(70)


def test_a_part_that_takes_too_much_pays_for_nothing() -> None:
    budget = Budget()
    budget.begin()
    budget.spend(5)
    budget.end("f")
    budget.renew(160)
    with pytest.raises(BudgetSpentError), budget.part():
        budget.look_up("f")
        budget.begin()
        budget.spend(20)
    assert budget.spent == 0
    budget.look_up("f")
    assert budget.spent == 5


def test_a_larger_file_may_take_more_work() -> None:
    limits = [file_work(size) for size in (0, 2_000, 20_000, 200_000, 2_000_000)]
    assert limits == sorted(limits)
    assert limits[1] < 350_000


def _greedy(methods: int, fields: int) -> str:
    """Returns a class of Go whose methods call each other in every state."""
    lines = ["type C struct { " + "".join(f"fd{i} int; " for i in range(fields)) + "}"]
    for number in range(methods):
        lines.append(f"func (c *C) m{number}(p string) {{")
        call = f"c.m{(number + 1) % methods}(p)"
        lines += [f"\tif c.fd{i} < 0 {{ c.fd{i}, _ = unix.Open(p, 0, 0) }} else {{ {call} }}" for i in range(fields)]
        lines.append("}")
    return "\n".join(lines) + "\n"


def test_functions_that_take_too_much_do_not_hide_the_others(tmp_path: Path) -> None:
    leak = "func leak(p string) {\n\tfd, _ := unix.Open(p, unix.O_CLOEXEC, 0)\n\tunix.Read(fd, nil)\n}\n"
    code = f'package a\nimport "golang.org/x/sys/unix"\n{_greedy(3, 5)}{leak}'
    (tmp_path / "a.go").write_text(code)
    started = time.process_time()
    (found,) = file_results(discover([tmp_path]).files).values()
    assert time.process_time() - started < 15
    assert [one.function for one in found.findings] == ["leak"]
    assert {one.left_out for one in found.skipped} == {"C.m0", "C.m1", "C.m2"}


def test_a_question_that_alone_takes_too_much_is_not_worked_out_again() -> None:
    program = Program(default_catalog())
    context = AnalysisContext(program, program.catalog, Relevance(program.catalog))
    tries: list[str] = []

    def answer(name: str, work: int) -> bool:
        def work_out() -> bool:
            tries.append(name)
            context.budget.spend(work)
            return True

        return context.once(name, False, work_out)

    for _ in range(4):
        with pytest.raises(BudgetSpentError), context.whole(10):
            answer("small", 5)
            answer("large", 20)
    for _ in range(2):
        with pytest.raises(BudgetSpentError), context.whole(10):
            context.budget.spend(5)
            answer("fits alone", 8)
    with context.whole(30):
        assert answer("large", 20)
    assert tries == ["small", "large", "large", "fits alone", "fits alone", "large"]
