"""Repairs the files of a report, or finds out what could be repaired. Writes nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

from fdlint.core.finding import Finding, Unused
from fdlint.fixes.alignment import aligned
from fdlint.fixes.proof import Prover
from fdlint.fixes.registry import fixes_of
from fdlint.fixes.repairing import Repair
from fdlint.languages.registry import language_of
from fdlint.languages.text import text_of
from fdlint.report.findings.finding import Report, by_file, digest_of
from fdlint.report.findings.fix import Fix
from fdlint.scan import rewrite
from fdlint.scan.config import Config
from fdlint.scan.files.guard import reason
from fdlint.scan.live import Live
from fdlint.scan.reading import intake
from fdlint.scan.reading.lines import with_ends
from fdlint.scan.rewrite import NotFixedError, Rewritten

_MOST = 1_000  # findings of one file


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file after its repair. ``new``: its lines. ``fixed``: the findings that are gone. ``offered``: how many others
    have a fix that is not safe."""

    new: Rewritten
    fixed: tuple[Finding, ...]
    offered: int = 0


@dataclass(slots=True)
class Fixer:
    """The repair of the files of one scan. ``config_of``: the configuration of a path. ``roots``: as for
    ``rewritten``. ``unsafe``: whether to apply fixes that are not safe."""

    config_of: Callable[[str], Config]
    roots: Sequence[str]
    unsafe: bool = False
    _live: Live = field(default_factory=Live)

    def fixed_file(
        self, path: str, unused: Sequence[Unused], findings: Sequence[Finding], digest: str | None
    ) -> FixedFile:
        """Returns a file without its unused comments and without the findings that can be repaired. ``digest``: that of
        the scanned contents. Raises ``NotFixedError``."""
        if unused:
            file = rewrite.rewritten(path, unused, digest, self.roots)
        else:
            file = rewrite.unchanged(path, digest, self.roots)
        wanted = _fixable(path, findings)[:_MOST]
        if not wanted:
            return FixedFile(file, ())
        text = "".join(file.after)
        moved = dict(zip(_moved(wanted, file.after), wanted, strict=True))
        try:
            repair = Repair(Prover(file.place, file.encoding, self.config_of(path), self._live))
            repaired = repair.repaired(text, list(moved), unsafe=self.unsafe)
        except Exception as error:  # a defect of one fix must not end the scan
            raise NotFixedError(f"cannot be repaired: {reason(error)}") from None
        after = aligned(file.before, with_ends(repaired.text)) if repaired.fixed else file.after
        return FixedFile(replace(file, after=after), tuple(moved[one] for one in repaired.fixed), repaired.offered)

    def fixes(self, path: str, findings: Sequence[Finding], digest: str | None) -> dict[Finding, Fix]:
        """Returns the fixes of a file's findings. A file that cannot be read, or has changed since the scan, has
        none."""
        try:
            data = intake.read(Path(path), intake.SOURCE)
        except OSError:
            return {}
        if digest_of(data) != digest:
            return {}
        return fixes_of_text(data, Path(path), self.config_of(path), self._live, findings)


def fixes_of_text(
    data: bytes, path: Path, config: Config, live: Live, findings: Sequence[Finding]
) -> dict[Finding, Fix]:
    """Returns the fixes of findings in a text that stands in the place of a file."""
    wanted = _fixable(path, findings)[:_MOST]
    try:
        lines, encoding = text_of(language_of(path.name)).lines(data)
        return Repair(Prover(path, encoding, config, live)).fixes("".join(lines), wanted) if wanted else {}
    except Exception:  # a defect of one fix must not end the scan
        return {}


def repaired_text(data: bytes, path: Path, config: Config, live: Live, findings: Sequence[Finding]) -> list[str]:
    """Returns the new form of each line of a text that stands in the place of a file, after all safe fixes."""
    lines, encoding = text_of(language_of(path.name)).lines(data)
    wanted = _fixable(path, findings)[:_MOST]
    done = Repair(Prover(path, encoding, config, live)).repaired("".join(lines), wanted, unsafe=False)
    return aligned(lines, with_ends(done.text))


def _fixable(path: str | Path, findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings of a file that may have a fix."""
    codes = fixes_of(language_of(str(path))).codes
    return [one for one in findings if one.code in codes]


def _moved(findings: Iterable[Finding], lines: Sequence[str]) -> Iterator[Finding]:
    """Yields findings where they are after some lines were deleted. ``lines``: the new form of each line."""
    gone = list(accumulate((not line for line in lines), initial=0))
    for one in findings:
        span = one.span
        by = gone[min(span.line, len(gone)) - 1]
        yield replace(one, span=replace(span, line=span.line - by, end_line=span.end_line - by))


def with_fixes(report: Report, config_of: Callable[[str], Config]) -> Report:
    """Returns the report with the fix of each finding that has one."""
    fixer = Fixer(config_of, ())
    found: dict[Finding, Fix] = {}
    for path, findings in by_file(report.findings).items():
        if _fixable(path, findings):
            found.update(fixer.fixes(path, findings, report.digests.get(path)))
    return replace(report, fixes=found)
