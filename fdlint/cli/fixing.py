"""``--fix`` and ``--fix-preview`` remove unused suppressions."""

from __future__ import annotations

import enum
import functools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fdlint.cli.choices import STDIN
from fdlint.cli.output import emit, say
from fdlint.cli.showing import say_skipped
from fdlint.report.printable import printable

if TYPE_CHECKING:
    from fdlint.driver.rewrite import Rewritten
    from fdlint.findings.finding import Finding, Report, Span, Unused

Command = TypeVar("Command", bound=Callable[..., Any])

_TEXT = re.compile(r"(?:[^\t\r\n]|\r(?!\n))+")


class Fixing(enum.Enum):
    """The action for unused suppressions."""

    WRITE = "--fix"
    PREVIEW = "--fix-preview"


def fixing(command: Command) -> Command:
    """Adds ``--fix`` and ``--fix-preview``. The command gets a ``Fixing``, or None."""

    @functools.wraps(command)
    def called(*args: Any, paths: tuple[str, ...], fix: bool, fix_preview: bool, **rest: Any) -> Any:
        if fix and fix_preview:
            raise click.UsageError("--fix and --fix-preview exclude each other")
        chosen = Fixing.WRITE if fix else Fixing.PREVIEW if fix_preview else None
        if chosen and STDIN in paths:
            raise click.UsageError(f"{chosen.value} needs files: standard input cannot be rewritten")
        return command(*args, paths=paths, fixes=chosen, **rest)

    fix = click.option("--fix", is_flag=True, help="Remove unused suppressions (FD900).")
    preview = click.option(
        "--fix-preview", is_flag=True, help="Print what --fix would change, as a diff, instead of the findings."
    )
    return fix(preview(cast(Command, called)))


def fix(report: Report, paths: Sequence[str]) -> Report:
    """Rewrites the files with unused comments and returns the report without the findings about these comments.

    ``paths``: those of the command line; it writes no file outside of them. It prints the number of comments, and the
    reasons for unchanged files, to standard error.
    """
    from fdlint.driver.rewrite import overwrite

    gone = list(_each(report, paths, overwrite))
    say(f"fdlint: {_count(gone, 'removed')}")
    places = {one.span for one in gone}
    left = tuple(one for one in report.findings if not _is_about(one, places))
    return replace(report, findings=left, unused=())


def preview(report: Report, paths: Sequence[str], *, quiet: bool) -> Report:
    """Prints the changes of ``fix`` as a diff and returns the report with only the findings about them. Prints skipped
    files to standard error, unless ``quiet``."""
    if not quiet:
        say_skipped(report)
    going = list(_each(report, paths, emit_diff))
    say(f"fdlint: {_count(going, 'would be removed')}")
    places = {one.span for one in going}
    return replace(report, findings=tuple(one for one in report.findings if _is_about(one, places)))


def emit_diff(new: Rewritten) -> None:
    """Prints the diff of one file. Keeps tabs and the ends of lines, so that most diffs can be applied."""
    from fdlint.driver.patch import patch

    text = patch(printable(new.path), new.before, new.after)
    emit(_TEXT.sub(lambda found: printable(found[0]), text).removesuffix("\n"))


def _each(report: Report, paths: Sequence[str], action: Callable[[Rewritten], None]) -> Iterator[Unused]:
    """Rewrites every file with unused comments in the report, and yields the comments for which that works."""
    from fdlint.checks.fd900_unused_suppression import RULE
    from fdlint.driver.rewrite import NotFixedError, rewritten, roots_of

    reported = {one.span for one in report.findings if one.code == RULE.code}
    by_file: dict[str, list[Unused]] = defaultdict(list)
    for one in report.unused:
        if one.span in reported and one.understood:
            by_file[one.span.path].append(one)
    roots = roots_of(paths)
    for path, unused in by_file.items():
        try:
            action(rewritten(path, unused, report.digests.get(path), roots))
        except NotFixedError as error:
            say(f"fdlint: {printable(path)}: not fixed: it {error}")
        else:
            yield from unused


def _is_about(finding: Finding, places: Collection[Span]) -> bool:
    from fdlint.checks.fd900_unused_suppression import RULE

    return finding.code == RULE.code and finding.span in places


def _count(comments: Sequence[Unused], what: str) -> str:
    shortened = sum(bool(one.keeps) for one in comments)
    removed = len(comments) - shortened
    text = f"{removed} comment{'' if removed == 1 else 's'} {what}"
    return f"{text}, {shortened} shortened" if shortened else text
