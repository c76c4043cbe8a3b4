"""The result of a run of the fuzzer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from .oracle import Measured, Outcome

_SHOWN = 5


@dataclass(slots=True)
class Tally:
    """Counts of inputs and failures (by kind), and the most expensive inputs. ``compared``: scanned in three ways."""

    inputs: int = 0
    size: int = 0
    compared: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    findings: int = 0
    measured: list[tuple[str, Measured]] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Adds an outcome."""
        self.inputs += 1
        self.size += len(outcome.given.data)
        if outcome.failure is not None:
            self.failures[outcome.failure.partition(":")[0]] += 1
        if outcome.measured is not None:
            self.findings += outcome.measured.findings
            self.skipped.update({_kind(reason) for reason in outcome.measured.skipped})
            self.measured.append((outcome.given.name, outcome.measured))

    def lines(self) -> list[str]:
        """Returns the lines to print."""
        slowest = sorted(self.measured, key=lambda one: -one[1].seconds)[:_SHOWN]
        largest = sorted(self.measured, key=lambda one: -one[1].megabytes)[:_SHOWN]
        return [
            f"{self.inputs:,} inputs, {self.size:,} bytes, {self.findings:,} findings",
            f"scanned in three ways: {self.compared:,}",
            f"failures: {dict(self.failures) or 'none'}",
            f"skipped: {dict(self.skipped.most_common())}",
            "slowest: " + ", ".join(f"{name} {one.seconds:.1f} s" for name, one in slowest),
            "most memory: " + ", ".join(f"{name} {one.megabytes} MB" for name, one in largest),
            f"most work: {max((one.spent for _, one in self.measured), default=0):,} steps",
        ]


def _kind(reason: str) -> str:
    """Returns a reason without the names in it."""
    words = ("invalid syntax", "cannot be decoded", "too much work", "too many", "nested too deeply", "null bytes")
    return next((word for word in words if word in reason), reason[:40])
