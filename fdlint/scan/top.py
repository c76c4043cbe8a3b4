"""The top directory of a project."""

from __future__ import annotations

from pathlib import Path

from fdlint.languages.registry import language_of
from fdlint.scan.files.discover import TOP_MARKS

MAX_FILES = 20_000
"""In a project with more files, a search over all of them covers only the scanned ones."""
_MAX_CLIMB = 8


def top_of(path: Path) -> Path:
    """Returns the directory of a file's project: the nearest one with a mark, otherwise the top of its package."""
    directory = path.resolve().parent
    for parent in (directory, *list(directory.parents)[:_MAX_CLIMB]):
        if any((parent / mark).exists() for mark in TOP_MARKS):
            return parent
    package_file = language_of(path.name).package_file
    while package_file and (directory / package_file).is_file() and directory.parent != directory:
        directory = directory.parent
    return directory
