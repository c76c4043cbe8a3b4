"""The command line: the only part of fdlint that prints and exits."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence

import click

from fdlint.cli.completion import PROGRAM, VARIABLE
from fdlint.cli.output import OutputClosedError, abandon_stdout
from fdlint.cli.versions import say_version
from fdlint.version import __version__

USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
OUTPUT_CLOSED = 141  # 128 + SIGPIPE
COMMANDS = {
    "scan": "scan.scan",
    "merge": "merge.merge",
    "baseline": "baseline.baseline",
    "config": "config.show_config",
    "rules": "rules.rules",
    "explain": "rules.explain",
    "graph": "graph.graph",
    "export-rules": "export.export_rules",
    "completion": "completion.completion",
}
"""Where each is; only the one that is asked for is imported."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(".")
        found = getattr(importlib.import_module(f"fdlint.cli.{module}"), name)
        assert isinstance(found, click.Command)
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
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
        import traceback

        traceback.print_exc()
        click.echo(f"fdlint {__version__}: internal error; please report it with the lines above", err=True)
        return USAGE
    return status if isinstance(status, int) else 0
