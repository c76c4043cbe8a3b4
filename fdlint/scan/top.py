"""The top directory of a project."""

from __future__ import annotations

from pathlib import Path

from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import language_of
from fdlint.scan.files.discover import REPOSITORY, TOP_MARKS

MAX_FILES = 20_000
"""In a project with more files, a search over all of them covers only the scanned ones."""
_MAX_CLIMB = 8


def marked_top_of(directory: Path) -> Path | None:
    """Returns the nearest directory around a resolved one that has a mark of a project; None if there is none."""
    around = (directory, *list(directory.parents)[:_MAX_CLIMB])
    return next((one for one in around if any((one / mark).exists() for mark in TOP_MARKS)), None)


def is_installable(top: Path, language: LanguageDescription) -> bool:
    """Whether other projects may use the code below a directory. They cannot if it is a repository without what
    installers read."""
    marks = language.top_marks
    return not (marks and is_repository(top)) or any((top / one).exists() for one in marks)


def is_repository(top: Path) -> bool:
    """Whether a directory is the top of a repository."""
    return (top / REPOSITORY).exists()


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
