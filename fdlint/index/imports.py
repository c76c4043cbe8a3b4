"""Where the modules that a file imports lie: told by the directories alone, nothing is imported."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from fdlint.files.discover import TOP_MARKS

_MAX_CLIMB = 5  # directories looked at above a file that is in no package
_IMPORT = re.compile(rb"(?m)^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t(]+([\w, \t]*)|import[ \t]+([\w., \t]+))")


class Directories:
    """What lies in which directory, each looked up once."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}
        self._real: dict[str, str] = {}

    def names(self, directory: str) -> frozenset[str]:
        """The names in a directory; none of one that cannot be read."""
        if directory not in self._names:
            try:
                self._names[directory] = frozenset(os.listdir(directory))
            except OSError:
                self._names[directory] = frozenset()
        return self._names[directory]

    def holds_file(self, directory: str, name: str) -> bool:
        """Whether there is a file of this name; the file system is asked only if something of that name is there."""
        return name in self.names(directory) and os.path.isfile(os.path.join(directory, name))

    def real(self, directory: str, name: str) -> str:
        """The resolved path of a file."""
        path = os.path.join(directory, name)
        if os.path.islink(path):
            return os.path.realpath(path)
        if directory not in self._real:
            self._real[directory] = os.path.realpath(directory)
        return os.path.join(self._real[directory], name)


def path_of(root: Path, module: str, directories: Directories) -> Path | None:
    """The file of a module below the place where imports start, or a place further up in the project."""
    found = real_path_of(str(root), module, directories)
    return Path(found) if found else None


def real_path_of(root: str, module: str, directories: Directories) -> str:
    """The same in plain text, resolved; empty when there is none."""
    first, *rest = module.split(".")
    for start in _starts(root):
        for base in (start, f"{start}/src", f"{start}/lib"):
            names = directories.names(base)
            if first in names or (not rest and f"{first}.py" in names):
                parent, _, last = "/".join([base, first, *rest]).rpartition("/")
                if last in directories.names(parent) and directories.holds_file(f"{parent}/{last}", "__init__.py"):
                    return directories.real(f"{parent}/{last}", "__init__.py")
                if directories.holds_file(parent, f"{last}.py"):
                    return directories.real(parent, f"{last}.py")
    return ""


@functools.lru_cache(maxsize=256)
def _starts(root: str) -> tuple[str, ...]:
    """Where imports may start: the directory itself, and those above it up to the top of the project."""
    found = [Path(root)]
    while len(found) < _MAX_CLIMB and not any((found[-1] / mark).exists() for mark in TOP_MARKS):
        if found[-1] in (Path.cwd(), found[-1].parent):
            break
        found.append(found[-1].parent)
    return tuple(map(str, found))


def place_of(path: Path) -> tuple[Path, str]:
    """Where a file's absolute imports start, and the package it is in."""
    directory = path.resolve().parent
    parts: list[str] = []
    while (directory / "__init__.py").is_file() and directory.parent != directory:
        parts.insert(0, directory.name)
        directory = directory.parent
    return directory, ".".join(parts)


def absolute(dotted: str, package: str) -> str:
    """A name with the leading dots of a relative import resolved."""
    level = len(dotted) - len(dotted.lstrip("."))
    if not level:
        return dotted
    parts = [part for part in package.split(".") if part]
    return ".".join([*parts[: max(0, len(parts) - level + 1)], dotted[level:]])


def splits(dotted: str) -> Iterator[tuple[str, str]]:
    """Every way to read a dotted name as a module and a name in it, the longest module first."""
    parts = dotted.split(".")
    for at in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:at]), ".".join(parts[at:])


def imported(data: bytes, path: Path) -> Iterator[Path]:
    """The files of the project that a file imports, by its text: what stands in more than one line is not all seen."""
    root, package = place_of(path)
    seen: set[str] = set()
    for found in _IMPORT.finditer(data):
        origin, names, plain = (part.decode("ascii", "replace") if part else "" for part in found.groups())
        words = [name.split()[0] for name in (names or plain).split(",") if name.strip()]
        for word in ["", *words] if origin else words:
            module = absolute(f"{origin}{'' if origin.endswith('.') or not origin else '.'}{word}".rstrip("."), package)
            if module and module not in seen:
                seen.add(module)
                place = _remembered(root, module)
                if place is not None and place != path:
                    yield place


@functools.lru_cache(maxsize=10_000)
def _remembered(root: Path, module: str) -> Path | None:
    return path_of(root, module, _directories)


_directories = Directories()
