"""The top directory of a project."""

from __future__ import annotations

from pathlib import Path

from fdlint.languages.registry import language_of
from fdlint.scan.files.discover import TOP_MARKS

MAX_FILES = 20_000
"""In a project with more files, a search over all of them covers only the scanned ones."""
_MAX_CLIMB = 8


def marked_top_of(directory: Path) -> Path | None:
    """Returns the nearest directory around a resolved one that has a mark of a project; None if there is none."""
    around = (directory, *list(directory.parents)[:_MAX_CLIMB])
    return next((one for one in around if any((one / mark).exists() for mark in TOP_MARKS)), None)


def top_of(path: Path) -> Path:
    """Returns the directory of a file's project: the nearest one with a mark, otherwise the top of its package."""
    directory = path.resolve().parent
    marked = marked_top_of(directory)
    if marked is not None:
        return marked
    package_file = language_of(path.name).package_file
    while package_file and (directory / package_file).is_file() and directory.parent != directory:
        directory = directory.parent
    return directory
