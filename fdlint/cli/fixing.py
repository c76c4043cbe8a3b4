"""``--fix`` and ``--add-ignores``: files without the comments that silence nothing, or with comments that silence."""

from __future__ import annotations

import enum
import functools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fdlint.cli.choices import STDIN
from fdlint.cli.output import emit, say
from fdlint.report.printable import printable

if TYPE_CHECKING:
    from fdlint.finding import Finding, Report, Span, Unused
    from fdlint.rewrite import Rewritten

Command = TypeVar("Command", bound=Callable[..., Any])

_UNUSED = "FD900"
_TEXT = re.compile(r"(?:[^\t\r\n]|\r(?!\n))+")


class Fixing(enum.Enum):
    """What to do about comments that silence."""

    WRITE = "--fix"
    PREVIEW = "--fix-preview"
    ADD = "--add-ignores"
    PREVIEW_ADDED = "--add-ignores-preview"


@dataclass(frozen=True, slots=True)
class Fixes:
    """What was asked for; ``reason``: what added comments give as theirs, empty for none."""

    what: Fixing
    reason: str = ""

    @property
    def only_shown(self) -> bool:
        """Whether nothing is written."""
        return self.what in (Fixing.PREVIEW, Fixing.PREVIEW_ADDED)


_HELP = {
    Fixing.WRITE: "Remove the comments that silence nothing (FD900).",
    Fixing.PREVIEW: "Print what --fix would change, as a diff, instead of the findings.",
    Fixing.ADD: "Add a comment to each finding that silences it.",
    Fixing.PREVIEW_ADDED: "Print what --add-ignores would change, as a diff, instead of the findings.",
}


def fixing(command: Command) -> Command:
    """Adds ``--fix``, ``--add-ignores``, their previews and ``--reason``; the command is given ``Fixes``, or None."""

    @functools.wraps(command)
    def called(*args: Any, paths: tuple[str, ...], no_suppressions: bool, reason: str | None, **rest: Any) -> Any:
        chosen = [one for one in Fixing if rest.pop(_parameter(one))]
        if len(chosen) > 1:
            raise click.UsageError(f"{chosen[0].value} and {chosen[1].value} exclude each other")
        fixes = Fixes(chosen[0], _checked(reason or "")) if chosen else None
        if fixes and STDIN in paths:
            raise click.UsageError(f"{fixes.what.value} needs files: standard input cannot be rewritten")
        adds = fixes is not None and fixes.what in (Fixing.ADD, Fixing.PREVIEW_ADDED)
        if reason is not None and not adds:
            raise click.UsageError("--reason is for --add-ignores")
        if adds and no_suppressions:
            raise click.UsageError("--add-ignores and --no-suppressions exclude each other")
        return command(*args, paths=paths, no_suppressions=no_suppressions, fixes=fixes, **rest)

    reason = click.option("--reason", metavar="TEXT", help="The reason that --add-ignores gives in each comment.")
    found = reason(cast(Command, called))
    for one in reversed(Fixing):
        found = click.option(one.value, _parameter(one), is_flag=True, help=_HELP[one])(found)
    return found


def _parameter(one: Fixing) -> str:
    return one.value.strip("-").replace("-", "_")


def _checked(reason: str) -> str:
    """A reason that can stand in any comment and says nothing else there."""
    text = reason.strip()
    if printable(text) != text or "#" in text or "//" in text:
        raise click.UsageError("--reason takes one line of text, without `#`, `//` and control characters")
    return text


def fix(report: Report, paths: Sequence[str], fixes: Fixes) -> Report:
    """Rewrites the files and returns the report without the findings that this has settled.

    ``paths``: those of the command line; no file outside of them is written. The number of comments, and why a file
    stays as it is, goes to standard error."""
    from fdlint.rewrite import overwrite

    settled, text = _done(report, paths, fixes, overwrite)
    say(f"fdlint: {text}")
    return replace(report, findings=tuple(one for one in report.findings if not settled(one)))


def preview(report: Report, paths: Sequence[str], fixes: Fixes) -> Report:
    """Prints what ``fix`` would change as a diff and returns the report with the findings about that alone."""
    settled, text = _done(report, paths, fixes, _emit_diff)
    say(f"fdlint: {text}")
    return replace(report, findings=tuple(one for one in report.findings if settled(one)))


def _emit_diff(new: Rewritten) -> None:
    """Prints the diff of one file. Tabs and the ends of lines stay as they are, so that most diffs can be applied."""
    from fdlint.patch import patch

    text = patch(printable(new.path), new.before, new.after)
    emit(_TEXT.sub(lambda found: printable(found[0]), text).removesuffix("\n"))


def _done(
    report: Report, paths: Sequence[str], fixes: Fixes, action: Callable[[Rewritten], None]
) -> tuple[Callable[[Finding], bool], str]:
    """Which findings an action has settled, and what to say about that."""
    if fixes.what in (Fixing.ADD, Fixing.PREVIEW_ADDED):
        silenced = set(_silenced(report, paths, fixes.reason, action))
        number = f"{len(silenced):,} finding{'' if len(silenced) == 1 else 's'}"
        return silenced.__contains__, f"{number} {'would be ' if fixes.only_shown else ''}silenced"
    gone = list(_removed(report, paths, action))
    places = {one.span for one in gone}
    return lambda one: _is_about(one, places), _count(gone, "would be removed" if fixes.only_shown else "removed")


def _removed(report: Report, paths: Sequence[str], action: Callable[[Rewritten], None]) -> Iterator[Unused]:
    """Rewrites every file with unused comments that are reported, and yields the comments for which that works."""
    from fdlint.rewrite import NotFixedError, rewritten, roots_of

    reported = {one.span for one in report.findings if one.code == _UNUSED}
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


def _silenced(
    report: Report, paths: Sequence[str], reason: str, action: Callable[[Rewritten], None]
) -> Iterator[Finding]:
    """Adds comments to every file with findings, and yields the findings for which that works."""
    from fdlint.rewrite import NotFixedError, annotated, roots_of

    by_file: dict[str, list[Finding]] = defaultdict(list)
    for one in report.findings:
        if one.code != _UNUSED:
            by_file[one.span.path].append(one)
    roots = roots_of(paths)
    for path, findings in by_file.items():
        try:
            action(annotated(path, findings, reason, report.digests.get(path), roots))
        except NotFixedError as error:
            say(f"fdlint: {printable(path)}: no comments added: it {error}")
        else:
            yield from findings


def _is_about(finding: Finding, places: Collection[Span]) -> bool:
    return finding.code == _UNUSED and finding.span in places


def _count(comments: Sequence[Unused], what: str) -> str:
    shortened = sum(bool(one.keeps) for one in comments)
    removed = len(comments) - shortened
    text = f"{removed} comment{'' if removed == 1 else 's'} {what}"
    return f"{text}, {shortened} shortened" if shortened else text
