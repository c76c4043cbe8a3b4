"""``--confirm FILE`` compares the findings with what a test run has seen leak."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fdlint.cli.output import say

if TYPE_CHECKING:
    from fdlint.report.findings.finding import Report
    from fdlint.report.findings.sightings import SeenLeak

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Confirming:
    """What a test run has seen leak; None without the option."""

    leaks: Sequence[SeenLeak] | None

    def __call__(self, report: Report, quiet: bool) -> Report:
        """Applies the option to a report. Unless ``quiet``, says if they have no line in common."""
        if self.leaks is None:
            return report
        from fdlint.report.findings.sightings import confirmed

        found = confirmed(report, self.leaks)
        if self.leaks and not quiet and not found.unreported and not any(one.seen for one in found.findings):
            say("fdlint: --confirm: no leak of the run is in the scanned files; run pytest in this directory, too")
        return found


def confirming(command: Command) -> Command:
    """Adds ``--confirm``. The command gets a ``Confirming``."""
    option = click.option(
        "--confirm",
        metavar="RUN.json",
        callback=lambda _context, _parameter, file: Confirming(_seen_leaks(file)),
        help="Give findings that a test run has seen leak high confidence, and list leaks that no rule reports. The "
        "file is from `pytest --fd-leaks-json`, made in the same directory. The list does not change the exit status.",
    )
    return option(command)


def _seen_leaks(file: str | None) -> Sequence[SeenLeak] | None:
    """Reads the file, if the option is given. Raises ``UsageError``."""
    if file is None:
        return None
    from fdlint.report.printable import printable
    from fdlint.scan.reading import intake
    from fdlint.scan.test_run import NotARunError, read_run

    try:
        return read_run(file)
    except OSError as error:
        raise click.UsageError(f"{file}: {intake.why(error)}") from None
    except NotARunError as error:
        said = f"{file}: this was not written by pytest --fd-leaks-json: {printable(str(error))}"
        raise click.UsageError(said) from None
