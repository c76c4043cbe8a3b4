"""Finds the modules of Go around directories, and the files that belong to no build. Needs no parser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fdlint.scan.reading import intake

_MODULE = re.compile(rb"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_IGNORED = re.compile(rb"^//(go:build|\s*\+build) ignore\s*$", re.MULTILINE)


@dataclass(slots=True)
class Modules:
    """The modules of directories: the directory of the ``go.mod`` around each and the path in it; None if there is
    none."""

    _known: dict[Path, tuple[Path, str] | None] = field(default_factory=dict)

    def around(self, directory: Path) -> tuple[Path, str] | None:
        """Returns the module of a directory."""
        passed: list[Path] = []
        found = None
        for parent in (directory, *directory.parents):
            if parent in self._known:
                found = self._known[parent]
                break
            passed.append(parent)
            try:
                named = _MODULE.search(intake.read(parent / "go.mod", intake.DEPENDENCY))
            except OSError:
                continue
            found = (parent, named[1].decode("utf-8", "replace")) if named else None
            break
        self._known.update(dict.fromkeys(passed, found))
        return found


def modules_around(directories: Iterable[Path]) -> set[tuple[Path, str]]:
    """Returns the modules of some directories."""
    modules = Modules()
    return {found for one in directories if (found := modules.around(one)) is not None}


def stands_alone(data: bytes) -> bool:
    """Whether a file is left out of every build, as programs are that are run by hand."""
    return _IGNORED.search(data[: data.find(b"\npackage ") + 1 or None]) is not None
