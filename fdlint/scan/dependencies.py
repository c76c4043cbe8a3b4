"""Modules of others that the scanned files import: what their functions give is known, nothing is reported there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from fdlint.languages.index.imports import Directories, module_below, modules_in, place_of
from fdlint.languages.registry import MAIN
from fdlint.report.findings.finding import FileResult, Wrapper
from fdlint.scan.files.discover import FileToScan, shown
from fdlint.scan.reading import intake

_MAX_FILES = 2_000
"""The modules that are looked at. A package imports itself: those that the project names come first."""

Contribute = Callable[[FileToScan], FileResult]


def given_by(files: Iterable[FileToScan], contribute: Contribute) -> frozenset[Wrapper]:
    """Returns the functions that give descriptors or create workers, in the modules that some files import from the
    directories of their configuration. ``contribute`` tells what a file gives."""
    directories = Directories()
    found: set[Wrapper] = set()
    seen: dict[Path, None] = {}
    pending = [file for file in files if file.language is MAIN and file.config.models.dependencies]
    while pending and len(seen) < _MAX_FILES:
        following: list[FileToScan] = []
        for file in pending:
            for place, top in _imported(file, directories):
                if place not in seen and len(seen) < _MAX_FILES:
                    seen[place] = None
                    module = FileToScan(str(place), shown(place), file.config)
                    following.append(module)
                    given = contribute(module).gives
                    found.update(given)
                    found.update(replace(one, module=top) for one in given if not one.makes_workers)  # a re-export
        pending = following
    return frozenset(found)


def _imported(file: FileToScan, directories: Directories) -> Iterator[tuple[Path, str]]:
    """Yields the modules of others that a file may import, with the names of their packages."""
    try:
        data = intake.read(file.path, intake.DEPENDENCY)
    except OSError:
        return
    _, package = place_of(Path(os.path.realpath(file.path)), directories)
    for module in modules_in(data, package):
        for directory in file.config.models.dependencies:
            place = module_below(directory, module, directories)
            if place is not None:
                yield place, module.partition(".")[0]
                break
