"""Compares the open descriptors before and after each test.

What is left after the teardown is judged when the last report of the test goes out: until then, other plugins may use
the values of its fixtures, and the object of its class. What only pytest's item holds is no leak, so the item lets go
of both then. Nothing in them is changed.
"""

from __future__ import annotations

import gc
import os
import threading
import time
import warnings
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from fdlint.runtime.pytest_plugin.allowing import Allowance
from fdlint.runtime.recording.acquisitions import Recorder
from fdlint.runtime.recording.findings import Findings
from fdlint.runtime.recording.table import Identity, Table, count, link_of, numbers, table_of

if TYPE_CHECKING:  # it is loaded when a test leaks
    from fdlint.runtime.recording.leaks import Leak

ATTRIBUTE = "fdlint_leaks"
"""The leaks in a test's last report: that is how they come from a worker of xdist to its controller."""
_PATIENCE = 0.2
_MOST_PATIENCE = 5.0
_PAUSE = 0.02
_OBJECTS = ("_obj", "_instance")
"""Where an item keeps the object of the test's class, and its method."""
_GENERATIONS = (1, 2)  # what a test has made is young; a collection of everything takes milliseconds


class DescriptorLeakWarning(pytest.PytestWarning):
    """A test leaves descriptors open."""


class Checker:
    """The hooks of the process that runs the tests."""

    def __init__(
        self, recorder: Recorder, listing: str, mode: str, root: str, allowance: Allowance, findings: Findings
    ) -> None:
        self._recorder, self._listing, self._mode = recorder, listing, mode
        self._root, self._allowance, self._findings = root, allowance, findings
        self._names: frozenset[str] = frozenset()
        self._count = 0
        self._table: Table = {}
        self._serial = -1
        self._before: Table = {}
        self._process = 0
        self._failed = False
        self._owned: dict[Any, dict[int, Identity]] = {}
        self._ended: list[tuple[str, dict[int, Identity]]] = []
        self._left: dict[int, str] = {}
        self._item: pytest.Item | None = None
        self._allowed = allowance
        self._patience = _MOST_PATIENCE

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        """Counts before the test."""
        self._process, self._failed, self._item = os.getpid(), False, None
        self._ended.clear()
        self._recorder.forget_paths()
        if not self._is_as_before():
            self._now()
        self._before = self._table
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Remembers what a fixture of wider scope opens: it is checked when the fixture has ended."""
        if fixturedef.scope == "function":
            return (yield)
        if fixturedef in self._owned:  # it has ended, and begins again with another parameter
            self._ended.append((fixturedef.argname, self._owned.pop(fixturedef)))
        before = self._now()
        try:
            return (yield)
        finally:
            opened = {number: one for number, one in self._now().items() if before.get(number) != one}
            inner = self._of_fixtures()
            mine = {number: one for number, one in opened.items() if inner.get(number) != one}
            self._owned[fixturedef] = mine

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Counts after the test. A test that has failed is not checked: its traceback keeps objects alive."""
        result = yield
        if self._process == os.getpid():  # a child of the test can come here, too
            self._allowed = self._allowance.marked(item)
            for fixture in [one for one in self._owned if one.cached_result is None]:
                self._ended.append((fixture.argname, self._owned.pop(fixture)))
            self._left, self._item = {} if self._failed else self._suspects(), item
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Notes whether the test fails."""
        report = yield
        self._failed = self._failed or call.excinfo is not None
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, object, object]:
        """Adds the leaks to the last report of a test, before anybody counts it."""
        item, self._item = self._item, None if report.when == "teardown" else self._item
        if item is not None and report.when == "teardown" and not self._failed and self._process == os.getpid():
            self._check(item, report)
        return (yield)

    def _check(self, item: pytest.Item, report: pytest.TestReport) -> None:
        if self._left and self._remaining():
            self._release(item)
        if suspects := self._remaining():
            self._judged(item, report, suspects)

    def _remaining(self) -> dict[int, str]:
        """What was left after the teardown, and is still open."""
        if not self._left:
            return {}
        now = self._suspects()
        return {number: name for number, name in self._left.items() if number in now}

    def _judged(self, item: pytest.Item, report: pytest.TestReport, suspects: dict[int, str]) -> None:
        from fdlint.runtime.pytest_plugin.words import entry, told

        leaks = self._allowed.left(self._leaks(suspects))
        if not leaks:
            return
        setattr(report, ATTRIBUTE, [entry(item.nodeid, leak, self._findings) for leak in leaks])
        if self._mode == "report":
            return
        threads = [one.name for one in threading.enumerate() if one is not threading.current_thread()]
        message = told(leaks, self._findings, threads)
        if self._mode == "warn":
            path, line, _ = item.reportinfo()
            try:
                warning = DescriptorLeakWarning(f"{item.nodeid}: {message}")
                warnings.warn_explicit(warning, None, str(path), (line or 0) + 1)
                return
            except DescriptorLeakWarning:  # the project turns warnings into errors
                pass
        report.outcome, report.longrepr = "failed", message

    def _now(self) -> Table:
        """The open descriptors. Most tests open none, so the last table is used again where nothing has happened."""
        names, serial = numbers(self._listing), self._recorder.serial
        if names != self._names or serial != self._serial:
            self._names, self._serial, self._table = names, serial, table_of(names)
            self._count = len(names) - 1  # the list is open while it is read
        return self._table

    def _is_as_before(self) -> bool:
        """Whether nothing has happened since the last table, as far as counts show it: between two tests only pytest
        itself runs."""
        return self._recorder.serial == self._serial and 0 < self._count == count(self._listing)

    def _of_fixtures(self) -> dict[int, Identity]:
        return {number: one for opened in self._owned.values() for number, one in opened.items()}

    def _suspects(self) -> dict[int, str]:
        """The descriptors that are left, each with the name of the fixture that opened it; empty for the test."""
        now, fixtures = self._now(), self._of_fixtures()
        before = self._before
        found = {number: "" for number, one in now.items() if one not in (before.get(number), fixtures.get(number))}
        for name, opened in self._ended:
            found.update({number: name for number, one in opened.items() if now.get(number) == one})
        return found

    def _release(self, item: pytest.Item) -> None:
        """Drops what pytest itself keeps of the test, collects garbage, and waits a moment for other threads."""
        values = getattr(item, "funcargs", None) or {}
        definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        for name in list(values):
            if not any(one.scope != "function" for one in definitions.get(name, ())):
                values[name] = None
        if hasattr(getattr(item, "cls", None), getattr(item, "originalname", None) or ""):
            for name in _OBJECTS:  # pytest makes them again if somebody asks for them
                vars(item).pop(name, None)
        for generation in _GENERATIONS:
            gc.collect(generation)
            self._serial = -1
            if not self._remaining():
                return
        end = time.monotonic() + min(_PATIENCE, self._patience)
        while threading.active_count() > 1 and time.monotonic() < end and self._remaining():
            time.sleep(_PAUSE)
            self._patience -= _PAUSE
            self._serial = -1

    def _leaks(self, suspects: dict[int, str]) -> list[Leak]:
        from fdlint.runtime.recording.leaks import Judge

        judge = Judge(self._recorder, self._root)
        links = ((number, link_of(self._listing, number)) for number in sorted(suspects))
        found = (judge.leak(number, link, suspects[number]) for number, link in links if link)
        return [leak for leak in found if leak is not None]
