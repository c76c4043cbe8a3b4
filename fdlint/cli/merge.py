"""``fdlint merge`` merges the reports of several scans."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fdlint.cli.choices import judging
from fdlint.cli.comparing import compared, comparing, older_report
from fdlint.cli.failing import INCOMPLETE, Failing, failing
from fdlint.cli.formats import write, writing
from fdlint.cli.output import say, wants_colour
from fdlint.cli.reports import read_report
from fdlint.cli.showing import show
from fdlint.scan.files.shard import Shard, parse

if TYPE_CHECKING:
    from fdlint.report.findings.finding import Report
    from fdlint.report.findings.persona import Levels


@click.command(short_help="Merge several reports into one.")
@click.argument("reports", nargs=-1, required=True, metavar="[NAME=]REPORT...")
@writing
@judging
@comparing
@failing
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
def merge(
    reports: tuple[str, ...],
    output_format: str,
    outputs: tuple[tuple[str, Path], ...],
    levels: Levels,
    compare: str | None,
    failing: Failing,
    quiet: bool,
) -> int:
    """Merge several reports into one, such as those of the shards of a scan (`fdlint scan --shard 1/4 -o json=1.json`).

    Each REPORT is a file that `fdlint scan` has written in the format json, a directory with such files (*.json, at
    any depth), or `-` for standard input. NAME= puts `NAME/` before each path in it, so that the paths of several
    repositories stay apart: `fdlint merge api=api.json web=web.json`.

    Each finding appears once, and the numbers are added up; seconds are those of all machines together.
    They contain the lines around each step, so the merged report quotes them: the code itself is not needed. The option
    --persona and its refinements narrow them, and cannot show more than the scans did. The option --compare works as in
    `fdlint scan`; give it a report that was merged in the same way. The exit status is that of `fdlint scan`; it is 2
    if a file is not a report, and with --strict also if a shard is missing.
    """
    from fdlint.report.merged import merged

    parts = [(name, place, _read(place, name)) for argument in reports for place, name in _places(argument)]
    missing = _missing(parts)
    for name, shard in missing:
        say(f"fdlint: there is no report of shard {shard}{f' of {name}' if name else ''}")
    older = older_report(compare)
    all_parts = merged([part for _, _, part in parts])
    report = compared(_narrowed(all_parts, levels), older, lambda path: _is_missing(path, missing))
    write(report, outputs)
    show(report, output_format, colour=wants_colour(), quiet=quiet, strict=failing.strict)
    if failing.strict and missing:
        return INCOMPLETE
    return failing.status(report)


def _places(argument: str) -> Iterator[tuple[str, str]]:
    """Yields the files that an argument names, and the prefix of the paths in them."""
    name, equals, place = argument.partition("=")
    if not equals or os.path.exists(argument):
        name, place = "", argument
    elif not (name := name.rstrip("/")) or not place:
        raise click.UsageError(f"`{argument}`: say NAME=REPORT")
    if not os.path.isdir(place):
        yield place, name
        return
    found = sorted(str(path) for path in Path(place).rglob("*.json") if path.is_file())
    if not found:
        raise click.UsageError(f"{place}: there is no report (*.json) in this directory")
    for file in found:
        yield file, name


def _missing(parts: Sequence[tuple[str, str, Report]]) -> list[tuple[str, Shard]]:
    """Returns the missing shards of scans whose other shards have a report, each with the prefix of its paths."""
    there: dict[tuple[str, int], set[int]] = defaultdict(set)
    for name, place, report in parts:
        if report.shard is not None:
            try:
                shard = parse(report.shard)
            except ValueError as error:
                raise click.UsageError(f"{place}: `shard`: {error}") from None
            there[name, shard.of].add(shard.number)
    return [
        (name, Shard(number, of))
        for (name, of), numbers in sorted(there.items())
        for number in range(1, of + 1)
        if number not in numbers
    ]


def _is_missing(path: str, missing: Sequence[tuple[str, Shard]]) -> bool:
    """Whether a file belongs to one of the missing shards."""
    return any(
        shard.holds(path.removeprefix(f"{name}/") if name else path)
        for name, shard in missing
        if not name or path.startswith(f"{name}/")
    )


def _narrowed(report: Report, levels: Levels) -> Report:
    """Returns the report with the findings that levels show. It cannot show more than there is in it."""
    from fdlint.report.findings.hidden import all_hidden, hidden_by
    from fdlint.scan.levels import narrowed

    shown, screens = narrowed(report.findings, levels)
    return replace(report, findings=shown, hidden=all_hidden([report.hidden, hidden_by(screens)]))


def _read(place: str, name: str) -> Report:
    from fdlint.report.merged import below

    report = read_report(place, stdin=True)
    return below(name, report) if name else report
