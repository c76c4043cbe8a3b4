"""A plugin of pytest: with ``--allowed-skips FILE``, a skipped test fails unless a line of the file allows it.

A line has a pattern of node ids, in which ``*`` stands for anything, then at least two spaces, then the reason.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest

OPTION = "--allowed-skips"
_SEPARATOR = re.compile(r"\s{2,}")
_Report = TypeVar("_Report", pytest.TestReport, pytest.CollectReport)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, metavar="FILE", help="fail each skipped test, unless a line of FILE allows it")


def pytest_configure(config: pytest.Config) -> None:
    file = config.getoption(OPTION)
    if file is not None:
        config.pluginmanager.register(Gate(allowed(config.rootpath / file)))


def allowed(file: Path) -> dict[str, re.Pattern[str]]:
    """Returns each pattern of a file, as it is written and as a regular expression."""
    found = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if line and not line.startswith("#"):
            pattern, *reason = _SEPARATOR.split(line, maxsplit=1)
            if not reason:
                raise pytest.UsageError(f"{file}:{number}: no reason after two spaces")
            found[pattern] = re.compile(".*".join(map(re.escape, pattern.split("*"))))
    return found


class Gate:
    """Turns skips into failures. With pytest-xdist each worker does it for its tests."""

    def __init__(self, allowed: dict[str, re.Pattern[str]]) -> None:
        self._allowed = allowed

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        return self._judged((yield))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        return self._judged((yield))

    def _judged(self, report: _Report) -> _Report:
        expected = hasattr(report, "wasxfail")
        if report.skipped and not expected and not self._lines_about(report.nodeid):
            *_, reason = report.longrepr if isinstance(report.longrepr, tuple) else (report.longrepr,)
            report.outcome = "failed"
            report.longrepr = f"{reason}\n{OPTION} has no line about {report.nodeid}"
        return report

    def _lines_about(self, test: str) -> set[str]:
        return {line for line, pattern in self._allowed.items() if pattern.fullmatch(test)}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Names the lines that no skipped test needed: some need them on other systems, some never again."""
        skipped = terminalreporter.stats.get("skipped", ())
        needed = set[str]().union(*(self._lines_about(report.nodeid) for report in skipped))
        unneeded = [line for line in self._allowed if line not in needed]
        if unneeded:
            terminalreporter.section("allowed skips that did not happen")
            for line in unneeded:
                terminalreporter.write_line(line)
