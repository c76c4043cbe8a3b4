"""``--compare OLD.json`` shows the changes since an older report."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from fdlint.cli.reports import read_report

if TYPE_CHECKING:
    from fdlint.report.findings.finding import Report

Command = TypeVar("Command", bound=Callable[..., Any])


class Older(NamedTuple):
    """The older report and its file."""

    file: str
    report: Report


def comparing(command: Command) -> Command:
    """Adds ``--compare``."""
    option = click.option(
        "--compare",
        metavar="OLD.json",
        help="Show what is new and what is fixed since an older JSON report, made in the same directory.",
    )
    return option(command)


def older_report(file: str | None) -> Older | None:
    """Reads the older report, if the option is given. Raises ``UsageError``."""
    return Older(file, read_report(file)) if file is not None else None


def compared(report: Report, older: Older | None, unseen: Callable[[str], bool] | None = None) -> Report:
    """Returns the report with its trend, if there is an older one. ``unseen``: whether the newer scan passed over a
    file. By default those count that exist and that it did not scan."""
    if older is None:
        return report
    from fdlint.report.findings.trend import compare

    return replace(report, trend=compare(report, older.report, older.file, unseen or _not_scanned(report)))


def _not_scanned(report: Report) -> Callable[[str], bool]:
    scanned = frozenset(report.scanned)
    return lambda path: path not in scanned and os.path.lexists(path)
