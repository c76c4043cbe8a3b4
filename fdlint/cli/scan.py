"""``fdlint scan`` finds leaks and reports them."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fdlint.cli.adding import Ignores, add, adding
from fdlint.cli.auditing import with_origin
from fdlint.cli.choices import STDIN, Levels, caching, choosing_rules, judging, leaving_out, limiting
from fdlint.cli.comparing import compared, comparing, older_report
from fdlint.cli.configured import Overrides, chosen, configured
from fdlint.cli.confirming import Confirming, confirming
from fdlint.cli.failing import Failing, failing
from fdlint.cli.fixing import Fixes, Fixing, fix, fixing, preview
from fdlint.cli.formats import TEXT, with_provenance, write, writing
from fdlint.cli.output import COLOUR_CHOICES, emit, say, wants_colour
from fdlint.cli.progress import ProgressBar
from fdlint.cli.sharding import ShardType
from fdlint.cli.showing import say_skipped, show, show_text
from fdlint.cli.statistics import check as check_format
from fdlint.cli.statistics import statistics
from fdlint.cli.streams import read_stdin
from fdlint.cli.watching import watching
from fdlint.languages.registry import LANGUAGES, TITLES
from fdlint.report.findings.finding import NOT_SCANNED
from fdlint.scan.files.shard import WHOLE, Shard
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.report.findings.finding import Report
    from fdlint.scan.cache import Cache
    from fdlint.scan.config import Choose
    from fdlint.scan.options import Options


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@watching
@writing
@choosing_rules
@judging
@leaving_out
@click.option("--diff", metavar="REV", help="Report only what is in functions that have changed since a revision.")
@comparing
@confirming
@configured
@click.option("--no-suppressions", is_flag=True, help="Report findings that comments silence.")
@fixing
@adding
@click.option("--statistics", "as_statistics", is_flag=True, help="Count the findings of each rule.")
@failing
@click.option("--shard", type=ShardType(), default=WHOLE, help="Report only the I-th of N parts of the files.")
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="The file name of standard input (PATH `-`).")
@limiting
@caching
@click.option(
    "-j", "--jobs", type=click.IntRange(min=0), default=0, help="Number of processes; 0, the default: one per core."
)
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@click.option("--color", type=click.Choice(COLOUR_CHOICES), default="auto", show_default=True)
def scan(
    paths: tuple[str, ...],
    output_format: str,
    outputs: tuple[tuple[str, Path], ...],
    select: tuple[str, ...],
    extend_select: tuple[str, ...],
    ignore: tuple[str, ...],
    levels: Levels,
    exclude: tuple[str, ...],
    extend_exclude: tuple[str, ...],
    force_exclude: bool,
    baseline: str | None,
    diff: str | None,
    compare: str | None,
    confirm: Confirming,
    config: str | None,
    isolated: bool,
    no_suppressions: bool,
    fixes: Fixes | None,
    ignores: Ignores | None,
    as_statistics: bool,
    failing: Failing,
    shard: Shard,
    stdin_filename: str,
    seconds: float | None,
    cache_dir: Path | None,
    no_cache: bool,
    jobs: int,
    quiet: bool,
    color: str,
) -> int:
    """Look for leaked descriptors in Python and Go files and directories (default: the working directory). Go needs
    a parser: `pip install 'fdlint[go]'`.

    Each PATH is judged by the configuration nearest to it: `fdlint.toml`, or [tool.fdlint] in `pyproject.toml`, in
    the directory or above it, up to the top of the repository. It can teach fdlint what the functions of C extensions
    and third-party libraries do with descriptors ([[tool.fdlint.api]]). Options on the command line come first.

    Exit status: 0 without findings, 1 with findings (--fail-on), 2 if an option, a configuration or a path is wrong.
    """
    from fdlint.scan.options import Options

    if as_statistics:
        check_format(output_format)
    older, started, paths, calm = older_report(compare), time.time(), paths or (".",), quiet and not failing.strict
    given = Options(select, extend_select, ignore, jobs, shard, not no_suppressions, seconds)
    config_of = chosen(config, isolated, Overrides(exclude, extend_exclude, force_exclude, baseline))
    _check_revision(diff, paths)
    opened = None if no_cache else functools.partial(_cache, cache_dir)
    report = _scanned(paths, stdin_filename, levels.over(given), config_of, quiet=quiet, opened=opened)
    report = failing.reported(_changed(confirm(report, quiet), diff, paths))
    report, forms = _rewritten(report, fixes, ignores, paths, config_of), (output_format, *dict(outputs))
    report = with_provenance(with_origin(compared(report, older), forms, paths, config_of, started), forms)
    write(report, outputs)
    if (previewed := _previewed(report, fixes, ignores, paths, config_of, quiet=calm)) is not None:
        return failing.status(previewed)
    print_report = _emit_statistics if as_statistics else show
    print_report(report, output_format, colour=wants_colour(color), quiet=quiet, strict=failing.strict)
    return failing.status(report)


def _scanned(
    paths: tuple[str, ...],
    name: str,
    options: Options,
    config_of: Choose,
    *,
    quiet: bool,
    opened: Callable[[], Cache | None] | None,
) -> Report:
    """Returns the report of a scan of files, or of standard input with the file name ``name``."""
    if STDIN in paths:
        return _scan_stdin(paths, name, options, config_of)
    return scan_paths(paths, options, config_of, quiet=quiet, opened=opened, partial=True)


def _scan_stdin(paths: tuple[str, ...], name: str, options: Options, config_of: Choose) -> Report:
    if len(paths) > 1:
        raise click.UsageError("`-` (standard input) stands alone, without other paths")
    if options.shard != WHOLE:
        raise click.UsageError("--shard needs files: standard input is one")
    from fdlint.scan.files.discover import shown
    from fdlint.scan.scan import scan_source

    config = config_of(name)
    return scan_source(read_stdin(intake.SOURCE), shown(name), options, config)


def scan_paths(
    paths: tuple[str, ...],
    options: Options,
    config_of: Choose,
    *,
    quiet: bool,
    opened: Callable[[], Cache | None] | None = None,
    partial: bool = False,
) -> Report:
    """Scans, with a progress bar. The report lists unreadable paths. ``opened`` opens the cache; None turns it off.
    ``partial``: if a signal ends the scan, return a report on the finished files."""
    from fdlint.scan.files.discover import MissingPathError, discover
    from fdlint.scan.scan import scan as scan_files
    from fdlint.scan.selection import with_discovery

    try:
        found = discover(paths, config_of)
    except MissingPathError as error:
        raise click.UsageError(str(error)) from None
    if not found.files and not quiet:
        say(f"fdlint: no {TITLES} files in {', '.join(paths)}")
    cache = opened() if opened is not None and found.files else None
    with ProgressBar(wanted=not quiet) as progress:
        report = scan_files(found.files, options, progress, cache, partial=partial)
    if report.ended is not None:
        _say_ended(report)
    if not quiet:
        _say_unchecked(report)
    return with_discovery(report, found, options.shard)


def _cache(directory: Path | None) -> Cache | None:
    from fdlint.scan.cache import UntrustedCacheError, open_cache

    try:
        return open_cache(directory)
    except UntrustedCacheError as error:
        say(f"fdlint: the cache {directory} is not used: {error}")
        return None


def _say_unchecked(report: Report) -> None:
    """Prints a line about all files of a language that were not checked because its parser is missing."""
    for one in LANGUAGES:
        number = sum(skipped.reason == one.not_installed for skipped in report.skipped)
        if number:
            say(f"fdlint: {number:,} {one.title} file{'' if number == 1 else 's'} {one.not_installed}")


def _say_ended(report: Report) -> None:
    missing = sum(one.reason == NOT_SCANNED for one in report.skipped)
    say(f"fdlint: ended by a signal: {missing:,} of {report.summary.files:,} files were not scanned")


def _check_revision(revision: str | None, paths: tuple[str, ...]) -> None:
    """Checks the revision of --diff before the scan. Raises ``UsageError``."""
    if revision is None:
        return
    from fdlint.scan.changes import GitError, check

    if STDIN in paths:
        raise click.UsageError("--diff needs files: git knows nothing of standard input")
    try:
        check(revision, paths)
    except GitError as error:
        raise click.UsageError(f"--diff: {error}") from None


def _changed(report: Report, revision: str | None, paths: tuple[str, ...]) -> Report:
    """Applies --diff to a report."""
    if revision is None:
        return report
    from fdlint.scan.changes import GitError, only_changed

    try:
        return only_changed(report, revision, paths)
    except GitError as error:
        raise click.UsageError(f"--diff: {error}") from None


def _rewritten(
    report: Report, fixes: Fixes | None, ignores: Ignores | None, paths: tuple[str, ...], config_of: Choose
) -> Report:
    """Applies --fix, --show-fixes or --add-ignores to a report. Writes nothing if a signal ended the scan."""
    if report.ended is not None:
        return report
    if ignores is not None and not ignores.only_shown:
        return add(report, paths, ignores)
    if fixes is not None and fixes.what is Fixing.SHOW:
        from fdlint.fixes.files import with_fixes

        return with_fixes(report, config_of)
    if fixes is not None and fixes.what is Fixing.WRITE:
        return fix(report, paths, config_of, unsafe=fixes.unsafe)
    return report


def _previewed(
    report: Report,
    fixes: Fixes | None,
    ignores: Ignores | None,
    paths: tuple[str, ...],
    config_of: Choose,
    *,
    quiet: bool,
) -> Report | None:
    """Shows a preview and returns its report; None if none is requested."""
    if ignores is not None and ignores.only_shown:
        return add(report, paths, ignores)
    if fixes is not None and fixes.what is Fixing.PREVIEW:
        return preview(report, paths, config_of, unsafe=fixes.unsafe, quiet=quiet)
    return None


def _emit_statistics(report: Report, form: str, *, colour: bool, quiet: bool, strict: bool) -> None:
    rows = statistics(report, form)
    if rows:
        emit(rows)
    if form == TEXT and not quiet:
        show_text(report, colour=colour, quiet=False, findings=False)
    elif strict or not quiet:
        say_skipped(report)
