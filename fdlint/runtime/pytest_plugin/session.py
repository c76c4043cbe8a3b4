"""Begins the search for leaks in one pytest session."""

from __future__ import annotations

import importlib
from types import CodeType

import pytest

from fdlint.runtime.pytest_plugin.allowing import Allowance
from fdlint.runtime.pytest_plugin.checking import Checker
from fdlint.runtime.pytest_plugin.reporting import Reporter
from fdlint.runtime.pytest_plugin.sanitizing import MODES as SAN_MODES
from fdlint.runtime.pytest_plugin.sanitizing import Reports, Watcher
from fdlint.runtime.recording.acquisitions import Recorder
from fdlint.runtime.recording.findings import Findings, FindingsError
from fdlint.runtime.recording.table import directory

MODES = ("error", "warn", "report", "off")
_RECORDER = pytest.StashKey[Recorder]()
_REPORTS = pytest.StashKey[Reports]()


def recorder_of(config: pytest.Config) -> Recorder:
    """Returns the recorder of a session. pytest calls each test and each fixture by way of pluggy."""
    return config.stash.setdefault(_RECORDER, Recorder(_outermost("pluggy._callers", "_multicall")))


def _outermost(module: str, name: str) -> CodeType | None:
    """Returns the code of a function. It is private to its library: without it, stacks are only longer."""
    try:
        return getattr(getattr(importlib.import_module(module), name, None), "__code__", None)
    except ImportError:
        return None


def begin(config: pytest.Config, mode: str) -> None:
    """Registers what checks the tests, and what reports. Raises ``UsageError`` for an unknown mode."""
    if mode not in MODES:
        raise pytest.UsageError(f"--fd-leaks: {mode!r} is not one of {', '.join(MODES)} (write --fd-leaks=MODE)")
    listing = directory()
    findings = _findings(config)
    reporter = Reporter(config, mode, listing is not None, findings)
    config.pluginmanager.register(reporter, "fdlint-leaks-reporter")
    if listing is None:
        return
    recorder = recorder_of(config)
    recorder.start()
    config.add_cleanup(recorder.stop)
    ignored = Allowance(ignore=tuple(config.getini("fd_leaks_ignore")))
    checker = Checker(recorder, listing, mode, str(config.rootpath), ignored, findings)
    config.pluginmanager.register(checker, "fdlint-leaks-checker")


def _findings(config: pytest.Config) -> Findings:
    try:
        return Findings.read(config.getoption("fd_leaks_findings"))
    except FindingsError as error:
        raise pytest.UsageError(f"--fd-leaks-findings: {error}") from None


def reports_of(config: pytest.Config) -> Reports:
    """Returns the reports of the sanitizer of a session."""
    return config.stash.setdefault(_REPORTS, Reports())


def begin_san(config: pytest.Config, mode: str) -> None:
    """Registers what tells of misused descriptors. Raises ``UsageError`` for an unknown mode."""
    if mode not in SAN_MODES:
        raise pytest.UsageError(f"--fd-san: {mode!r} is not one of {', '.join(SAN_MODES)} (write --fd-san=MODE)")
    reports = reports_of(config)
    config.add_cleanup(reports.stop)
    findings = _findings(config)
    config.pluginmanager.register(Watcher(reports, mode, str(config.rootpath), findings), "fdlint-sanitizer")
