"""Lists the files that git tracks in a work tree."""

from __future__ import annotations

import bisect
import os
from collections.abc import Sequence
from dataclasses import dataclass

from fdlint.scan.git.private import private
from fdlint.scan.git.repository import Repository
from fdlint.scan.git.run import GitError


@dataclass(frozen=True, slots=True)
class Tracked:
    """The names that git tracks, sorted and relative to ``top``, which ends in a slash."""

    top: str
    names: Sequence[str]

    def holds(self, path: str) -> bool:
        """Whether git tracks a file (absolute, resolved), or a file in a directory (ending in a slash)."""
        name = path.removeprefix(self.top)
        return self._has(name.rstrip("/")) or (name.endswith("/") and self._begins(name))

    def _has(self, name: str) -> bool:
        at = bisect.bisect_left(self.names, name)
        return at < len(self.names) and self.names[at] == name

    def _begins(self, name: str) -> bool:
        at = bisect.bisect_left(self.names, name)
        return at < len(self.names) and self.names[at].startswith(name)


NOTHING = Tracked("", ())


def tracked(repository: Repository) -> Tracked:
    """Lists the files that git tracks in a repository; none if git fails."""
    try:
        with private(repository, history=False) as own:
            listed = os.fsdecode(own.git("ls-files", "--cached", "-z"))
    except GitError:
        return NOTHING
    return Tracked(repository.top.replace(os.sep, "/").rstrip("/") + "/", sorted(listed.split("\0")))
