"""The engine agrees with the virtual descriptor table on random programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from .class_compare import compare_class
from .class_program import generate_class
from .compare import Comparison, Tally, compare, comparisons
from .golang.compare import compare_go
from .golang.writer import generate_go
from .misuse import compare_misuse, generate_misuse
from .owner_compare import compare_owners
from .owner_program import generate_owners
from .program import generate, generate_calls

SEED = 20_000


@pytest.mark.parametrize(
    ("write", "check", "count", "least"),
    [
        pytest.param(generate, compare, 30, 0.99, id="functions"),
        pytest.param(generate_calls, compare, 12, 0.98, id="calls"),
        pytest.param(generate_misuse, compare_misuse, 16, 0.97, id="misuse"),
        pytest.param(generate_class, compare_class, 8, 0.9, id="classes"),
        pytest.param(generate_owners, compare_owners, 16, 0.98, id="owners"),
        pytest.param(generate_go, compare_go, 80, 0.97, id="go"),
    ],
)
def test_engine_agrees_with_the_table(
    write: Callable[[int], str], check: Callable[[str], Comparison], count: int, least: float
) -> None:
    """A bug in the engine lowers the figure; ``python -m tests.differential`` then shows the programs."""
    tally = Tally()
    differing: list[str] = []
    for comparison in comparisons(count, SEED, Counter(), write, check):
        tally.add(comparison.verdicts.values())
        differing += [f"{difference}\n{comparison.source}" for difference in comparison.differences]
    summary = "\n".join([*tally.lines(), *differing[:5]])
    assert tally.recall(exact=True) >= least, summary
    assert tally.precision(exact=True) >= least, summary
