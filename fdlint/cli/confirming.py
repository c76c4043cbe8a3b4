"""``--confirm FILE`` compares the findings with what a test run has seen leak."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fdlint.cli.output import say

if TYPE_CHECKING:
    from fdlint.findings.finding import Report
    from fdlint.findings.sightings import SeenLeak

Command = TypeVar("Command", bound=Callable[..., Any])


def confirming(command: Command) -> Command:
    """Adds ``--confirm``."""
    option = click.option(
        "--confirm",
        metavar="RUN.json",
        help="Give findings that a test run has seen leak high confidence, and list leaks that no rule reports. The "
        "file is from `pytest --fd-leaks-json`, made in the same directory. The list does not change the exit status.",
    )
    return option(command)


def seen_leaks(file: str | None) -> list[SeenLeak] | None:
    """Reads the file, if the option is given. Raises ``UsageError``."""
    if file is None:
        return None
    from fdlint.driver.test_run import NotARunError, read_run
    from fdlint.reading import intake
    from fdlint.report.printable import printable

    try:
        return read_run(file)
    except OSError as error:
        raise click.UsageError(f"{file}: {intake.why(error)}") from None
    except NotARunError as error:
        raise click.UsageError(
            f"{file}: this was not written by pytest --fd-leaks-json: {printable(str(error))}"
        ) from None


def confirm(report: Report, leaks: list[SeenLeak] | None, *, quiet: bool) -> Report:
    """Applies ``--confirm`` to a report."""
    if leaks is None:
        return report
    from fdlint.findings.sightings import confirmed

    found = confirmed(report, leaks)
    if leaks and not quiet and not found.unreported and not any(one.seen for one in found.findings):
        say("fdlint: --confirm: no leak of the run is in the scanned files; run pytest in this directory, too")
    return found
