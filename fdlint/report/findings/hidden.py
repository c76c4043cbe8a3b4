"""Counts the findings that the levels hide, and names the options that show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fdlint.report.findings.persona import Hiding

VALUES = ("regular", "pedantic", "auditor", "error", "warning", "none", "leaks", "high", "medium", "low", "all")
"""The values of the options; of two values of one option, the later one shows more."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What keeps one finding from the reader. ``options``: the options of the command line, with their values, that
    show it."""

    hiding: Hiding
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hidden:
    """The numbers of hidden findings by the reason, and the options that show all of them."""

    counts: Mapping[Hiding, int] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """How many findings are hidden."""
        return sum(self.counts.values())


NOTHING_HIDDEN = Hidden()


def hidden_by(screens: Iterable[Screen]) -> Hidden:
    """Counts what screens hide, each of which hides one finding."""
    return all_hidden(Hidden({one.hiding: 1}, one.options) for one in screens)


def all_hidden(several: Iterable[Hidden]) -> Hidden:
    """Adds up the numbers. The options show all of the findings together."""
    counts: Counter[Hiding] = Counter()
    options: dict[str, str] = {}
    for one in several:
        counts.update(one.counts)
        for name, value in one.options.items():
            options[name] = max(options.get(name, value), value, key=VALUES.index)
    return Hidden({hiding: counts[hiding] for hiding in Hiding if counts[hiding]}, options)
