"""``fdlint doctor`` examines running processes."""

from __future__ import annotations

import sys

import click

from fdlint.cli.output import COLOUR_CHOICES, emit_lines, wants_colour

FOUND = 1


@click.command()
@click.argument("pids", nargs=-1, type=click.IntRange(min=1), metavar="PID...")
@click.option("--color", type=click.Choice(COLOUR_CHOICES), default="auto", show_default=True)
def doctor(pids: tuple[int, ...], color: str) -> int:
    """Examine running processes: their descriptors by kind, the limit, and patterns of leaks. Needs Linux."""
    if sys.platform != "linux":
        raise click.ClickException("fdlint doctor reads the procfs of Linux, which this system does not have")
    from fdlint.doctor.examination import examine
    from fdlint.doctor.proc.files import GoneError, Procfs
    from fdlint.doctor.text import render

    try:
        found = examine(Procfs(), pids)
    except GoneError:
        raise click.ClickException("/proc cannot be read: is it mounted?") from None
    emit_lines(list(render(found)), colour=wants_colour(color))
    return FOUND if found.has_findings else 0
