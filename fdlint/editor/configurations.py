"""The configuration of each text, as it is on disk now."""

from __future__ import annotations

import os
from pathlib import Path

from fdlint.scan.config import OWN_FILE, SHARED_FILE, UNCONFIGURED, Choose, Config, ConfigError, isolated, nearest
from fdlint.scan.select import checking

_Stamp = tuple[tuple[str, int, int], ...]


class Configurations:
    """Returns the nearest configuration, and reads it again when a file on the way up has changed."""

    def __init__(self, *, alone: bool = False) -> None:
        """``alone``: ignore all configurations."""
        self._alone = alone
        self._choose: dict[Path, tuple[_Stamp, Choose]] = {}
        self._last: dict[Path, Config] = {}

    def of(self, path: Path) -> tuple[Config, str | None]:
        """Returns the configuration of a file, and the error in it, if there is one: the last valid configuration then
        stays."""
        if self._alone:
            return isolated(str(path)), None
        directory = path.parent
        stamp = _stamp(directory)
        known = self._choose.get(directory)
        if known is None or known[0] != stamp:
            known = self._choose[directory] = stamp, checking(nearest())
        try:
            found = self._last[directory] = known[1](str(path))
        except ConfigError as error:
            return self._last.get(directory, UNCONFIGURED), str(error)
        return found, None


def _stamp(directory: Path) -> _Stamp:
    """Returns what changes when a configuration at or above a directory is written, made or deleted."""
    found = []
    for parent in (directory, *directory.parents):
        for name in (OWN_FILE, SHARED_FILE):
            try:
                state = os.stat(parent / name)
            except OSError:
                continue
            found.append((str(parent / name), state.st_mtime_ns, state.st_size))
        if (parent / ".git").exists():
            break
    return tuple(found)
