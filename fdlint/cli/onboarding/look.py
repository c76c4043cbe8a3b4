"""Looks at a project: its languages, and its other checkers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fdlint.scan.files.discover import discover
from fdlint.scan.reading import intake

_FLAKE8_FILES = {".flake8": b"", "setup.cfg": b"[flake8]", "tox.ini": b"[flake8]"}
_NOQA = re.compile(rb"#\s*noqa", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Project:
    """``python`` and ``go``: whether there are such files. ``noqa``: whether Python files have such comments.
    ``flake8``: the file that configures flake8, or None."""

    python: bool
    go: bool
    noqa: bool
    flake8: str | None


def look(directory: Path) -> Project:
    """Reads the files that a scan would read."""
    files = discover([str(directory)]).files
    python = [file.path for file in files if not file.is_go]
    return Project(bool(python), len(python) < len(files), _has_noqa(python), _flake8(directory))


def _has_noqa(files: Sequence[Path]) -> bool:
    contents = (intake.content(file, intake.SOURCE) for file in files)
    return any(b"noqa" in data.lower() and _NOQA.search(data) for data in contents if data)


def _flake8(directory: Path) -> str | None:
    for name, section in _FLAKE8_FILES.items():
        data = intake.content(directory / name, intake.CONFIGURATION)
        if data is not None and section in data:
            return name
    return None
