"""Finds the owners of a file in the CODEOWNERS of its repository, by GitHub's rules.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
The file is untrusted: fdlint reads it as text, with limits, and skips a line that GitHub would not accept. GitHub's
patterns are those of .gitignore without ``!`` and ``[]``. ``docs/*`` does not own files in the directories below
``docs``. The last line that matches decides, even if it names no owner.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fdlint.scan.git.ignore import IgnoreFile, TooManyError
from fdlint.scan.git.repository import enclosing
from fdlint.scan.reading import intake
from fdlint.scan.reading.globs import Glob, parse

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""The places where GitHub looks; it uses the first file that exists."""
MAX_BYTES = 3_000_000  # GitHub reads no larger file
_MAX_NAMES = 50  # of one line
_LINE = re.compile(r"(?P<pattern>(?:\\.|[^\s\\])+)(?P<owners>(?:\s+[^\s#]+)*)\s*(?:#.*)?")
_OWNER = re.compile(r"@[\w.-]{1,100}(?:/[\w.-]{1,100})?|[^\s@]{1,100}@[\w.-]{1,100}", re.ASCII)


class OwnersError(Exception):
    """The CODEOWNERS file exists, but fdlint cannot use it. The message is the reason."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line. ``direct``: it owns the files of a directory and nothing deeper."""

    glob: Glob
    names: tuple[str, ...]
    direct: bool


class Codeowners:
    """The lines of one file."""

    def __init__(self, text: str) -> None:
        """Parses the file. Raises ``OwnersError`` for too many patterns."""
        self._lines = [line for raw in text.removeprefix("\ufeff").split("\n") if (line := _line(raw)) is not None]
        self._deep = [number for number, line in enumerate(self._lines) if not line.direct]
        try:
            self._all = IgnoreFile("", [line.glob for line in self._lines])
            self._above = IgnoreFile("", [self._lines[number].glob for number in self._deep])
        except TooManyError as error:
            raise OwnersError(str(error)) from None

    def of(self, path: str) -> tuple[str, ...]:
        """Returns the owners of a file, by its path from the top of the repository; empty if it has none."""
        best = self._all.last(path)
        slash = path.find("/")
        while slash >= 0:
            above = self._above.last(path[: slash + 1])
            best = max(best, self._deep[above] if above >= 0 else -1)
            slash = path.find("/", slash + 1)
        return self._lines[best].names if best >= 0 else ()


def owners(
    paths: Iterable[str], named: Sequence[str], refuse: Callable[[str, str], None]
) -> dict[str, tuple[str, ...]]:
    """Returns the owners of files, by their paths. For files outside of a repository it looks for CODEOWNERS in the
    ``named`` directories of the command line. Reports an unusable file, with the reason, to ``refuse``."""
    read: dict[str, Codeowners | None] = {}
    tops: dict[str, str] = {}
    found = {}
    for path in dict.fromkeys(paths):
        real = os.path.realpath(path)
        directory = os.path.dirname(real)
        if directory not in tops:
            tops[directory] = _top(directory, named)
        top = tops[directory]
        if top not in read:
            read[top] = _read(top, refuse)
        listed = read[top]
        names = listed.of(os.path.relpath(real, top).replace(os.sep, "/")) if listed is not None else ()
        if names:
            found[path] = names
    return found


def _top(directory: str, named: Sequence[str]) -> str:
    repository = enclosing(directory)
    if repository is not None:
        return repository.top
    above = [real for one in named if _is_within(directory, real := os.path.realpath(one)) and os.path.isdir(real)]
    return max(above, key=len, default=directory)


def _is_within(directory: str, top: str) -> bool:
    return directory == top or directory.startswith(top.rstrip(os.sep) + os.sep)


def _read(top: str, refuse: Callable[[str, str], None]) -> Codeowners | None:
    place = next((file for name in PLACES if os.path.lexists(file := os.path.join(top, name))), None)
    if place is None:
        return None
    try:
        return Codeowners(intake.read(place, MAX_BYTES).decode("utf-8", "replace"))
    except OSError as error:
        refuse(place, intake.why(error))
    except OwnersError as error:
        refuse(place, str(error))
    return None


def _line(raw: str) -> _Line | None:
    found = _LINE.fullmatch(raw.strip())
    if found is None or found["pattern"].startswith(("#", "!")) or "[" in found["pattern"]:
        return None
    names = tuple(found["owners"].split())
    glob = parse(found["pattern"])
    if glob is None or not all(map(_OWNER.fullmatch, names)):
        return None
    return _Line(glob, names[:_MAX_NAMES], found["pattern"].endswith("/*"))
