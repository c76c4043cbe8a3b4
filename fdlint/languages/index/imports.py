"""Finds the files of imported modules by the directories alone. It imports nothing."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from fdlint.scan.files.discover import TOP_MARKS

_MAX_CLIMB = 5  # directories to search, from the one where the file's imports start upwards
_IMPORT = re.compile(
    rb"(?m)^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(?:\(([^()]{0,4000})|([\w, \t]*))|import[ \t]+([\w., \t]+))"
)
_COMMENT = re.compile(rb"#[^\n]*")


class Directories:
    """The contents of directories. Each directory is read only once."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}
        self._real: dict[str, str] = {}
        self._starts: dict[str, tuple[Path, str]] = {}

    def forget(self) -> None:
        """Reads all directories again when they are next asked for."""
        for known in (self._names, self._real, self._starts):
            known.clear()

    def names(self, directory: str) -> frozenset[str]:
        """Returns the names in a directory; none if it cannot be read."""
        if directory not in self._names:
            try:
                self._names[directory] = frozenset(os.listdir(directory))
            except OSError:
                self._names[directory] = frozenset()
        return self._names[directory]

    def holds_file(self, directory: str, name: str) -> bool:
        """Whether the directory has a file of this name. Asks the file system only if the name exists."""
        return name in self.names(directory) and os.path.isfile(os.path.join(directory, name))

    def start_of(self, directory: str) -> tuple[Path, str]:
        """Returns the directory where absolute imports of files in a directory start, and the package of these
        files."""
        if directory not in self._starts:
            above, name = os.path.split(directory)
            if above != directory and self.holds_file(directory, "__init__.py"):
                start, package = self.start_of(above)
                self._starts[directory] = start, f"{package}.{name}" if package else name
            else:
                self._starts[directory] = Path(directory), ""
        return self._starts[directory]

    def real(self, directory: str, name: str) -> str:
        """Returns the resolved path of a file."""
        path = os.path.join(directory, name)
        if os.path.islink(path):
            return os.path.realpath(path)
        if directory not in self._real:
            self._real[directory] = os.path.realpath(directory)
        return os.path.join(self._real[directory], name)


def path_of(root: Path, module: str, directories: Directories) -> Path | None:
    """Returns the file of a module. Searches below ``root``, where imports start, then in directories above it in the
    project."""
    found = real_path_of(str(root), module, directories)
    return Path(found) if found else None


def real_path_of(root: str, module: str, directories: Directories) -> str:
    """Returns the resolved path of a module's file as a string; empty if there is none. Searches like ``path_of``."""
    parts = module.split(".")
    bases = (base for start in _starts(root) for base in (start, f"{start}/src", f"{start}/lib"))
    return next(filter(None, (_module_in(base, parts, directories) for base in bases)), "")


def module_below(directory: str, module: str, directories: Directories) -> Path | None:
    """Returns the file of a module in a directory of installed packages, and nowhere else: it must not lead out of
    there by a link."""
    found = _module_in(directory, module.split("."), directories)
    real = Path(found) if found else None
    return real if real is not None and real.is_relative_to(os.path.realpath(directory)) else None


def _module_in(base: str, parts: list[str], directories: Directories) -> str:
    """Returns the resolved path of the file of a module below a directory; empty if there is none."""
    first, *rest = parts
    names = directories.names(base)
    if first in names or (not rest and f"{first}.py" in names):
        parent, _, last = "/".join([base, *parts]).rpartition("/")
        if last in directories.names(parent) and directories.holds_file(f"{parent}/{last}", "__init__.py"):
            return directories.real(f"{parent}/{last}", "__init__.py")
        if directories.holds_file(parent, f"{last}.py"):
            return directories.real(parent, f"{last}.py")
    return ""


@functools.lru_cache(maxsize=256)
def _starts(root: str) -> tuple[str, ...]:
    """Returns the directories where imports may start: the given one, and those above it up to the top of the
    project."""
    found = [Path(root)]
    while len(found) < _MAX_CLIMB and not any((found[-1] / mark).exists() for mark in TOP_MARKS):
        if found[-1] in (Path.cwd(), found[-1].parent):
            break
        found.append(found[-1].parent)
    return tuple(map(str, found))


def place_of(path: Path, directories: Directories | None = None) -> tuple[Path, str]:
    """Returns the directory where a file's absolute imports start, and the package of the file. ``directories``: those
    that were read before, for a resolved ``path``."""
    if directories is not None:
        return directories.start_of(str(path.parent))
    return Directories().start_of(str(path.resolve().parent))


def absolute(dotted: str, package: str) -> str:
    """Returns a dotted name with the leading dots of a relative import resolved against a package."""
    level = len(dotted) - len(dotted.lstrip("."))
    if not level:
        return dotted
    parts = [part for part in package.split(".") if part]
    return ".".join([*parts[: max(0, len(parts) - level + 1)], dotted[level:]])


def splits(dotted: str) -> Iterator[tuple[str, str]]:
    """Yields every way to split a dotted name into a module and a name in it, the longest module first."""
    parts = dotted.split(".")
    for at in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:at]), ".".join(parts[at:])


def imported(data: bytes, path: Path) -> Iterator[Path]:
    """Yields the files of the project that a file imports. Reads only the text, so it may miss names in a very long
    import."""
    root, package = place_of(path)
    for module in modules_in(data, package):
        place = _remembered(root, module)
        if place is not None and place != path:
            yield place


def modules_in(data: bytes, package: str) -> Iterator[str]:
    """Yields the modules that a file of a package may import: each, and each name from it."""
    seen: set[str] = set()
    for found in _IMPORT.finditer(data):
        origin, lines, names, plain = found.groups(b"")
        named = (lines and _COMMENT.sub(b"", lines)) or names or plain
        words = [name.split()[0].decode("ascii", "replace") for name in named.split(b",") if name.strip()]
        start = origin.decode("ascii", "replace")
        for word in ["", *words] if start else words:
            module = absolute(f"{start}{'' if start.endswith('.') or not start else '.'}{word}".rstrip("."), package)
            if module and module not in seen:
                seen.add(module)
                yield module


@functools.lru_cache(maxsize=10_000)
def _remembered(root: Path, module: str) -> Path | None:
    return path_of(root, module, _directories)


_directories = Directories()


def forget() -> None:
    """Forgets where modules are, for a process that outlives a change of the files."""
    _starts.cache_clear()
    _remembered.cache_clear()
    _directories.forget()
