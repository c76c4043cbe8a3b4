"""Files that are analysed at once: one file, or a package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fdlint.scan.files.discover import FileToScan


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files that a scan asks about. ``package``: the place of the package that they are in; None: one file alone."""

    files: tuple[FileToScan, ...]
    package: Path | None = None

    @property
    def name(self) -> str:
        """The path of its first file."""
        return self.files[0].name

    @property
    def size(self) -> int:
        """The number of bytes to read."""
        return sum(file.size for file in self.files)
