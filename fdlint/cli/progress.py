"""A progress bar for long scans, on a terminal only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from fdlint.cli.output import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0  # seconds before a bar appears


class ProgressBar:
    """A context manager; calling it with (done, total) moves the bar. Without a terminal it does nothing."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted and is_terminal(sys.stderr)
        self._appears = time.monotonic() + PATIENCE
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, done: int, total: int) -> None:
        """Shows that ``done`` of ``total`` files are finished."""
        if self._bar is None and self._wanted and time.monotonic() >= self._appears:
            self._bar = _start(total)
        if self._bar is not None:
            progress, task = self._bar
            progress.update(task, completed=done, total=total)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar[0].stop()


def _start(total: int) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import Progress

    progress = Progress(console=Console(stderr=True, force_terminal=True), transient=True)
    task = progress.add_task("scanning", total=total)
    progress.start()
    return progress, task
