"""Watches how full the descriptor table of this process is. It records nothing until half of the limit is reached:
before that, it costs one question to the kernel every ten seconds. When the table is nearly full, it writes one report
with the lines that have acquired most of what is open, at most one an hour. It runs in production: it never raises.
"""

from __future__ import annotations

import os
import resource
import threading
import time
from collections import Counter
from collections.abc import Callable

from fdlint.report.printable import printable
from fdlint.runtime.recording.acquisitions import Acquisition, Recorder
from fdlint.runtime.recording.failures import is_own
from fdlint.runtime.recording.findings import Findings, FindingsError
from fdlint.runtime.recording.leaks import Place, places_of, until_runner
from fdlint.runtime.recording.table import count, directory, numbers

VARIABLE, FINDINGS = "FDLINT_WATCHDOG", "FDLINT_WATCHDOG_FINDINGS"
_SECONDS, _HOUR = 10.0, 3_600.0
_RECORDS_FROM, _REPORTS_FROM = 0.5, 0.9
_SHOWN, _FRAMES = 5, 6
_STDERR = 2
_write, _open, _close = os.write, os.open, os.close


class Watchdog:
    """The watchdog of this process. ``write`` gets each report. ``records_from`` and ``reports_from``: shares of the
    limit. ``finding_at``: the finding on a line, or nothing."""

    def __init__(
        self,
        write: Callable[[str], None],
        records_from: float = _RECORDS_FROM,
        reports_from: float = _REPORTS_FROM,
        finding_at: Callable[[Place], str] = lambda place: "",
    ) -> None:
        self._write, self._finding_at = write, finding_at
        self._records_from, self._reports_from = records_from, reports_from
        self._recorder: Recorder | None = None
        self._reported: float | None = None
        self._listing = directory()

    def start(self, seconds: float = _SECONDS) -> None:
        """Looks every few seconds, in a thread; in forked children, too."""
        self._run(seconds)
        os.register_at_fork(after_in_child=lambda: self._run(seconds))

    def _run(self, seconds: float) -> None:
        threading.Thread(target=self._look_again, args=(seconds,), name="fdlint-watchdog", daemon=True).start()

    def _look_again(self, seconds: float) -> None:
        while True:
            time.sleep(seconds)
            try:
                self.look(time.monotonic())
            except Exception as error:
                if not is_own(error):
                    raise

    def look(self, now: float) -> None:
        """Looks once. Begins to record, ends that, or reports."""
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if self._listing is None or limit == resource.RLIM_INFINITY:
            return
        opened = count(self._listing) or len(numbers(self._listing))
        if opened < self._records_from * limit:
            self._stop()
            return
        if self._recorder is None:
            self._recorder = Recorder()
            self._recorder.start()
        if opened >= self._reports_from * limit and (self._reported is None or now - self._reported >= _HOUR):
            self._reported = now
            self._write(self._report(opened, limit))

    def _stop(self) -> None:
        if self._recorder is not None:
            self._recorder.stop()
            self._recorder = None

    def _report(self, opened: int, limit: int) -> str:
        made: Counter[Acquisition] = Counter()
        for name in numbers(self._listing or ""):
            one = self._recorder.of_number(int(name)) if self._recorder is not None else None
            if one is not None:
                made[one._replace(path=None)] += 1
        known = sum(made.values())
        head = f"fdlint: process {os.getpid()} has {opened:,} of {limit:,} descriptors open; the next calls may fail"
        lines = [head, f"  {known:,} were acquired since {self._records_from:.0%} of the limit was reached:"]
        for one, number in made.most_common(_SHOWN):
            lines += self._lines(one, number)
        lines.append(f"  $ fdlint doctor {os.getpid()}")
        return "\n".join(lines)

    def _lines(self, one: Acquisition, number: int) -> list[str]:
        places = list(places_of(until_runner(one.frames), os.path.join(os.path.realpath(os.getcwd()), "")))[:_FRAMES]
        said = next(filter(None, map(self._finding_at, places)), "")
        lines = [f"  {number:,} by {one.api}{f' [{printable(said)}]' if said else ''}"]
        return lines + [printable(f"    {each.path}:{each.line} in {each.function}") for each in places]


def begin_from_environment() -> None:
    """Begins if the environment asks for it: ``1``, or the file to which reports are appended. They name the findings
    of a report in JSON, if there is one."""
    wanted = os.environ.get(VARIABLE)
    if not wanted or directory() is None:
        return

    def write(text: str) -> None:
        _append(text, None if wanted == "1" else wanted)

    try:
        findings = Findings.read(os.environ.get(FINDINGS))
    except FindingsError as error:
        write(f"fdlint: {FINDINGS}: {error}")
        findings = Findings()
    Watchdog(write, finding_at=findings.at).start()


def _append(text: str, file: str | None) -> None:
    data = (text + "\n").encode(errors="backslashreplace")
    if file is None:
        _write(_STDERR, data)
        return
    number = _open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        _write(number, data)
    finally:
        _close(number)
