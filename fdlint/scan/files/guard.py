"""Keeps an error in one file from ending the scan: the report lists the file as skipped, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fdlint.report.findings.finding import FileResult, Skipped
from fdlint.scan.files.discover import FileToScan

_LONGEST = 200  # characters of an error's text


def guarded(before: FileResult, work: Callable[[], FileResult]) -> FileResult:
    """Returns the result of some work on a file. If the work fails, returns the result ``before`` it, with the
    reason."""
    try:
        return work()
    except Exception as error:  # a defect of fdlint must not end the whole scan
        return troubled(before, error)


def lost(file: FileToScan, reason: str) -> FileResult:
    """Returns the result of a file that fdlint did not analyse at all."""
    return FileResult(file.shown, skipped=(Skipped(file.shown, reason),))


def troubled(result: FileResult, error: Exception) -> FileResult:
    """Returns the result of a file, with the reason why fdlint did not analyse all of it."""
    skipped = Skipped(result.path, reason(error))
    return result if skipped in result.skipped else replace(result, skipped=(*result.skipped, skipped))


def reason(error: Exception) -> str:
    """Returns the reason that a report gives for an error."""
    if isinstance(error, RecursionError) or isinstance(error.__context__, RecursionError):
        return "nested too deeply to analyse"
    if isinstance(error, MemoryError):
        return "not enough memory to analyse it"
    return internal_error(error)


def internal_error(error: Exception) -> str:
    """Returns the message for a defect of fdlint. A test that calls this fails."""
    return f"internal error, please report it: {type(error).__name__}: {_text(error)}"


def _text(error: Exception) -> str:
    """Returns the text of an error, whose ``__str__`` may fail as well."""
    try:
        return str(error)[:_LONGEST]
    except Exception:
        return "it cannot be shown"
