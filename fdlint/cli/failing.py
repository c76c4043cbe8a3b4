"""The options that decide when a scan fails, and the exit status of a report."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fdlint.cli.output import say
from fdlint.core.finding import Severity
from fdlint.languages.registry import LANGUAGES

if TYPE_CHECKING:
    from fdlint.core.finding import Finding
    from fdlint.report.findings.finding import Report

FINDINGS, INCOMPLETE = 1, 2
NEVER, NEW = "never", "new"
_SEVERITIES = tuple(severity.value for severity in Severity)
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Failing:
    """``on``: the severities of findings that make a scan fail. ``strict``: whether skipped files do. ``only_new``:
    findings that an older report has do not count."""

    on: frozenset[Severity] = frozenset(Severity)
    strict: bool = False
    only_new: bool = False

    def status(self, report: Report) -> int:
        """Returns the exit status. Explains on standard error if skipped files decide it."""
        if report.ended is not None:
            return report.ended
        if _say_unchecked(report):
            return INCOMPLETE
        if self.strict and report.skipped:
            from fdlint.report.summary import count

            paths = len({one.path for one in report.skipped})
            say(f"fdlint: --strict: {count(paths, 'file')} could not be read, parsed or fully analysed")
            return INCOMPLETE
        return FINDINGS if any(one.severity in self.on for one in self._counting(report)) else 0

    def _counting(self, report: Report) -> Sequence[Finding]:
        if not self.only_new:
            return report.findings
        from fdlint.report import states

        known = states.states(report)
        return [one for one in report.findings if known.get(one) == states.NEW]


def _say_unchecked(report: Report) -> bool:
    """Says for each language how many files were not checked because its parser is missing. Returns whether there were
    any: a scan that cannot see what it was given must not look like success."""
    numbers = [(one, sum(skipped.reason == one.not_installed for skipped in report.skipped)) for one in LANGUAGES]
    for one, number in numbers:
        if number:
            say(f"fdlint: {number:,} {one.title} file{'' if number == 1 else 's'} {one.not_installed}")
    return any(number for _, number in numbers)


def failing(command: Command) -> Command:
    """Adds ``--fail-on``, ``--exit-zero`` and ``--strict``. The command gets a ``Failing``."""

    @functools.wraps(command)
    def called(*given: Any, fail_on: str | None, exit_zero: bool, strict: bool, **rest: Any) -> Any:
        if exit_zero and fail_on not in (None, NEVER):
            raise click.UsageError("--exit-zero is --fail-on never; choose one")
        if fail_on == NEW and not rest["compare"]:
            raise click.UsageError("--fail-on new needs an older report: --compare OLD.json")
        on = NEVER if exit_zero else Severity.WARNING.value if fail_on in (None, NEW) else fail_on
        severities = frozenset[Severity]() if on == NEVER else _from(Severity(on))
        what = Failing(severities, strict, only_new=fail_on == NEW)
        return command(*given, failing=what, **rest)

    fail_on = click.option(
        "--fail-on",
        metavar="WHICH",
        type=click.Choice([*_SEVERITIES, NEW, NEVER]),
        help="Exit with 1 for which findings: error, warning (the default: any), new (those that the report of "
        "--compare does not have) or never (the same as --exit-zero). --strict: with 2 for files not fully analysed.",
    )
    exit_zero = click.option("--exit-zero", is_flag=True, hidden=True, help="Exit with 0 even when there are findings.")
    strict = click.option(
        "--strict",
        is_flag=True,
        hidden=True,
        help="Exit with 2 when a file could not be read, parsed or fully analysed.",
    )
    return fail_on(exit_zero(strict(cast(Command, called))))


def _from(least: Severity) -> frozenset[Severity]:
    """Returns the severities from one upwards; the enumeration lists the most severe first."""
    severities = list(Severity)
    return frozenset(severities[: severities.index(least) + 1])
