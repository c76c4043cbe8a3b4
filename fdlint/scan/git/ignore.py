"""Applies .gitignore files by git's rules: the deepest file decides, and in a file the last match.

fdlint does not read a user's global ignore file: a scan should cover the same files on every machine.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from fdlint.scan.git.repository import directories
from fdlint.scan.reading import intake
from fdlint.scan.reading.globs import Glob, States, is_meant, parse

FILE_NAME = ".gitignore"
MAX_SLOW = 1_000  # patterns of a file that need a test one by one
_MAX_REMEMBERED = 200  # directories


Refuse: TypeAlias = Callable[[str, str], None]
"""Receives the path of an unusable file and the reason."""


class TooManyError(ValueError):
    """The patterns are too many to try on every file of a tree. The message is the reason."""


class IgnoreFile:
    """The patterns of one file, relative to the directory ``base``, which ends in a slash.

    Most patterns are names, paths, or `*.suffix`: a lookup finds them, however many there are.
    """

    def __init__(self, base: str, globs: Sequence[Glob]) -> None:
        self.base = base
        self._globs = globs
        self._names: dict[str, list[int]] = {}
        self._paths: dict[str, list[int]] = {}
        self._suffixes: dict[str, list[int]] = {}
        self._others: list[tuple[int, Glob]] = []
        anchored: list[tuple[int, Glob, States]] = []
        for number, glob in enumerate(globs):
            if glob.literal is not None:
                (self._paths if glob.anchored else self._names).setdefault(glob.literal, []).append(number)
            elif glob.suffix is not None:
                self._suffixes.setdefault(glob.suffix, []).append(number)
            elif glob.anchored:
                anchored.append((number, glob, glob.start()))
            else:
                self._others.append((number, glob))
        if len(self._others) + len(anchored) > MAX_SLOW:
            raise TooManyError(f"more than {MAX_SLOW:,} patterns with wildcards")
        self._lengths = sorted({len(suffix) for suffix in self._suffixes})
        self._others.reverse()
        self._covering = {"": -1}  # by directory, the last pattern that matches it or a directory above it
        self._alive = {"": tuple(reversed(anchored))}  # by directory, the patterns that may match something in it

    def verdict(self, path: str) -> bool | None:
        """Returns True if ignored, False if a ``!`` brings it back, None if no pattern matches. A directory's path ends
        in a slash."""
        number = self.last(path[len(self.base) :])
        return None if number < 0 else not self._globs[number].brings_back

    def covers(self, path: str) -> bool:
        """Whether the last pattern that matches a path, or a directory above it, ignores it."""
        relative = path[len(self.base) :]
        number = max(self.last(relative), self._through(relative.removesuffix("/").rpartition("/")[0]))
        return number >= 0 and not self._globs[number].brings_back

    def _through(self, directory: str) -> int:
        """Returns the number of the last pattern that matches a directory or one above it, -1 if there is none."""
        missing = []
        while directory not in self._covering:
            missing.append(directory)
            directory = directory.rpartition("/")[0]
        number = self._covering[directory]
        for deeper in reversed(missing):
            number = max(number, self.last(deeper + "/"))
            if len(self._covering) > _MAX_REMEMBERED:
                self._covering = {"": -1}
            self._covering[deeper] = number
        return number

    def swallows_everything(self) -> bool:
        """Whether the only pattern is ``*``. Tools write such a file into a directory that should not be committed."""
        return len(self._globs) == 1 and self._globs[0] == parse("*")

    def last(self, relative: str) -> int:
        """Returns the number of the last pattern that matches a path relative to ``base``, -1 if there is none."""
        path = relative.removesuffix("/")
        if not path:
            return -1  # ``base`` itself
        parent, _, name = path.rpartition("/")
        numbers = [*self._names.get(name, ()), *self._paths.get(path, ())]
        for length in self._lengths:
            numbers += self._suffixes.get(name[-length:], ())
        if len(relative) == len(path):
            numbers = [number for number in numbers if not self._globs[number].directories]
        best = max(numbers, default=-1)
        for number, glob in self._others:
            if number < best:
                break
            if is_meant(glob.parts[0], name) and (not glob.directories or relative != path):
                best = number
                break
        for number, glob, states in self._entered(parent):
            if number < best:
                break
            if glob.ends(states, name) and (not glob.directories or relative != path):
                return number
        return best

    def _entered(self, directory: str) -> tuple[tuple[int, Glob, States], ...]:
        """Returns the patterns that may match something in a directory, the last one first."""
        missing = []
        while directory not in self._alive:
            missing.append(directory)
            directory = directory.rpartition("/")[0]
        alive = self._alive[directory]
        for deeper in reversed(missing):
            name = deeper.rpartition("/")[2]
            further = ((number, glob, glob.after(states, name)) for number, glob, states in alive)
            alive = tuple(one for one in further if one[2])
            if len(self._alive) > _MAX_REMEMBERED:
                self._alive = {"": self._alive[""]}
            self._alive[deeper] = alive
        return alive


def _ignore_file(lines: Iterable[str], base: str) -> IgnoreFile | None:
    """Parses the patterns in ``lines`` and skips those that git would not understand either. Raises
    ``TooManyError``."""
    globs = [glob for line in lines if (glob := parse(line)) is not None]
    return IgnoreFile(base, globs) if globs else None


def pattern(line: str) -> str | None:
    """Returns a line as a pattern, or None if it cannot match because it is broken or a comment. Turns ``./x``, which
    git does not know, into ``/x``."""
    line = line.removeprefix(".") if line.startswith("./") else line
    return line if parse(line) is not None else None


def matching(base: str, lines: tuple[str, ...], path: str) -> bool:
    """Whether patterns that are relative to ``base`` match a path (absolute) or a directory above it. They match
    nothing outside ``base``."""
    rules = compiled(base, lines)
    return rules is not None and path.startswith(rules.base) and rules.covers(path)


@functools.lru_cache(maxsize=256)
def compiled(base: str, lines: tuple[str, ...]) -> IgnoreFile | None:
    """Compiles patterns that are relative to ``base``. Raises ``TooManyError``."""
    return _ignore_file(lines, base.rstrip("/") + "/")


def read(path: str, base: str) -> IgnoreFile | None:
    """Reads the patterns in the file ``path``. Returns None if it has none. Raises ``OSError`` and ``TooManyError``."""
    text = intake.read(path, intake.LIST).decode("utf-8", "surrogateescape")
    return _ignore_file(text.removeprefix("\ufeff").split("\n"), base)


def is_ignored(rules: Iterable[IgnoreFile], path: str) -> bool:
    """Whether ``rules`` (the outermost first) ignore ``path``. A directory's path ends in a slash."""
    for rule in reversed(tuple(rules)):
        verdict = rule.verdict(path)
        if verdict is not None:
            return verdict
    return False


def own_rules(directory: str, names: Iterable[str], refuse: Refuse) -> tuple[IgnoreFile, ...]:
    """Returns the rules of ``directory``, which contains ``names``: its .gitignore and, for a repository, info/exclude.
    Reports an unusable file to ``refuse``."""
    base = directory.rstrip("/") + "/"
    files = [base + FILE_NAME] if FILE_NAME in names else []
    if ".git" in names:
        exclude = os.path.join(directories(directory)[1], "info", "exclude")
        files = [exclude, *files] if os.path.lexists(exclude) else files
    found = []
    for file in files:
        try:
            found.append(read(file, base))
        except OSError as error:
            refuse(file, intake.why(error))
        except TooManyError as error:
            refuse(file, str(error))
    return tuple(rule for rule in found if rule)


def rules_above(directory: str, refuse: Refuse) -> tuple[IgnoreFile, ...]:
    """Returns the rules that the surrounding repository applies to ``directory`` (absolute, resolved), without its
    own."""
    if os.path.lexists(os.path.join(directory, ".git")):
        return ()
    above: list[str] = []
    for parent in Path(directory).parents:
        above.append(str(parent))
        if os.path.lexists(parent / ".git"):
            break
    else:
        return ()
    rules: tuple[IgnoreFile, ...] = ()
    for parent_name in reversed(above):
        names = [name for name in (FILE_NAME, ".git") if os.path.lexists(os.path.join(parent_name, name))]
        rules += own_rules(parent_name, names, refuse)
    return _applying(rules, directory, top=above[-1])


def _applying(rules: tuple[IgnoreFile, ...], directory: str, top: str) -> tuple[IgnoreFile, ...]:
    """Returns ``rules``, or none if they ignore ``directory`` itself: a user who names it wants to scan it anyway."""
    path = top.rstrip("/")
    for part in Path(directory).relative_to(top).parts:
        path += "/" + part
        if is_ignored([rule for rule in rules if path.startswith(rule.base)], path + "/"):
            return ()
    return rules
