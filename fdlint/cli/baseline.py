"""``fdlint baseline`` records the existing findings, so that a scan reports only new ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fdlint.cli.choices import judging
from fdlint.cli.configured import chosen, configured
from fdlint.cli.output import emit_printable, write_out

if TYPE_CHECKING:
    from fdlint.report.findings.finding import Report
    from fdlint.report.findings.persona import Levels
    from fdlint.scan.baseline import Baseline, Entry
    from fdlint.scan.config import Choose, Config

DEFAULT = "fdlint-baseline.json"
Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(short_help="Keep a list of findings that scans do not report again.")
def baseline() -> None:
    """Keep a list of existing findings, which scans do not report again.

    `baseline` in the configuration, or --baseline, names the file for `fdlint scan`. fdlint recognizes a finding by its
    fingerprint, which stays the same when other lines move.
    """


def _asking(command: Command) -> Command:
    paths = click.argument("paths", nargs=-1, metavar="[PATH]...")
    file = click.option(
        "--baseline",
        "file",
        metavar="FILE",
        help=f"The baseline file. Default: the one in the configuration, or {DEFAULT}.",
    )
    jobs = click.option(
        "-j", "--jobs", type=click.IntRange(min=0), default=0, help="Number of processes; 0: one per core."
    )
    return paths(file(configured(judging(jobs(command)))))


@baseline.command()
@_asking
def create(
    paths: tuple[str, ...], file: str | None, config: str | None, isolated: bool, levels: Levels, jobs: int
) -> None:
    """Write all current findings to a new baseline."""
    config_of = chosen(config, isolated, baseline_must_exist=False)
    place = _place(file, paths, config_of)
    if os.path.exists(place):
        raise click.UsageError(f"{place} exists already; `fdlint baseline update` updates it")
    from fdlint.report.summary import count
    from fdlint.scan.baseline import Baseline, entry

    root = os.path.realpath(".")
    report = _scanned(paths, config_of, levels, jobs)
    entries = tuple(entry(finding, root) for finding in report.findings)
    _write(place, Baseline(root, entries))
    emit_printable(f"{count(len(entries), 'finding')} written to {place}")
    if file is not None or all(config_of(path).baseline is None for path in paths or (".",)):
        emit_printable(
            f'scans still report them; to leave them out, add this to the configuration: baseline = "{place}"'
        )


@baseline.command()
@_asking
def update(
    paths: tuple[str, ...], file: str | None, config: str | None, isolated: bool, levels: Levels, jobs: int
) -> None:
    """Add new findings, and remove those that are gone from the scanned files."""
    config_of = chosen(config, isolated, baseline_must_exist=False)
    place = _place(file, paths, config_of)
    old = _read(place)
    from fdlint.scan.baseline import entry

    report = _scanned(paths, config_of, levels, jobs)
    now = {entry(finding, old.root).fingerprint: entry(finding, old.root) for finding in report.findings}
    kept = [one for one in _kept(old, report) if one.fingerprint not in now]
    _write(place, replace(old, entries=(*kept, *now.values())))
    before = {one.fingerprint for one in old.entries}
    after = {one.fingerprint for one in kept} | now.keys()
    emit_printable(f"{place}: {len(after - before):,} added, {len(before - after):,} removed, {len(after):,} in all")


@baseline.command()
@_asking
def prune(
    paths: tuple[str, ...], file: str | None, config: str | None, isolated: bool, levels: Levels, jobs: int
) -> None:
    """Remove findings that are gone, and add none."""
    config_of = chosen(config, isolated, baseline_must_exist=False)
    place = _place(file, paths, config_of)
    old = _read(place)
    report = _scanned(paths, config_of, levels, jobs)
    kept = _kept(old, report)
    _write(place, replace(old, entries=kept))
    emit_printable(f"{place}: {len(old.entries) - len(kept):,} removed, {len(kept):,} in all")


def _kept(old: Baseline, report: Report) -> tuple[Entry, ...]:
    """Returns the entries that still hold, and those of files that were not scanned."""
    from fdlint.scan.baseline import found_again
    from fdlint.scan.config import resolved

    skipped = {resolved(one.path) for one in report.skipped}
    looked_at = {resolved(path) for path in report.scanned} - skipped
    again = list(found_again(report.findings, old))
    kept = []
    for one in old.entries:
        place = resolved(os.path.join(old.root, one.path))
        if one in again:
            again.remove(one)
            kept.append(one)
        elif place not in looked_at and os.path.exists(place):
            kept.append(one)
    return tuple(kept)


def _scanned(paths: Sequence[str], config_of: Choose, levels: Levels, jobs: int) -> Report:
    """Scans without any baseline."""
    from fdlint.cli.scan import scan_paths
    from fdlint.scan.options import Options

    def bare(path: str) -> Config:
        return replace(config_of(path), baseline=None)

    return scan_paths(tuple(paths) or (".",), Options(jobs=jobs, levels=levels), bare, quiet=False)


def _place(file: str | None, paths: Sequence[str], config_of: Choose) -> str:
    if file is not None:
        return file
    configured_places = sorted({place for path in paths or (".",) if (place := config_of(path).baseline) is not None})
    if len(configured_places) > 1:
        raise click.UsageError(f"these paths have several baselines; choose one: --baseline {configured_places[0]}")
    return os.path.relpath(configured_places[0]) if configured_places else DEFAULT


def _read(place: str) -> Baseline:
    from fdlint.scan.baseline import BaselineError, read

    try:
        return read(place)
    except BaselineError as error:
        raise click.ClickException(str(error)) from None


def _write(place: str, what: Baseline) -> None:
    from fdlint.scan.baseline import render

    write_out(Path(place), render(what, place).encode(errors="backslashreplace"))
