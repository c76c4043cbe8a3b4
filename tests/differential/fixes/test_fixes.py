"""Safe fixes change nothing but the defect, on random programs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .campaign import counted
from .compare import FixComparison, compare_fixes
from .go_running import compare_go_fixes
from .go_writer import generate_fixable_go
from .writer import generate_fixable

SEED = 1


@pytest.mark.parametrize(
    ("write", "check", "count"),
    [
        pytest.param(generate_fixable, compare_fixes, 24, id="python"),
        pytest.param(generate_fixable_go, compare_go_fixes, 40, id="go"),
    ],
)
def test_safe_fixes_change_nothing_else(
    write: Callable[[int], str], check: Callable[[str], FixComparison], count: int
) -> None:
    """``python -m tests.differential --kind fixes`` makes what fails small, and ``--kind go-fixes`` does for Go."""
    found = counted(count, SEED, write, check)
    assert found.changed > count // 20
    shown = [f"seed {seed}: {one.differences}\n{one.source}\n--- after\n{one.after}" for seed, one in found.failing]
    assert not found.failing, "\n".join([*found.lines(), *shown[:3]])
