"""The end of a session: the list of leaks, and the JSON file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from fdlint.runtime.pytest_plugin.checking import ATTRIBUTE
from fdlint.runtime.recording.findings import Findings

VERSION = 1


class Reporter:
    """The hooks of the process that reports. With xdist it runs no test itself."""

    def __init__(self, config: pytest.Config, mode: str, able: bool, findings: Findings) -> None:
        self._config, self._mode, self._able = config, mode, able
        self._leaks: list[dict[str, Any]] = []
        self._tests = 0

    def pytest_report_header(self) -> str:
        """Says the mode, or that the system has no way to count."""
        if not self._able:
            return "fd-leaks: off, because this system does not list the open descriptors of a process"
        return f"fd-leaks: {self._mode}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collects the leaks of a test."""
        self._tests += report.when == "call"
        self._leaks.extend(getattr(report, ATTRIBUTE, ()))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, None, None]:
        """Writes the file, also if a fixture fails at its end."""
        try:
            yield
        finally:
            self._write()

    def _write(self) -> None:
        file = self._config.getoption("fd_leaks_json")
        if file is None or hasattr(self._config, "workerinput") or not self._able:
            return
        document = {"version": VERSION, "tool": "fdlint-pytest", "tests": self._tests, "leaks": self._leaks}
        text = json.dumps(document, indent=1).encode("utf-8", "backslashreplace")
        Path(file).write_bytes(text + b"\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Lists the places, the most frequent first."""
        if not self._leaks:
            return
        from fdlint.report.printable import printable

        terminalreporter.section("leaked descriptors (fdlint)")
        sites = Counter(map(_place, self._leaks))
        tests: dict[str, str] = {}
        for one in self._leaks:
            tests.setdefault(_place(one), one["test"])
        for place, number in sites.most_common():
            terminalreporter.write_line(f"{number:>5}  {place}, first in {printable(tests[place])}")


def _place(leak: dict[str, Any]) -> str:
    from fdlint.report.printable import printable
    from fdlint.runtime.pytest_plugin.words import headline

    site, finding = leak["site"], leak["finding"]
    outside = "a place outside of the project" if leak["api"] else "an unknown line (no call that Python reports)"
    place = f"{site['path']}:{site['line']} in {site['function']}" if site else outside
    said = f" [{finding}]" if finding else ""
    what = leak["kind"] if leak["kind"] in ("file", "deleted file") else headline(leak["kind"], leak["path"] or "")
    return f"{what} acquired at {printable(place)}{printable(said)}"
