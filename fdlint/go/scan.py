"""Scans Go files with rules: those that matter go to Semgrep in one call, and their results have the usual form."""

from __future__ import annotations

import functools
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from fdlint.config import Config
from fdlint.files.discover import GO_TEST, FileToScan
from fdlint.files.guard import guarded, troubled
from fdlint.findings.finding import NO_SEMGREP, FileResult, Skipped, digest_of
from fdlint.go import results, semgrep
from fdlint.go.rulebook import is_own
from fdlint.go.text import GoText, suppressions
from fdlint.go.words import is_generated, is_own_test, mentions_descriptors
from fdlint.reading import intake

_ODD = re.compile(r"[^A-Za-z0-9_.-]")


class Remembers(Protocol):
    """The results of earlier scans."""

    def question(self, *parts: object) -> str:
        """Returns a short key for a question."""

    def result(self, file: FileToScan, question: str) -> FileResult | None:
        """Returns the stored result for a file in its present form, or None."""

    def keep(self, file: FileToScan, question: str, result: FileResult) -> None:
        """Stores a result."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    file: FileToScan
    data: bytes


def scan_go(
    files: Sequence[FileToScan], *, rules: Sequence[Path], jobs: int, cache: Remembers | None = None
) -> dict[str, FileResult]:
    """Returns the result of each Go file, by the path that reports show. Errors of Semgrep become skipped files.
    ``rules``: files and directories."""
    found: dict[str, FileResult] = {}
    candidates: list[_Candidate] = []
    questions = _questions(files, rules, cache) if cache is not None else {}
    cache = cache if questions else None
    foreign = not all(map(is_own, rules))  # whose words are unknown
    for file in files:
        try:
            known = cache.result(file, questions[_asked(file)]) if cache is not None else None
            if known is not None:
                found[file.shown] = known
                continue
            data = intake.read(file.path, intake.SOURCE)
            found[file.shown] = FileResult(file.shown, data.count(b"\n") + 1, digest=digest_of(data))
            if (foreign or mentions_descriptors(data)) and not left_out(file, data):
                candidates.append(_Candidate(file, data))
            elif cache is not None:
                cache.keep(file, questions[_asked(file)], found[file.shown])
        except OSError as error:
            found[file.shown] = FileResult(file.shown, skipped=(Skipped(file.shown, intake.why(error)),))
        except Exception as error:
            found[file.shown] = troubled(FileResult(file.shown), error)
    by_path = {candidate.file.shown: candidate for candidate in candidates}
    for result in _checked(candidates, rules, jobs) if candidates else ():
        candidate = by_path[result.path]
        found[result.path] = whole = replace(result, digest=digest_of(candidate.data))
        if cache is not None and not result.skipped:
            found[result.path] = kept(cache, candidate.file, questions[_asked(candidate.file)], whole)
    return found


def kept(cache: Remembers, file: FileToScan, question: str, result: FileResult) -> FileResult:
    """Stores the result of a file and returns it; with the reason if that fails."""
    try:
        cache.keep(file, question, result)
    except Exception as error:  # a defect of fdlint must not end the whole scan
        return troubled(result, error)
    return result


def _asked(file: FileToScan) -> tuple[bool, bool]:
    """Returns the settings that decide which files count."""
    return file.config.go_tests, file.config.go_generated


def _questions(files: Sequence[FileToScan], rules: Sequence[Path], cache: Remembers) -> dict[tuple[bool, bool], str]:
    """Returns the keys of the questions to Semgrep: they depend on the rules and on Semgrep's version. Empty if Semgrep
    is missing."""
    program = semgrep.executable()
    try:
        texts = [path.read_bytes() for one in rules for path in _files_of(one)]
        status = os.stat(program) if program is not None else None
    except OSError:  # the run itself reports what is missing
        return {}
    version = (program, status.st_size, status.st_mtime_ns) if status is not None else None
    return {
        asked: cache.question("go", version, digest_of(b"\0".join(texts)), asked)
        for asked in {_asked(file) for file in files}
    }


def _files_of(rules: Path) -> list[Path]:
    return sorted(one for one in rules.rglob("*.y*ml") if one.is_file()) if rules.is_dir() else [rules]


def left_out(file: FileToScan, data: bytes) -> bool:
    """Whether the configuration leaves a file out, or it is a test of fdlint's own rules. Files in directories that are
    not scanned were not even found."""
    config: Config = file.config
    if not config.go_tests and file.path.name.endswith(GO_TEST):
        return True
    return (not config.go_generated and is_generated(data)) or is_own_test(data)


def _checked(candidates: Sequence[_Candidate], rules: Sequence[Path], jobs: int) -> list[FileResult]:
    program = semgrep.executable()
    if program is None:
        return [_unchecked(candidate, NO_SEMGREP) for candidate in candidates]
    try:
        with tempfile.TemporaryDirectory(prefix="fdlint-") as scratch:
            named = {_copy(candidate, scratch, number): candidate for number, candidate in enumerate(candidates)}
            said = semgrep.run(program, rules, [Path(name) for name in named], jobs)
    except (semgrep.SemgrepError, OSError) as error:
        return [_unchecked(candidate, f"not checked, as Semgrep failed: {error}") for candidate in candidates]
    matches, errors = results.by_path(said["results"]), results.by_path(said["errors"])
    general = results.skipped(errors[""], "") if errors.get("") and not matches else ()
    checked = []
    for name, candidate in named.items():
        shown = candidate.file.shown
        skipped = results.skipped(errors.get(name, ()), shown)
        skipped += tuple(Skipped(shown, one.reason) for one in general)
        one = functools.partial(_result, candidate, matches.get(name, ()), skipped)
        checked.append(guarded(FileResult(shown, skipped=skipped), one))
    return checked


def _copy(candidate: _Candidate, scratch: str, number: int) -> str:
    """Copies a file for Semgrep. Other files beside the original (version control, a list of files to ignore) could
    change its behaviour, and the contents could change meanwhile. Rules recognise files by the ends of their names."""
    path = Path(os.path.realpath(scratch), str(number), _ODD.sub("_", candidate.file.path.name))
    path.parent.mkdir()
    path.write_bytes(candidate.data)
    return str(path)


def _result(candidate: _Candidate, matches: Iterable[Mapping[str, Any]], skipped: tuple[Skipped, ...]) -> FileResult:
    text = GoText(candidate.file.shown, candidate.data)
    matches = list(matches)
    skipped += tuple(
        Skipped(text.path, f"Semgrep: rule {one} has no code of fdlint") for one in results.unknown(matches)
    )
    found = tuple(results.findings(filter(results.is_known, matches), text))
    lines = text.lines if found else ()
    comments = suppressions(text) if found else ()
    return FileResult(text.path, len(text.lines), True, found, skipped, lines, suppressions=comments)


def _unchecked(candidate: _Candidate, reason: str) -> FileResult:
    shown = candidate.file.shown
    return FileResult(shown, candidate.data.count(b"\n") + 1, skipped=(Skipped(shown, reason),))
