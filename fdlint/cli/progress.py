"""The progress of a long scan: a bar on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from fdlint.cli.output import is_terminal, say
from fdlint.report.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0  # seconds before a bar appears
EVERY = 10.0  # seconds between two lines without a terminal
_LEAST = 0.2  # share of the files from which on there is an estimate: before that it would jump
_WIDTH = 40


class ProgressBar:
    """A context manager; calling it with (done, total, last finished file) shows the progress."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted, self._on_terminal = wanted, wanted and is_terminal(sys.stderr)
        self._started = time.monotonic()
        self._said = self._started
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, done: int, total: int, last: str = "") -> None:
        """Shows that ``done`` of ``total`` files are finished."""
        now = time.monotonic()
        left = _left(now - self._started, done, total)
        if self._on_terminal:
            if self._bar is None and now - self._started >= PATIENCE:
                self._bar = _start(total)
            if self._bar is not None:
                progress, task = self._bar
                progress.update(task, completed=done, left=left, last=_short(last))
        elif self._wanted and now - self._said >= EVERY:
            self._said = now
            say(", ".join(filter(None, (f"fdlint: {done} of {total} files", left, _short(last)))))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar[0].stop()


def _left(seconds: float, done: int, total: int) -> str:
    """Returns the time that is left, in words. The pace of the whole scan counts, as that of the last files jumps."""
    if done >= total or done < total * _LEAST or seconds < PATIENCE:
        return ""
    left = seconds * (total - done) / done
    return f"about {round(left / 60)} min left" if left >= 90 else f"about {max(round(left, -1), 10):.0f} s left"


def _short(path: str) -> str:
    """Returns a path that fits into a line, without characters that a terminal obeys."""
    shown = printable(path)
    return shown if len(shown) <= _WIDTH else f"…{shown[1 - _WIDTH :]}"


def _start(total: int) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               *(TextColumn(f"{{task.fields[{name}]}}", markup=False) for name in ("left", "last")))  # fmt: skip
    progress = Progress(*columns, console=Console(stderr=True, force_terminal=True), transient=True)
    task = progress.add_task("scanning", total=total, left="", last="")
    progress.start()
    return progress, task
