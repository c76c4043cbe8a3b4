"""The pytest plugin. Until ``--fd-leaks`` asks for it, it adds options and loads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("fdlint", "descriptor leaks (fdlint)")
    group.addoption(
        "--fd-leaks",
        nargs="?",
        const="error",
        metavar="error|warn|report|off",
        help="Look for descriptors that a test leaves open: fail it (the default), warn, or list them at the end.",
    )
    group.addoption("--fd-leaks-json", metavar="FILE", help="Write them to a file as JSON.")
    group.addoption(
        "--fd-leaks-findings", metavar="FILE", help="Name the findings in this JSON report of fdlint beside them."
    )
    group.addoption(
        "--fd-san",
        nargs="?",
        const="error",
        metavar="error|report|off",
        help="Fail tests that use or close a descriptor after its end, or that of an object (or list them at the end).",
    )
    parser.addini("fd_san", "Check the use of descriptors: error, report or off.", default="")
    parser.addini("fd_leaks", "Look for leaked descriptors: error, warn, report or off.", default="")
    parser.addini("fd_leaks_ignore", "Patterns of kinds, paths and `file:line` that do not count.", type="linelist")


def mode_of(config: pytest.Config) -> str:
    """Returns the mode that the options ask for, unchecked. A file to write asks for ``report``."""
    writes = config.getoption("fd_leaks_json", None) or config.getoption("fd_leaks_findings", None)
    return str(config.getoption("fd_leaks", None) or config.getini("fd_leaks") or ("report" if writes else "off"))


def san_mode_of(config: pytest.Config) -> str:
    """Returns the mode of the sanitizer, unchecked."""
    return str(config.getoption("fd_san", None) or config.getini("fd_san") or "off")


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Starts to record before the first code of the project is imported."""
    options = early_config.known_args_namespace
    asked = options.fd_leaks or options.fd_leaks_json or options.fd_leaks_findings
    if (asked or early_config.getini("fd_leaks") or "off") != "off":
        from fdlint.runtime.pytest_plugin.session import recorder_of

        recorder_of(early_config).start()
    if (options.fd_san or early_config.getini("fd_san") or "off") != "off":
        from fdlint.runtime.pytest_plugin.session import reports_of

        reports_of(early_config).start()


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker, and loads the rest if it is asked for."""
    config.addinivalue_line(
        "markers", "fd_leaks(allow=N, ignore=PATTERNS): a test may leave N descriptors open, or those that match."
    )
    if mode_of(config) != "off":
        from fdlint.runtime.pytest_plugin.session import begin

        begin(config, mode_of(config))
    if san_mode_of(config) != "off":
        from fdlint.runtime.pytest_plugin.session import begin_san

        begin_san(config, san_mode_of(config))
