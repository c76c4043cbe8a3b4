"""``--add-ignores`` adds a comment for each finding that silences it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fdlint.cli.choices import STDIN
from fdlint.cli.output import say
from fdlint.report.printable import printable

if TYPE_CHECKING:
    from fdlint.core.finding import Finding
    from fdlint.report.findings.finding import Report

Command = TypeVar("Command", bound=Callable[..., Any])
_ADD = "--add-ignores"


def adding(command: Command) -> Command:
    """Adds ``--add-ignores``. Apply it below ``fixing``."""

    @functools.wraps(command)
    def called(*args: Any, add_ignores: bool, **rest: Any) -> Any:
        other = rest["fixes"].value if rest["fixes"] else "--no-suppressions" if rest["no_suppressions"] else None
        if add_ignores and other:
            raise click.UsageError(f"{_ADD} and {other} exclude each other")
        if add_ignores and STDIN in rest["paths"]:
            raise click.UsageError(f"{_ADD} needs files: standard input cannot be rewritten")
        return command(*args, add_ignores=add_ignores, **rest)

    add = click.option(_ADD, is_flag=True, help="Add a comment to each finding that silences it.")
    return add(cast(Command, called))


def add(report: Report, paths: Sequence[str]) -> Report:
    """Adds comments to the files. Returns the report without the silenced findings.

    ``paths``: those of the command line; it writes no file outside of them. It prints the number of findings, and the
    reasons for unchanged files, to standard error.
    """
    done = set(_silenced(report, paths))
    say(f"fdlint: {len(done):,} finding{'' if len(done) == 1 else 's'} silenced")
    return replace(report, findings=tuple(one for one in report.findings if one not in done))


def _silenced(report: Report, paths: Sequence[str]) -> Iterator[Finding]:
    """Adds comments to every file with findings, and yields the findings for which that works."""
    from fdlint.core.checks.fd900_unused_suppression import RULE
    from fdlint.report.findings.finding import by_file
    from fdlint.scan.rewrite import NotFixedError, annotated, overwrite, roots_of

    roots = roots_of(paths)
    for path, findings in by_file(one for one in report.findings if one.code != RULE.code).items():
        try:
            overwrite(annotated(path, findings, report.digests.get(path), roots))
        except NotFixedError as error:
            say(f"fdlint: {printable(path)}: no comments added: it {error}")
        else:
            yield from findings
