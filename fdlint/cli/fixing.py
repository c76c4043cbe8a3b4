"""``--fix`` and ``--diff`` repair findings and remove unused suppressions."""

from __future__ import annotations

import enum
import functools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fdlint.cli.choices import STDIN
from fdlint.cli.output import emit, say
from fdlint.cli.showing import say_skipped
from fdlint.report.printable import printable

if TYPE_CHECKING:
    from fdlint.core.finding import Finding, Span, Unused
    from fdlint.report.findings.finding import Report
    from fdlint.scan.config import Choose
    from fdlint.scan.rewrite import Rewritten

Command = TypeVar("Command", bound=Callable[..., Any])

UNUSED = "FD900"
_TEXT = re.compile(r"(?:[^\t\r\n]|\r(?!\n))+")


class Fixing(enum.Enum):
    """The action for findings that can be repaired, and for unused suppressions."""

    WRITE = "--fix"
    PREVIEW = "--diff"


@dataclass(frozen=True, slots=True)
class Fixes:
    """The request. ``unsafe``: apply fixes that are not safe, too."""

    what: Fixing
    unsafe: bool = False

    @property
    def value(self) -> str:
        """The option."""
        return self.what.value


def fixing(command: Command) -> Command:
    """Adds ``--fix``, ``--unsafe-fixes`` and ``--diff``. The command gets ``Fixes``, or None."""

    @functools.wraps(command)
    def called(*args: Any, paths: tuple[str, ...], fix: bool, diff: bool, unsafe_fixes: bool, **rest: Any) -> Any:
        if fix and diff:
            raise click.UsageError(f"{Fixing.WRITE.value} and {Fixing.PREVIEW.value} exclude each other")
        what = Fixing.WRITE if fix else Fixing.PREVIEW if diff else None
        if what is not None and STDIN in paths:
            raise click.UsageError(f"{what.value} needs files: standard input cannot be rewritten")
        if unsafe_fixes and what is None:
            raise click.UsageError(f"--unsafe-fixes is for {Fixing.WRITE.value} and {Fixing.PREVIEW.value}")
        return command(*args, paths=paths, fixes=Fixes(what, unsafe_fixes) if what is not None else None, **rest)

    fix = click.option("--fix", is_flag=True, help="Apply fixes that are proved safe; remove unused suppressions.")
    unsafe = click.option("--unsafe-fixes", is_flag=True, help="With --fix: also apply fixes that need review.")
    preview = click.option(
        "--diff",
        is_flag=True,
        help="Print what --fix would change, as a diff. JSON, SARIF and HTML have each fix beside its finding.",
    )
    return fix(unsafe(preview(cast(Command, called))))


def fix(report: Report, paths: Sequence[str], config_of: Choose, *, unsafe: bool) -> Report:
    """Repairs the files and returns the report without the findings that are gone.

    ``paths``: those of the command line; it writes no file outside of them. ``unsafe``: also by fixes that are not
    safe. It prints the number of findings, and the reasons for unchanged files, to standard error.
    """
    from fdlint.scan.rewrite import overwrite

    done = _all(report, paths, config_of, overwrite, unsafe=unsafe)
    _say_done(report, done, "removed", "fixed")
    places = {one.span for one in done.comments}
    left = tuple(one for one in report.findings if not _is_about(one, places) and one not in done.findings)
    return replace(report, findings=left, unused=())


def preview(report: Report, paths: Sequence[str], config_of: Choose, *, unsafe: bool, quiet: bool) -> Report:
    """Prints the changes of ``fix`` as a diff and returns the report with only the findings about them. Prints skipped
    files to standard error, unless ``quiet``."""
    if not quiet:
        say_skipped(report)
    going = _all(report, paths, config_of, emit_diff, unsafe=unsafe)
    _say_done(report, going, "would be removed", "would fix")
    places = {one.span for one in going.comments}
    left = tuple(one for one in report.findings if _is_about(one, places) or one in going.findings)
    return replace(report, findings=left)


def _say_done(report: Report, done: _Done, removed: str, word: str) -> None:
    number = sum(one.code != UNUSED for one in report.findings)
    if done.comments or number < len(report.findings) or not number:
        say(f"fdlint: {_count(done.comments, removed)}")
    if number:
        more = f"; {done.offered:,} more with --unsafe-fixes" if done.offered else ""
        say(f"fdlint: {word} {len(done.findings):,} of {number:,} finding{'' if number == 1 else 's'}{more}")


def emit_diff(new: Rewritten) -> None:
    """Prints the diff of one file. Keeps tabs and the ends of lines, so that most diffs can be applied."""
    from fdlint.scan.patch import patch

    text = patch(printable(new.path), new.before, new.after)
    emit(_TEXT.sub(lambda found: printable(found[0]), text).removesuffix("\n"))


@dataclass(slots=True)
class _Done:
    """What was repaired: the comments that are gone, the findings that are gone, and how many others have a fix that is
    not safe."""

    comments: list[Unused] = field(default_factory=list)
    findings: set[Finding] = field(default_factory=set)
    offered: int = 0


def _all(
    report: Report, paths: Sequence[str], config_of: Choose, action: Callable[[Rewritten], None], *, unsafe: bool
) -> _Done:
    """Repairs every file with findings, and removes unused comments."""
    from fdlint.fixes.files import Fixer
    from fdlint.report.findings.finding import by_file
    from fdlint.scan.rewrite import NotFixedError, roots_of

    reported = {one.span for one in report.findings if one.code == UNUSED}
    unused: dict[str, list[Unused]] = defaultdict(list)
    for one in report.unused:
        if one.span in reported and one.understood:
            unused[one.span.path].append(one)
    findings = by_file(one for one in report.findings if one.code != UNUSED)
    done, fixer = _Done(), Fixer(config_of, roots_of(paths), unsafe)
    for path in dict.fromkeys((*unused, *findings)):
        try:
            file = fixer.fixed_file(path, unused[path], findings.get(path, []), report.digests.get(path))
            done.offered += file.offered
            if file.fixed or unused[path]:
                action(file.new)
        except NotFixedError as error:
            say(f"fdlint: {printable(path)}: not fixed: it {error}")
        else:
            done.comments += unused[path]
            done.findings.update(file.fixed)
    return done


def _is_about(finding: Finding, places: Collection[Span]) -> bool:
    return finding.code == UNUSED and finding.span in places


def _count(comments: Sequence[Unused], what: str) -> str:
    shortened = sum(bool(one.keeps) for one in comments)
    removed = len(comments) - shortened
    text = f"{removed} comment{'' if removed == 1 else 's'} {what}"
    return f"{text}, {shortened} shortened" if shortened else text
