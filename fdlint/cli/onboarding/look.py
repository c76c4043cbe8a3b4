"""Looks at a project: its languages, and its other checkers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import LANGUAGES, MAIN
from fdlint.scan.files.discover import discover
from fdlint.scan.reading import intake

_FLAKE8_FILES = {".flake8": b"", "setup.cfg": b"[flake8]", "tox.ini": b"[flake8]"}
_NOQA = re.compile(rb"#\s*noqa", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Project:
    """``languages``: those of its files. ``noqa``: whether files in the main language have such comments. ``flake8``:
    the file that configures flake8, or None."""

    languages: tuple[LanguageDescription, ...]
    noqa: bool
    flake8: str | None


def look(directory: Path) -> Project:
    """Reads the files that a scan would read."""
    files = discover([str(directory)]).files
    there = {file.language.key for file in files}
    languages = tuple(one for one in LANGUAGES if one.key in there)
    return Project(languages, _has_noqa([file.path for file in files if file.language is MAIN]), _flake8(directory))


def _has_noqa(files: Sequence[Path]) -> bool:
    contents = (intake.content(file, intake.SOURCE) for file in files)
    return any(b"noqa" in data.lower() and _NOQA.search(data) for data in contents if data)


def _flake8(directory: Path) -> str | None:
    for name, section in _FLAKE8_FILES.items():
        data = intake.content(directory / name, intake.CONFIGURATION)
        if data is not None and section in data:
            return name
    return None
