"""Compares the engine with the oracle on a function, call by call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from .decisions import TooManyPaths
from .execute import InvalidProgram
from .oracle import LEAK_CODES, expected
from .program import generate
from .shape import Place

Kind = tuple[str | None, str | None]
"""Expected code, reported code."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One acquisition with different codes."""

    place: Place
    kind: Kind


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of one function. ``verdicts``: place -> expected and reported code."""

    source: str
    verdicts: dict[Place, Kind]

    @property
    def differences(self) -> list[Difference]:
        """Returns the acquisitions with different codes."""
        return [Difference(where, kind) for where, kind in self.verdicts.items() if kind[0] != kind[1]]


def reported(source: str) -> dict[Place, str]:
    """Returns the leak code that the engine reports at each place. Several codes, which is an error, are joined by
    ``+``.

    The report for a skipped function is at place (0, 0).
    """
    from fdlint.scan.claims import accept
    from fdlint.scan.scan import scan_bytes

    report = accept(scan_bytes(source.encode(), "generated.py"))
    if report.skipped:
        return {(0, 0): f"skipped: {report.skipped[0].reason}"}
    found: dict[Place, list[str]] = {}
    for finding in report.findings:
        if finding.code in LEAK_CODES:
            found.setdefault((finding.span.line, finding.span.column), []).append(finding.code)
    return {where: "+".join(sorted(codes)) for where, codes in found.items()}


def compare(source: str) -> Comparison:
    """Compares oracle and engine on one program. Raises ``InvalidProgram`` or ``TooManyPaths`` if that is impossible.

    Skips calls that no run makes: the engine may follow code that a constant rules out.
    """
    due = expected(source)
    said = reported(source)
    places = [where for where in sorted(due.keys() | said.keys()) if where in due or not where[0]]
    return Comparison(source, {where: (due.get(where), said.get(where)) for where in places})


def comparisons(
    count: int,
    seed: int,
    discarded: Counter[str],
    generate: Callable[[int], str] = generate,
    compare: Callable[[str], Comparison] = compare,
) -> Iterator[Comparison]:
    """Yields the comparisons of ``count`` programs. Counts and replaces programs that cannot be compared."""
    made = 0
    while made < count:
        source = generate(seed)
        seed += 1
        try:
            comparison = compare(source)
        except (InvalidProgram, TooManyPaths) as error:
            discarded[type(error).__name__] += 1
            continue
        made += 1
        yield comparison


@dataclass(slots=True)
class Tally:
    """The agreement over many functions."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    programs: int = 0

    def add(self, verdicts: Iterable[Kind]) -> None:
        """Counts the calls of one function."""
        self.programs += 1
        self.kinds.update(verdicts)

    def recall(self, *, exact: bool = False) -> float:
        """Returns the share of the calls with a due code that got one (with ``exact``, the right one)."""
        due = {kind: count for kind, count in self.kinds.items() if kind[0]}
        return _ratio(self._agreed(exact), sum(due.values()))

    def precision(self, *, exact: bool = False) -> float:
        """Returns the share of the calls with a reported code that are due one (with ``exact``, the right one)."""
        said = {kind: count for kind, count in self.kinds.items() if kind[1]}
        return _ratio(self._agreed(exact), sum(said.values()))

    def _agreed(self, exact: bool) -> int:
        return sum(
            count for kind, count in self.kinds.items() if kind[0] and (kind[0] == kind[1] or (kind[1] and not exact))
        )

    def lines(self) -> Iterator[str]:
        """Yields the tally in words."""
        yield f"{self.programs} programs, {sum(self.kinds.values())} places"
        yield f"flagged:    recall {self.recall():.4%}, precision {self.precision():.4%}"
        yield f"exact code: recall {self.recall(exact=True):.4%}, precision {self.precision(exact=True):.4%}"
        for code in (None, *sorted({code for kind in self.kinds for code in kind if code})):
            due = sum(count for kind, count in self.kinds.items() if kind[0] == code)
            said = sum(count for kind, count in self.kinds.items() if kind[1] == code)
            yield f"  {code or 'clean':6.20} expected {due:6}, reported {said:6}, both {self.kinds[(code, code)]:6}"
        for kind, count in self.kinds.most_common():
            if kind[0] != kind[1]:
                yield f"  {count:5} x expected {kind[0] or 'clean'}, reported {kind[1] or 'clean'}"


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
