"""``fdlint fleet`` scans every repository of an organisation, and makes one report of it."""

from __future__ import annotations

import functools
import importlib.util
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fdlint.cli.output import emit_printable, say, writable, write_out
from fdlint.cli.streams import read_stdin
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.fleet.manifest import Listed
    from fdlint.fleet.overview import Overview

Command = TypeVar("Command", bound=Callable[..., Any])
FINDINGS, USAGE = 1, 2
STORE = "fdlint-fleet"
FORMATS = {"html": "html", "markdown": "markdown", "csv": "csv", "parquet": "parquet", "sarif": "sarif"}
_SUFFIXES = {".html": "html", ".md": "markdown", ".csv": "csv", ".parquet": "parquet"}
_EVERY = 10.0  # seconds between two lines about the progress


class Destination(click.ParamType[tuple[str, Path]]):
    """The type of an option such as ``html=fleet.html``. The suffix of a file alone tells its format."""

    name = "FORMAT=FILE"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path]:
        """Returns the format and the file, or the directory for one file a repository."""
        form, equals, file = value.partition("=")
        if not equals and (guessed := _SUFFIXES.get(Path(value).suffix)) is not None:
            form, file = guessed, value
        if form not in FORMATS or not file:
            self.fail(f"say FORMAT=FILE; the formats are {', '.join(FORMATS)}", param, ctx)
        if not Path(file).absolute().parent.is_dir():
            self.fail(f"there is no directory {Path(file).parent}", param, ctx)
        if form == "parquet" and importlib.util.find_spec("pyarrow") is None:
            self.fail("pyarrow is not installed: pip install pyarrow", param, ctx)
        return form, Path(file)


def storing(command: Command) -> Command:
    """Adds ``--store``. Errors of the store and of the manifest end the command."""

    @functools.wraps(command)
    def called(*given: Any, **rest: Any) -> Any:
        from fdlint.fleet.manifest import ManifestError
        from fdlint.fleet.store import StoreError

        try:
            return command(*given, **rest)
        except (ManifestError, StoreError) as error:
            raise click.UsageError(str(error)) from None

    option = click.option(
        "--store",
        metavar="DIR",
        type=click.Path(path_type=Path, file_okay=False),
        default=STORE,
        show_default=True,
        help="The directory with all results.",
    )
    return option(cast(Command, called))


def on_cluster(command: Command) -> Command:
    """Adds ``--scheduler``, ``--workers`` and ``--work-dir``. Without Dask the command does not begin, and it ends if
    the cluster goes away."""

    @functools.wraps(command)
    def called(*given: Any, **rest: Any) -> Any:
        if importlib.util.find_spec("distributed") is None:
            raise click.ClickException("Dask is not installed: pip install 'fdlint[fleet]'")
        from fdlint.fleet.cluster import ClusterError

        try:
            return command(*given, **rest)
        except ClusterError as error:
            raise click.ClickException(f"{error}; run the command again to go on") from None

    scheduler = click.option("--scheduler", metavar="ADDRESS", help="Use this Dask cluster, such as tcp://host:8786.")
    workers = click.option(
        "-j", "--workers", metavar="N", type=click.IntRange(min=0), default=0, help="Local workers; 0: the cores."
    )
    work_dir = click.option(
        "--work-dir",
        metavar="DIR",
        type=click.Path(path_type=Path, file_okay=False),
        help="Where workers keep what they fetch, and their caches; by default in the store.",
    )
    return scheduler(workers(work_dir(cast(Command, called))))


def writing(command: Command) -> Command:
    """Adds ``--output`` and ``--fail-on``."""
    outputs = click.option(
        "-o",
        "--output",
        "outputs",
        type=Destination(),
        multiple=True,
        help=f"Write a report: {', '.join(f'{one}=FILE' for one in FORMATS if one != 'sarif')}, or sarif=DIR for one "
        "file a repository. Can be repeated.",
    )
    fail_on = click.option(
        "--fail-on",
        type=click.Choice(["new", "any", "never"]),
        default="never",
        show_default=True,
        metavar="WHICH",
        help="Exit with 1 for new leaks in known repositories (new), or for any finding (any).",
    )
    return outputs(fail_on(command))


@click.group(short_help="Scan every repository of an organisation.")
def fleet() -> None:
    """Scan many repositories on a Dask cluster, keep all results in one store, and make one report. Needs an extra:
    `pip install 'fdlint[fleet]'`.
    """


@fleet.command(short_help="Scan what has changed.")
@click.argument("manifest")
@storing
@on_cluster
@click.option(
    "--time-limit",
    metavar="SECONDS",
    type=click.FloatRange(min=1),
    default=3_600,
    show_default=True,
    help="The time for the scan of one repository, or of one part of it.",
)
@writing
@click.option("-q", "--quiet", is_flag=True, help="Print the summary only.")
def run(
    manifest: str,
    store: Path,
    scheduler: str | None,
    workers: int,
    work_dir: Path | None,
    time_limit: float,
    outputs: tuple[tuple[str, Path], ...],
    fail_on: str,
    quiet: bool,
) -> int:
    """Scan the repositories of MANIFEST whose commit is not in the store yet: a TOML file, a directory of checkouts, or
    `-` for a list on standard input. An interrupted run goes on where it was.

    Exit status: 0, 1 for findings (--fail-on), 2 if the manifest is wrong or no repository could be scanned.
    """
    from fdlint.fleet.cluster import connected
    from fdlint.fleet.job import Limits
    from fdlint.fleet.running import Place
    from fdlint.fleet.running import run as run_fleet
    from fdlint.fleet.store import opened

    listed = _read(manifest)
    with opened(store, write=True) as database:
        place = Place((work_dir or store / "work").absolute(), Limits(seconds=time_limit))
        told = _Progress(len(listed), quiet=quiet)
        with connected(scheduler, workers) as client:
            numbers = run_fleet(database, listed, client, place, told)
        status = _report(_overview(database), outputs, fail_on)
    return USAGE if numbers["failed"] == len(listed) else status


@fleet.command(short_help="Write patches of the safe fixes.")
@click.argument("manifest")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@storing
@on_cluster
def patches(
    manifest: str, directory: Path, store: Path, scheduler: str | None, workers: int, work_dir: Path | None
) -> None:
    """Write a patch into DIRECTORY for each repository of MANIFEST that has findings with a safe fix in the store, for
    `git am`. Changes and pushes nothing."""
    from fdlint.fleet.cluster import connected
    from fdlint.fleet.exports import file_names
    from fdlint.fleet.running import Place
    from fdlint.fleet.running import patches as patches_of
    from fdlint.fleet.store import opened

    listed = _read(manifest)
    names = file_names(one.name for one in listed)
    with opened(store, write=False) as database, connected(scheduler, workers) as client:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text, why in patches_of(database, listed, client, Place((work_dir or store / "work").absolute())):
            file = directory / f"{names[name]}.patch"
            if text:
                write_out(file, text.encode("utf-8", "surrogateescape"))
            emit_printable(f"{name}: {file if text else why or 'no fix is safe'}")


@fleet.command(short_help="Write reports of what is in the store.")
@storing
@writing
def report(store: Path, outputs: tuple[tuple[str, Path], ...], fail_on: str) -> int:
    """Write reports of what is in the store, and print the summary. Scans nothing."""
    from fdlint.fleet.store import opened

    with opened(store, write=False) as database:
        return _report(_overview(database), outputs, fail_on)


@fleet.command(short_help="Show what is done.")
@storing
def status(store: Path) -> None:
    """Show what the last run has done, what is left, and what could not be scanned."""
    from fdlint.fleet.overview import progress
    from fdlint.fleet.store import opened

    with opened(store, write=False) as database:
        emit_printable(progress(database))


def _overview(database: Any) -> Overview:
    from fdlint.fleet.overview import overview

    return overview(database)


def _report(found: Overview, outputs: tuple[tuple[str, Path], ...], fail_on: str) -> int:
    """Writes the reports and prints the summary. Returns the exit status."""
    from fdlint.cli.formats import rulebook
    from fdlint.fleet.exports import write
    from fdlint.fleet.summary import summary

    for form, file in outputs:
        with writable(file):
            write(found, form, file, rulebook())
    emit_printable(summary(found))
    counted = {"new": found.new_leaks, "any": found.findings, "never": ()}[fail_on]
    return FINDINGS if counted else 0


def _read(manifest: str) -> tuple[Listed, ...]:
    from fdlint.fleet.manifest import read
    from fdlint.scan.reading.lines import split

    text = read_stdin(intake.CONFIGURATION * 10).decode("utf-8", "replace") if manifest == "-" else ""
    return read(manifest, split(text))


class _Progress:
    """Says what happens, at most one line in ten seconds, and each failure."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self._total, self._quiet, self._done, self._said = total, quiet, set[str](), time.monotonic()

    def __call__(self, name: str, what: str) -> None:
        """Notes what happened to a repository."""
        self._done.add(name)
        now = time.monotonic()
        failed = what.startswith(("failed", "ended"))
        if not self._quiet and (failed or now - self._said >= _EVERY or os.environ.get("FDLINT_FLEET_VERBOSE")):
            self._said = now
            say(f"fdlint: {len(self._done):,} of {self._total:,} repositories: {name}: {what}")
