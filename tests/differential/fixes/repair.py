"""Applies the safe fixes to the text of a module, in this process."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.proof import Prover
from fdlint.fixes.repairing import Repair

from ..execute import InvalidProgram

_DIRECTORY = tempfile.TemporaryDirectory(prefix="fdlint-fixes-")  # stays empty
_PROVERS: dict[str, Prover] = {}


class _SafeRepair(Repair):
    """Spends no time on the proof of changes that would not be safe."""

    def _candidates(self, text: str, finding: Finding) -> list[Candidate]:
        return [one for one in super()._candidates(text, finding) if one.sound]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after its safe fixes, and the findings that they ended."""

    text: str
    findings: Sequence[Finding]


def fixed(source: str, name: str) -> Fixed:
    """Applies the safe fixes for findings of every confidence. ``name``: of the file. Raises ``InvalidProgram`` if
    fdlint skips the text."""
    prover = _PROVERS.setdefault(name, Prover(Path(_DIRECTORY.name, name), "utf-8"))
    repair = _SafeRepair(prover)
    before = repair.look(source)
    if before.seen.report.skipped:
        raise InvalidProgram(f"skipped: {before.seen.report.skipped[0].reason}")
    repaired = repair.repaired(source, before.shown, unsafe=False)
    return Fixed(repaired.text, repaired.fixed)
