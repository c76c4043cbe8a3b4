"""The command line: the only part of fdlint that prints and exits."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence

import click

from fdlint.cli.baseline import baseline
from fdlint.cli.completion import PROGRAM, VARIABLE, completion
from fdlint.cli.config import show_config
from fdlint.cli.export import export_rules
from fdlint.cli.graph import graph
from fdlint.cli.merge import merge
from fdlint.cli.output import OutputClosedError, abandon_stdout
from fdlint.cli.rules import explain, rules
from fdlint.cli.scan import scan
from fdlint.cli.versions import say_version
from fdlint.version import __version__

USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
OUTPUT_CLOSED = 141  # 128 + SIGPIPE


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=say_version,
    help="Show the version and exit.",
)
def command() -> None:
    """Find raw file descriptors that Python and Go code acquires and then loses."""


for subcommand in (scan, merge, baseline, show_config, rules, explain, graph, export_rules, completion):
    command.add_command(subcommand)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status; 1 means findings and nothing else."""
    try:
        status = command.main(arguments, prog_name=PROGRAM, complete_var=VARIABLE, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("fdlint: interrupted", err=True)
        return INTERRUPTED
    except SystemExit as exit:  # click itself exits for two reasons only: it has answered a shell that completes,
        if VARIABLE in os.environ:
            return exit.code if isinstance(exit.code, int) else USAGE
        abandon_stdout()  # or nobody reads its help
        return OUTPUT_CLOSED
    except OutputClosedError:
        abandon_stdout()
        return OUTPUT_CLOSED
    except Exception:
        traceback.print_exc()
        click.echo(f"fdlint {__version__}: internal error; please report it with the lines above", err=True)
        return USAGE
    return status if isinstance(status, int) else 0
