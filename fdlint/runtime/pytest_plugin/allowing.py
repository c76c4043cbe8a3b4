"""What a test, or the whole project, may leave open: the marker and the ini options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # it is loaded when a test leaks
    from fdlint.runtime.recording.leaks import Leak

MARKER = "fd_leaks"


@dataclass(frozen=True, slots=True)
class Allowance:
    """``allow``: how many descriptors may stay. ``ignore``: patterns of those that do not count."""

    allow: int = 0
    ignore: tuple[str, ...] = ()

    def marked(self, item: pytest.Item) -> Allowance:
        """Returns the allowance of a test. Raises ``UsageError`` if its marker is wrong."""
        if MARKER not in item.keywords:
            return self
        allow, ignore = self.allow, list(self.ignore)
        for marker in item.iter_markers(MARKER):
            if marker.args or not marker.kwargs.keys() <= {"allow", "ignore"}:
                raise pytest.UsageError(f"{item.nodeid}: the marker {MARKER} takes allow=N and ignore=PATTERNS only")
            given = marker.kwargs.get("ignore", ())
            ignore += [given] if isinstance(given, str) else given
            allow = max(allow, marker.kwargs.get("allow", 0))
        return Allowance(allow, tuple(ignore))

    def left(self, leaks: Iterable[Leak]) -> Sequence[Leak]:
        """Returns the leaks that count; none if no more are left than allowed."""
        counted = [one for one in leaks if not one.matches(self.ignore)]
        return counted if len(counted) > self.allow else ()
