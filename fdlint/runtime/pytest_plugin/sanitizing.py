"""``--fd-san``: fails a test that uses or closes a descriptor after its end, or that of somebody else."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from fdlint.runtime.recording.findings import Findings
from fdlint.runtime.sanitizer.placing import Placed
from fdlint.runtime.sanitizer.sanitizer import Offending, Sanitizer
from fdlint.runtime.sanitizer.words import told

MODES = ("error", "report", "off")


class Reports:
    """The reports of the sanitizer, test by test. The sanitizer is in place from ``start`` on."""

    def __init__(self) -> None:
        self._new: list[Offending] = []
        self._placed = Placed(Sanitizer(self._new.append))
        self.start, self.stop = self._placed.start, self._placed.stop

    def take(self) -> list[Offending]:
        """Returns what is new."""
        found = list(self._new)
        del self._new[: len(found)]
        return found


class Watcher:
    """The hooks. ``able`` to fail tests unless the mode is ``report``."""

    def __init__(self, reports: Reports, mode: str, root: str, findings: Findings) -> None:
        self._reports, self._mode, self._root, self._findings = reports, mode, root, findings
        self._all: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Adds what a phase of a test has done wrong."""
        report = yield
        found = [told(one, self._root, self._findings.at) for one in self._reports.take()]
        if found:
            report.sections.append(("descriptors (fdlint)", "\n".join(found)))
            if self._mode == "error" and report.outcome == "passed":
                report.outcome, report.longrepr = "failed", "\n".join(found)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collects them; with xdist in the process that reports."""
        self._all += [f"{report.nodeid}\n{text}" for title, text in report.sections if title == "descriptors (fdlint)"]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Lists them, if they fail no test."""
        if self._all and self._mode == "report":
            terminalreporter.section("misused descriptors (fdlint)")
            for text in self._all:
                terminalreporter.write_line(text)
