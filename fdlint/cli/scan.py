"""``fdlint scan`` finds leaks and reports them."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fdlint.cli.adding import add, adding
from fdlint.cli.auditing import with_origin
from fdlint.cli.choices import STDIN, caching, choosing_rules, judging, leaving_out, time_limit
from fdlint.cli.comparing import compared, comparing, older_report
from fdlint.cli.configured import Overrides, chosen, configured
from fdlint.cli.failing import Failing, failing
from fdlint.cli.fixing import Fixes, Fixing, fix, fixing, preview
from fdlint.cli.formats import TEXT, write, writing
from fdlint.cli.grouped import Grouped
from fdlint.cli.output import say, wants_colour
from fdlint.cli.progress import ProgressBar
from fdlint.cli.showing import show
from fdlint.cli.streams import read_stdin
from fdlint.languages.registry import TITLES
from fdlint.report.findings.finding import NOT_SCANNED
from fdlint.scan.files.shard import WHOLE, Shard, parse
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.report.findings.finding import Report
    from fdlint.report.findings.persona import Levels
    from fdlint.scan.cache import Cache
    from fdlint.scan.config import Choose
    from fdlint.scan.options import Options

GROUPS = {
    "Rules": ("select", "ignore"),
    "What is shown": ("persona", "min_confidence", "min_impact", "min_severity", "tests"),
    "Files": ("exclude", "changed_since", "dependencies", "config", "isolated"),
    "Output": ("output_format", "outputs", "quiet"),
    "Fixing": ("fix", "unsafe_fixes", "diff", "add_ignores"),
    "Comparison and exit status": ("baseline", "compare", "fail_on"),
    "Speed": ("jobs", "no_cache"),
    "Help": (),
}


def _shard(_context: click.Context, _option: click.Parameter, text: str | None) -> Shard:
    try:
        return WHOLE if text is None else parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command(cls=Grouped, groups=GROUPS, short_help="Look for leaked and misused descriptors.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@writing
@choosing_rules
@judging
@leaving_out
@click.option(
    "--changed-since", metavar="REV", help="Report only what is in functions that have changed since a revision."
)
@click.option(
    "--dependencies",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Follow calls into the modules in DIR (site-packages), and report nothing there.",
)
@comparing
@configured
@click.option("--no-suppressions", is_flag=True, hidden=True, help="Report what comments silence.")
@fixing
@adding
@failing
@click.option(
    "--shard",
    metavar="I/N",
    callback=_shard,
    hidden=True,
    help="Report one of N parts of the files; see `fdlint merge`.",
)
@click.option(
    "--stdin-filename",
    default="<stdin>",
    metavar="NAME",
    hidden=True,
    help="The file name of standard input (PATH `-`).",
)
@caching
@click.option(
    "-j",
    "--jobs",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    help="Use N processes; 0, the default: one per core. --shard I/N: report one of N parts, for several machines.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
def scan(
    paths: tuple[str, ...],
    output_format: str,
    outputs: tuple[tuple[str, Path], ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    levels: Levels,
    exclude: tuple[str, ...],
    force_exclude: bool,
    baseline: str | None,
    changed_since: str | None,
    dependencies: tuple[str, ...],
    compare: str | None,
    config: str | None,
    isolated: bool,
    no_suppressions: bool,
    fixes: Fixes | None,
    add_ignores: bool,
    failing: Failing,
    shard: Shard,
    stdin_filename: str,
    cache_dir: Path | None,
    no_cache: bool,
    jobs: int,
    quiet: bool,
) -> int:
    """Look for leaked descriptors in Python and Go files and directories (default: the working directory). PATH `-` is
    standard input; --stdin-filename NAME names it.

    fdlint uses the configuration nearest to each PATH: `fdlint.toml`, or [tool.fdlint] in `pyproject.toml`, in the
    directory or above it, up to the top of the repository. Options override it.

    Exit status: 0 without findings, 1 with findings (--fail-on), 2 if an option, a configuration or a path is wrong,
    or if there are Go files and no parser of Go.
    """
    from fdlint.scan.options import Options

    older, started, paths = older_report(compare), time.time(), paths or (".",)
    given = Options(select, ignore, jobs, shard, not no_suppressions, time_limit(), levels=levels)
    config_of = chosen(config, isolated, Overrides(exclude, force_exclude, baseline, dependencies))
    _check_revision(changed_since, paths)
    opened = None if no_cache else functools.partial(_cache, cache_dir)
    report = _scanned(paths, stdin_filename, given, config_of, quiet=quiet, opened=opened)
    report, forms = _changed(report, changed_since, paths), (output_format, *dict(outputs))
    report = _rewritten(report, fixes, forms, paths, config_of) if report.ended is None else report
    report = add(report, paths) if add_ignores and report.ended is None else report
    report = with_origin(compared(report, older), forms, paths, config_of, started)
    write(report, outputs)
    if fixes is not None and fixes.what is Fixing.PREVIEW and output_format == TEXT:
        calm = quiet and not failing.strict
        return failing.status(preview(report, paths, config_of, unsafe=fixes.unsafe, quiet=calm))
    show(report, output_format, colour=wants_colour(), quiet=quiet, strict=failing.strict)
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
    return with_discovery(report, found, options.shard)


def _cache(directory: Path | None) -> Cache | None:
    from fdlint.scan.cache import UntrustedCacheError, open_cache

    try:
        return open_cache(directory)
    except UntrustedCacheError as error:
        say(f"fdlint: the cache {directory} is not used: {error}")
        return None


def _say_ended(report: Report) -> None:
    missing = sum(one.reason == NOT_SCANNED for one in report.skipped)
    say(f"fdlint: ended by a signal: {missing:,} of {report.summary.files:,} files were not scanned")


def _check_revision(revision: str | None, paths: tuple[str, ...]) -> None:
    """Checks the revision of --changed-since before the scan. Raises ``UsageError``."""
    if revision is None:
        return
    from fdlint.scan.changes import GitError, check

    if STDIN in paths:
        raise click.UsageError("--changed-since needs files: git knows nothing of standard input")
    try:
        check(revision, paths)
    except GitError as error:
        raise click.UsageError(f"--changed-since: {error}") from None


def _changed(report: Report, revision: str | None, paths: tuple[str, ...]) -> Report:
    """Applies --changed-since to a report."""
    if revision is None:
        return report
    from fdlint.scan.changes import GitError, only_changed

    try:
        return only_changed(report, revision, paths)
    except GitError as error:
        raise click.UsageError(f"--changed-since: {error}") from None


def _rewritten(
    report: Report, fixes: Fixes | None, forms: Collection[str], paths: tuple[str, ...], config_of: Choose
) -> Report:
    """Applies --fix to a report. With --diff, adds the fixes for the formats that show them with the
    findings."""
    if fixes is not None and fixes.what is Fixing.WRITE:
        return fix(report, paths, config_of, unsafe=fixes.unsafe)
    if fixes is not None and set(forms) != {TEXT}:
        from fdlint.fixes.files import with_fixes

        return with_fixes(report, config_of)
    return report
