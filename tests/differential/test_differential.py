"""The engine agrees with the virtual descriptor table on random functions."""

from __future__ import annotations

from collections import Counter

from .compare import Tally, comparisons

COUNT = 400
SEED = 20_000


def test_engine_agrees_with_the_table() -> None:
    """A bug in the engine shows as a lower figure; ``python -m tests.differential`` then shows the functions."""
    tally = Tally()
    differing: list[str] = []
    for comparison in comparisons(COUNT, SEED, Counter()):
        tally.add(comparison.verdicts.values())
        differing += [f"{difference}\n{comparison.source}" for difference in comparison.differences]
    summary = "\n".join([*tally.lines(), *differing[:5]])
    assert tally.recall(exact=True) >= 0.995, summary
    assert tally.precision(exact=True) >= 0.995, summary
