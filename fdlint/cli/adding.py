"""``--add-ignores`` and ``--add-ignores-preview`` add a comment for each finding that silences it."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fdlint.cli.choices import STDIN
from fdlint.cli.fixing import emit_diff
from fdlint.cli.output import say
from fdlint.report.printable import printable

if TYPE_CHECKING:
    from fdlint.core.finding import Finding
    from fdlint.report.findings.finding import Report
    from fdlint.scan.rewrite import Rewritten

Command = TypeVar("Command", bound=Callable[..., Any])

_ADD, _PREVIEW = "--add-ignores", "--add-ignores-preview"


@dataclass(frozen=True, slots=True)
class Ignores:
    """The request. ``reason``: the text in the comments, empty for none. ``only_shown``: write nothing."""

    reason: str
    only_shown: bool


def adding(command: Command) -> Command:
    """Adds ``--add-ignores``, ``--add-ignores-preview`` and ``--reason``. The command gets ``Ignores``, or None. Apply
    it below ``fixing``."""

    @functools.wraps(command)
    def called(*args: Any, add_ignores: bool, add_ignores_preview: bool, reason: str | None, **rest: Any) -> Any:
        asked = [name for name, on in ((_ADD, add_ignores), (_PREVIEW, add_ignores_preview)) if on]
        if not asked:
            if reason is not None:
                raise click.UsageError(f"--reason is for {_ADD}")
            return command(*args, ignores=None, **rest)
        others = [rest["fixes"].value] if rest["fixes"] else ["--no-suppressions"] if rest["no_suppressions"] else []
        if len(both := [*asked, *others]) > 1:
            raise click.UsageError(f"{both[0]} and {both[1]} exclude each other")
        if STDIN in rest["paths"]:
            raise click.UsageError(f"{asked[0]} needs files: standard input cannot be rewritten")
        return command(*args, ignores=Ignores(_checked(reason or ""), add_ignores_preview), **rest)

    add = click.option(_ADD, is_flag=True, help="Add a comment to each finding that silences it.")
    preview = click.option(
        _PREVIEW, is_flag=True, help=f"Print what {_ADD} would change, as a diff, instead of the findings."
    )
    reason = click.option("--reason", metavar="TEXT", help=f"The reason that {_ADD} gives in each comment.")
    return add(preview(reason(cast(Command, called))))


def _checked(reason: str) -> str:
    """Returns a reason that can stand in any comment and means nothing else there."""
    text = reason.strip()
    if printable(text) != text or "#" in text or "//" in text:
        raise click.UsageError("--reason takes one line of text, without `#`, `//` and control characters")
    return text


def add(report: Report, paths: Sequence[str], ignores: Ignores) -> Report:
    """Adds comments to the files, or prints that as a diff. Returns the report without the silenced findings; for a
    diff, with only the findings that would be silenced.

    ``paths``: those of the command line; it writes no file outside of them. It prints the number of findings, and the
    reasons for unchanged files, to standard error.
    """
    from fdlint.scan.rewrite import overwrite

    done = set(_silenced(report, paths, ignores.reason, emit_diff if ignores.only_shown else overwrite))
    number = f"{len(done):,} finding{'' if len(done) == 1 else 's'}"
    say(f"fdlint: {number} {'would be ' if ignores.only_shown else ''}silenced")
    return replace(report, findings=tuple(one for one in report.findings if (one in done) is ignores.only_shown))


def _silenced(
    report: Report, paths: Sequence[str], reason: str, action: Callable[[Rewritten], None]
) -> Iterator[Finding]:
    """Adds comments to every file with findings, and yields the findings for which that works."""
    from fdlint.core.checks.fd900_unused_suppression import RULE
    from fdlint.scan.rewrite import NotFixedError, annotated, roots_of

    by_file: dict[str, list[Finding]] = defaultdict(list)
    for one in report.findings:
        if one.code != RULE.code:
            by_file[one.span.path].append(one)
    roots = roots_of(paths)
    for path, findings in by_file.items():
        try:
            action(annotated(path, findings, reason, report.digests.get(path), roots))
        except NotFixedError as error:
            say(f"fdlint: {printable(path)}: no comments added: it {error}")
        else:
            yield from findings
