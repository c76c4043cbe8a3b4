"""The files of the project that the named ones import. What their functions give counts, nothing is reported there.

A scan of a whole project has all of them anyway. A pre-commit hook and a scan of one file name a few.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fdlint.languages.index.imports import imported
from fdlint.scan.files.discover import TOP_MARKS, FileToScan, shown
from fdlint.scan.reading import intake

_MAX_FILES = 1_000
"""The files that are looked at, the nearest first. The imports of one module lead to 240 files in ironic."""


def surroundings(files: Sequence[FileToScan]) -> list[FileToScan]:
    """Returns the files of the project that some files import, directly or through others, without these files."""
    tops = {within: _is_whole(within) for within in {file.within for file in files}}
    pending = [file for file in files if not tops[file.within] and not file.language.by_package]
    known = {file.place for file in files} if pending else set()
    found: list[FileToScan] = []
    while pending and len(found) < _MAX_FILES:
        following = []
        for place, file in _imported(pending):
            if place not in known:
                known.add(place)
                following.append(replace(file, name=str(place), shown=shown(place), real=str(place)))
        found += following
        pending = following
    return found[:_MAX_FILES]


def _is_whole(within: str) -> bool:
    """Whether a path that the user named has all that its files import: imports are not followed above the working
    directory or the top of a project."""
    return within == "." or any(os.path.exists(os.path.join(within, mark)) for mark in TOP_MARKS)


def _imported(files: Iterable[FileToScan]) -> Iterator[tuple[Path, FileToScan]]:
    """Yields the files that some files import, each with the one that imports it."""
    for file in files:
        try:
            data = intake.read(file.path, intake.SOURCE)
        except OSError:
            continue
        for place in imported(data, file.place):
            yield place, file
