"""The Go files of a scan: those that matter go to Semgrep in one call, and come back as results like all others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fdlint.config import Config
from fdlint.discover import FileToScan
from fdlint.finding import NOT_INSTALLED, FileResult, Skipped
from fdlint.go import results, semgrep
from fdlint.go.rulebook import sets
from fdlint.go.text import GoText, suppressions
from fdlint.go.words import is_generated, mentions_descriptors


@dataclass(frozen=True, slots=True)
class _Candidate:
    file: FileToScan
    data: bytes


def scan_go(files: Sequence[FileToScan], *, audit: bool, jobs: int) -> dict[str, FileResult]:
    """The result of each Go file, by the path that reports show. Raises nothing that is Semgrep's fault."""
    found: dict[str, FileResult] = {}
    candidates: list[_Candidate] = []
    for file in files:
        try:
            data = file.path.read_bytes()
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            found[file.shown] = FileResult(file.shown, skipped=(Skipped(file.shown, reason),))
            continue
        found[file.shown] = FileResult(file.shown, data.count(b"\n") + 1)
        if mentions_descriptors(data) and not _left_out(file, data):
            candidates.append(_Candidate(file, data))
    for result in _checked(candidates, audit, jobs) if candidates else ():
        found[result.path] = result
    return found


def _left_out(file: FileToScan, data: bytes) -> bool:
    """By the configuration; what lies in a directory that is not scanned has not even been found."""
    config: Config = file.config
    if not config.go_tests and file.path.name.endswith("_test.go"):
        return True
    return not config.go_generated and is_generated(data)


def _checked(candidates: Sequence[_Candidate], audit: bool, jobs: int) -> list[FileResult]:
    program = semgrep.executable()
    if program is None:
        return [_unchecked(candidate, NOT_INSTALLED) for candidate in candidates]
    named = {os.path.abspath(candidate.file.path): candidate for candidate in candidates}
    try:
        said = semgrep.run(program, sets(audit=audit), [Path(name) for name in named], jobs)
    except (semgrep.SemgrepError, FileNotFoundError) as error:
        return [_unchecked(candidate, f"not checked, as Semgrep failed: {error}") for candidate in candidates]
    matches, errors = results.by_path(said["results"]), results.by_path(said["errors"])
    general = results.skipped(errors[""], "") if errors.get("") and not matches else ()
    checked = []
    for name, candidate in named.items():
        text = GoText(candidate.file.shown, candidate.data)
        skipped = results.skipped(errors.get(name, ()), text.path)
        skipped += tuple(Skipped(text.path, one.reason) for one in general)
        found = tuple(results.findings(matches.get(name, ()), text))
        lines = text.lines if found else ()
        comments = suppressions(text) if found else ()
        checked.append(FileResult(text.path, len(text.lines), True, found, skipped, lines, suppressions=comments))
    return checked


def _unchecked(candidate: _Candidate, reason: str) -> FileResult:
    shown = candidate.file.shown
    return FileResult(shown, candidate.data.count(b"\n") + 1, skipped=(Skipped(shown, reason),))
