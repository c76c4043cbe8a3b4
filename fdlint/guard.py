"""What goes wrong with one file stays with that file: it becomes a reason in the report, and the scan goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fdlint.finding import FileResult, Skipped

_LONGEST = 200  # characters of an error's text


def guarded(before: FileResult, work: Callable[[], FileResult]) -> FileResult:
    """What some work on a file comes to; what was known ``before``, and a reason, if it fails."""
    try:
        return work()
    except Exception as error:  # a defect of fdlint must not end the scan of everything else
        return troubled(before, error)


def troubled(result: FileResult, error: Exception) -> FileResult:
    """A file's result with the reason why something in it was not analysed."""
    skipped = Skipped(result.path, reason(error))
    return result if skipped in result.skipped else replace(result, skipped=(*result.skipped, skipped))


def reason(error: Exception) -> str:
    """What a report says of an error."""
    if isinstance(error, RecursionError) or isinstance(error.__context__, RecursionError):
        return "nested too deeply to analyse"
    if isinstance(error, MemoryError):
        return "not enough memory to analyse it"
    return f"internal error, please report it: {type(error).__name__}: {_text(error)}"


def _text(error: Exception) -> str:
    """What an error says, unless even that goes wrong."""
    try:
        return str(error)[:_LONGEST]
    except Exception:
        return "it cannot be shown"
