"""The files that the named ones import. What their functions give counts, nothing is reported there.

A scan of a whole project has those of the project anyway. A pre-commit hook and a scan of one file name a few. The
configuration may name directories with modules of others, too (``--dependencies``).
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from fdlint.languages.index.imports import Directories, imported, module_below, modules_in, place_of
from fdlint.scan.files.discover import TOP_MARKS, FileToScan, shown
from fdlint.scan.reading import intake
from fdlint.scan.recall import Recall

_MAX_FILES = 1_000
"""The files that are looked at, the nearest first. The imports of one module lead to 240 files in ironic. A package of
others imports itself: the modules that the project names come first."""


def surroundings(
    files: Sequence[FileToScan], recall: Recall | None = None, text: bytes | None = None, *, alone: bool = False
) -> list[FileToScan]:
    """Returns the files that some files import, directly or through others, without these files. ``text``: that of the
    one file, if it is not the one on disk. ``alone``: the files were not found below a directory that has them all."""
    tops = {within: not alone and _is_whole(within) for within in {file.within for file in files}}
    pending = [file for file in files if not file.language.by_package]
    pending = [file for file in pending if not tops[file.within] or file.config.models.dependencies]
    known = {str(file.place) for file in files} if pending else set()
    found: list[FileToScan] = []
    directories, recall = Directories(), recall or Recall(fixed=True)
    while pending and len(found) < _MAX_FILES:
        following = []
        for file in pending:
            find = functools.partial(_imported, file, text, directories, whole=tops.get(file.within, False))
            for one in find() if text is not None else recall.imports(file, find):
                if one.real not in known:
                    known.add(one.real)
                    following.append(one)
        found += following
        pending, text = following, None
    return found[:_MAX_FILES]


def _is_whole(within: str) -> bool:
    """Whether a path that the user named has all that its files import: imports are not followed above the working
    directory or the top of a project."""
    return within == "." or any(os.path.exists(os.path.join(within, mark)) for mark in TOP_MARKS)


def _imported(file: FileToScan, text: bytes | None, directories: Directories, *, whole: bool) -> Iterator[FileToScan]:
    """Yields the files that a file imports, each within the path that the user named, or within a directory with
    modules of others. ``whole``: those of the project are known."""
    data = text if text is not None else intake.content(file.path, intake.SOURCE) or b""
    for place, within in _places(data, file, directories, whole=whole):
        yield FileToScan(str(place), shown(place), file.config, str(place), within)


def _places(data: bytes, file: FileToScan, directories: Directories, *, whole: bool) -> Iterator[tuple[Path, str]]:
    others = file.config.models.dependencies
    if not whole and file.within not in others:
        yield from ((one, file.within) for one in imported(data, file.place))
    _, package = place_of(file.place, directories)
    for module in modules_in(data, package) if others else ():
        found = ((where, one) for one in others if (where := module_below(one, module, directories)) is not None)
        yield from itertools.islice(found, 1)  # as on Python's own path, the first directory with it counts
