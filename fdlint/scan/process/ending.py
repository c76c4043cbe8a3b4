"""Signals that end a scan: its worker processes end too, and no file stays half written."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Ended(SystemExit):
    """A signal has ended the process. ``code`` is the exit status that a shell reports for it."""

    @property
    def status(self) -> int:
        """The exit status of the process."""
        return int(str(self.code))


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raises ``Ended`` on SIGTERM and SIGHUP, so that every ``finally`` runs. Leaves signals alone that are ignored
    (nohup) or have a handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def end(number: int, _frame: object) -> None:
    """Handles a signal by raising ``Ended``."""
    signal.signal(number, signal.SIG_IGN)  # the scan is already ending
    raise Ended(128 + number)
