"""Finds the repository of a directory. Unlike git, it never finds a bare one that came with the tree."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from fdlint.scan.reading.intake import content

_LINE = 8192  # bytes of a file that names a directory


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a work tree; all paths are absolute and resolved.

    ``top``: the work tree. ``directory``: its git directory. ``common``: the git directory that all worktrees of the
    repository share.
    """

    top: str
    directory: str
    common: str

    def holds(self, path: str) -> bool:
        """Whether a path (absolute, resolved) is in the work tree or in its git directory."""
        return path.startswith(self.top.rstrip(os.sep) + os.sep)

    def name(self, path: str) -> str:
        """Returns git's name of a path in the work tree."""
        return os.path.relpath(path, self.top).replace(os.sep, "/")


def enclosing(directory: str) -> Repository | None:
    """Returns the repository of a directory or of the nearest directory above it."""
    real = Path(os.path.realpath(directory))
    return next((found for one in (real, *real.parents) if (found := at(str(one))) is not None), None)


def at(top: str) -> Repository | None:
    """Returns the repository whose work tree begins at a directory (resolved). None for a bare repository."""
    if not os.path.lexists(os.path.join(top, ".git")):
        return None
    directory, common = directories(top)
    complete = os.path.lexists(os.path.join(directory, "HEAD")) and all(
        os.path.isdir(os.path.join(common, name)) for name in ("objects", "refs")
    )
    return Repository(top, directory, common) if complete else None


def directories(top: str) -> tuple[str, str]:
    """Returns the git directory of a work tree, and the one that all worktrees of the repository share.

    In a worktree or a submodule ``.git`` is a file that names the first, which may name the second.
    """
    directory = os.path.join(top, ".git")
    if not os.path.isdir(directory):
        directory = os.path.join(top, _named(directory, prefix="gitdir:") or ".git")
    common = os.path.join(directory, _named(os.path.join(directory, "commondir")))
    return os.path.realpath(directory), os.path.realpath(common)


def _named(file: str, prefix: str = "") -> str:
    """Returns the path in a file's first line; empty if there is none."""
    data = content(file, _LINE) or b""
    line = os.fsdecode(data.partition(b"\n")[0]).strip()
    return line.removeprefix(prefix).strip() if line.startswith(prefix) and "\0" not in line else ""
