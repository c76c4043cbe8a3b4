"""Where the modules that a file imports lie: told by the directories alone, nothing is imported."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from fdlint.discover import TOP_MARKS

_MAX_CLIMB = 5  # directories looked at above a file that is in no package
_IMPORT = re.compile(rb"(?m)^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t(]+([\w, \t]*)|import[ \t]+([\w., \t]+))")


def path_of(root: Path, module: str) -> Path | None:
    """The file of a module below the place where imports start, or a place further up in the project."""
    relative = Path(*module.split("."))
    for start in _starts(root):
        for base in (start, start / "src", start / "lib"):
            for path in (base / relative / "__init__.py", base / relative.with_suffix(".py")):
                if path.is_file():
                    return path.resolve()
    return None


@functools.lru_cache(maxsize=256)
def _starts(root: Path) -> tuple[Path, ...]:
    """Where imports may start: the directory itself, and those above it up to the top of the project."""
    found = [root]
    while len(found) < _MAX_CLIMB and not any((found[-1] / mark).exists() for mark in TOP_MARKS):
        if found[-1] in (Path.cwd(), found[-1].parent):
            break
        found.append(found[-1].parent)
    return tuple(found)


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
    return path_of(root, module)
