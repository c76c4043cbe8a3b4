"""Reads reports that ``fdlint scan`` has written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fdlint.cli.streams import read_stdin
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.report.findings.finding import Report

STDIN = "-"


def read_report(place: str, *, stdin: bool = False) -> Report:
    """Reads the report in a file, or with ``stdin`` from standard input if the name is ``-``. Raises ``UsageError``."""
    from fdlint.report.reading import NotAReportError, read

    from_stdin = stdin and place == STDIN
    try:
        return read(read_stdin(intake.STORE) if from_stdin else intake.read(place, intake.STORE))
    except OSError as error:
        raise click.UsageError(f"{place}: {intake.why(error)}") from None
    except NotAReportError as error:
        shown = "standard input" if from_stdin else place
        raise click.UsageError(f"{shown}: this is no report of `fdlint scan --output-format json`: {error}") from None
