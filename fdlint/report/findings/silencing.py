"""Counts the findings that a scanned tree itself silences, by its configuration, its files and its comments.

Options on the command line do not count, and neither does a configuration that the command line names.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fdlint.languages.registry import LANGUAGES


class Means(enum.Enum):
    """The ways in which a tree can silence findings."""

    COMMENTS = "comments"
    RULES = "select and ignore"
    PER_FILE = "per-file-ignores"
    BASELINE = "baseline"
    EXCLUDE = "exclude"
    INCLUDE = "include"
    UNCHECKED_TESTS = " or ".join(one.scans_tests for one in LANGUAGES if one.scans_tests)
    CONFIDENCE = "min-confidence"
    IMPACT = "min-impact"
    SEVERITY = "min-severity"
    TESTS = "tests"
    GITIGNORE = ".gitignore"
    ENVIRONMENT = "pyvenv.cfg"


COMMAND_LINE = "the command line"
"""The name of the command line as the reason of a withheld finding."""
DEFAULTS = "the defaults"
"""The name of the defaults for what is shown as such a reason."""


@dataclass(frozen=True, slots=True)
class Silencing:
    """The numbers of ``findings`` and ``paths`` left out by each means; a directory counts as one path.

    ``lowered``: findings that are warnings only because of the configuration. ``rules``: codes that are off.
    ``models``: names of fdlint's catalog that the configuration redefines, and its setting for unknown calls.
    ``configurations``: the files in force.
    """

    findings: Mapping[Means, int] = field(default_factory=dict)
    paths: Mapping[Means, int] = field(default_factory=dict)
    lowered: int = 0
    rules: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.findings or self.paths or self.lowered or self.rules or self.models)


NOTHING = Silencing()


def together(several: Iterable[Silencing]) -> Silencing:
    """Adds up the numbers, and keeps each name once."""
    found = tuple(several)
    return Silencing(
        _sum(one.findings for one in found),
        _sum(one.paths for one in found),
        sum(one.lowered for one in found),
        _each(one.rules for one in found),
        _each(one.models for one in found),
        _each(one.configurations for one in found),
    )


def counted(means: Iterable[Means | None]) -> dict[Means, int]:
    """Counts how often each means occurs, in a stable order. Leaves out None."""
    numbers = Counter(means)
    return {one: numbers[one] for one in Means if numbers[one]}


def _sum(counts: Iterable[Mapping[Means, int]]) -> dict[Means, int]:
    total: Counter[Means] = Counter()
    for one in counts:
        total.update(one)
    return {means: total[means] for means in Means if total[means]}


def _each(names: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({name for listed in names for name in listed}))
