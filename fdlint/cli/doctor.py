"""``fdlint doctor`` examines running processes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fdlint.cli.configured import chosen, configured
from fdlint.cli.output import emit, emit_lines, wants_colour, write_out

if TYPE_CHECKING:
    from fdlint.runtime.doctor.choosing import Choice
    from fdlint.runtime.doctor.examination import Examination
    from fdlint.runtime.doctor.proc.files import Procfs
    from fdlint.runtime.doctor.recorded.trails import Code
    from fdlint.scan.config import Choose

FOUND = 1
NOTHING_SEEN = 2


def _pattern(_context: click.Context, _parameter: click.Parameter, text: str | None) -> re.Pattern[str] | None:
    if text is None:
        return None
    try:
        return re.compile(text)
    except re.error as error:
        raise click.BadParameter(f"not a regular expression: {error}") from None


@click.command(short_help="Examine running processes for leaks.")
@click.argument("pids", nargs=-1, type=click.IntRange(min=1), metavar="[PID]...")
@click.option("--all", "everything", is_flag=True, help="Examine all processes; show those with findings or hints.")
@click.option("--pgrep", callback=_pattern, metavar="PATTERN", help="Examine processes whose command matches.")
@click.option("--cgroup", metavar="TEXT", help="Only processes whose cgroup has this text in its path.")
@click.option(
    "--pid-namespace", type=click.IntRange(min=1), metavar="PID", help="Only processes in the PID namespace of PID."
)
@click.option(
    "--watch",
    type=click.FloatRange(min=0, min_open=True, max=86_400),
    metavar="SECONDS",
    help="Take five samples over this time: the growth rate, and the time left until the table is full.",
)
@click.option(
    "--source",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Scan this project, and show which of its calls make such descriptors.",
)
@click.option(
    "--record",
    type=click.Path(exists=True),
    metavar="FILE|DIR",
    help="Name the lines that a process has recorded (`fdlint record`). DIR: find its record there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the same as --output-format json.")
@click.option(
    "--output-format",
    type=click.Choice(("text", "json", "openmetrics")),
    default="text",
    show_default=True,
    help="The form of the output; openmetrics is for Prometheus.",
)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a page as well.")
@configured
def doctor(
    pids: tuple[int, ...],
    everything: bool,
    pgrep: re.Pattern[str] | None,
    cgroup: str | None,
    pid_namespace: int | None,
    watch: float | None,
    source: str | None,
    record: str | None,
    as_json: bool,
    output_format: str,
    html: Path | None,
    config: str | None,
    isolated: bool,
) -> int:
    """Examine running processes: descriptors by kind, the limit, blocked threads, and the patterns of leaks.

    It only reads. Needs Linux. Without root it sees the processes of the same user, and lists what it could not see.
    A finding is a state that programs without a leak do not reach; a hint can have a good reason. The exit status is 1
    if there is a finding, otherwise 0. It is 2 for wrong usage, an error, or if no descriptor could be read.
    """
    if sys.platform != "linux":
        raise click.ClickException("fdlint doctor reads the procfs of Linux; this system has none")
    from fdlint.runtime.doctor.choosing import Choice
    from fdlint.runtime.doctor.document import render as as_document
    from fdlint.runtime.doctor.metrics import render as as_metrics
    from fdlint.runtime.doctor.text import render as as_text

    choice = Choice(pids, everything, pgrep, cgroup, pid_namespace)
    if choice.is_empty:
        raise click.UsageError("name processes: PID, --pgrep PATTERN or --all")
    found = _examined(choice, watch or 0.0, source, record, chosen(config, isolated))
    if html is not None:
        from fdlint.runtime.doctor.html import render

        write_out(html, f"{render(found)}\n".encode(errors="backslashreplace"))
    if as_json or output_format == "json":
        emit(as_document(found))
    elif output_format == "openmetrics":
        emit(as_metrics(found))
    else:
        emit_lines(list(as_text(found, wide=everything)), colour=wants_colour())
    if found.has_findings:
        return FOUND
    return 0 if found.is_seen else NOTHING_SEEN


def _examined(choice: Choice, seconds: float, source: str | None, record: str | None, config_of: Choose) -> Examination:
    from fdlint.runtime.doctor.choosing import choose
    from fdlint.runtime.doctor.examination import examine
    from fdlint.runtime.doctor.proc.files import GoneError, Procfs

    procfs = Procfs()
    try:
        pids = choose(procfs, choice)
        if not pids:
            raise click.ClickException("no process fits")
        found = examine(procfs, pids, seconds)
    except GoneError:
        raise click.ClickException("/proc cannot be read: is it mounted?") from None
    if source is None:
        return found if record is None else _recorded(found, procfs, record, None)
    from fdlint.runtime.doctor.ranking import code_of, read, with_code

    project = read(source, config_of)
    found = with_code(found, project)
    return found if record is None else _recorded(found, procfs, record, code_of(project))


def _recorded(found: Examination, procfs: Procfs, record: str, code: Code | None) -> Examination:
    from fdlint.runtime.doctor.recorded.reading import NotARecordError
    from fdlint.runtime.doctor.recorded.trails import NO_CODE, with_records
    from fdlint.scan.reading import intake

    try:
        return with_records(found, procfs, record, code or NO_CODE)
    except OSError as error:
        raise click.ClickException(f"{record}: {intake.why(error)}") from None
    except NotARecordError as error:
        raise click.ClickException(f"{record}: this is no record of a process: {error}") from None
