"""``fdlint san`` runs a Python program under the sanitizer of descriptors."""

from __future__ import annotations

import os
import sys

import click


@click.command(
    short_help="Run a program, and report misused descriptors.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="PROGRAM [ARGUMENT]...")
def san(program: tuple[str, ...]) -> int:
    """Run a Python program, a file or `-m MODULE`, and report misused descriptors to standard error: a second close, a
    use after the number belongs to another file, a close of what an object owns.

    FDLINT_SAN_REPORT names a file for the reports. The exit status is the program's; it is 66 instead of 0 if there is
    a report.
    """
    if program[0] == "-m" and len(program) == 1:
        raise click.UsageError("-m needs the name of a module")
    os.execv(sys.executable, [sys.executable, "-m", "fdlint.runtime.sanitizer.program", *program])
