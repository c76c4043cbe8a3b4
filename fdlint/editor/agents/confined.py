"""Paths below one directory. Agents name them, and what they read can be hostile."""

from __future__ import annotations

import os


class OutsideError(ValueError):
    """A path is not below the directory. The message is for the agent."""


class Root:
    """The directory to which all is confined."""

    def __init__(self, directory: str) -> None:
        self.directory = os.path.realpath(directory)

    def inside(self, path: str) -> str:
        """Returns a path relative to the directory. ``..`` and links count by what they lead to. Raises
        ``OutsideError``."""
        if "\0" in path:
            raise OutsideError("a path has no null characters")
        real = os.path.realpath(os.path.join(self.directory, path))
        if not self.has(real):
            raise OutsideError(f"{path} is not below the directory of this server")
        return os.path.relpath(real, self.directory)

    def has(self, path: str) -> bool:
        """Whether a path leads to something below the directory."""
        real = os.path.realpath(path)
        return real == self.directory or real.startswith(os.path.join(self.directory, ""))
