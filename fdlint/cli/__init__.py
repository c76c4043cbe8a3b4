"""The command line: the only part of fdlint that prints and exits."""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

from fdlint.cli.completion import PROGRAM, VARIABLE
from fdlint.cli.output import OutputClosedError, OutputFailedError, abandon, say
from fdlint.cli.streams import complete
from fdlint.cli.versions import say_version
from fdlint.scan.process.ending import Ended, ended_by_signals
from fdlint.version import __version__

USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
OUTPUT_CLOSED = 141  # 128 + SIGPIPE
COMMANDS = {
    "scan": "scan.scan",
    "init": "init.init",
    "fleet": "fleet.fleet",
    "merge": "merge.merge",
    "baseline": "baseline.baseline",
    "config": "config.show_config",
    "rules": "rules.rules",
    "explain": "rules.explain",
    "why-not": "explaining.why_not",
    "prove": "proving.prove",
    "san": "sanitizing.san",
    "export-rules": "export.export_rules",
    "server": "server.server",
    "mcp": "agents.mcp",
    "doctor": "doctor.doctor",
    "record": "recording.record",
    "completion": "completion.completion",
}
"""The place of each command. Only the requested one is imported."""
_SCANS = ("check", "lint", "run", "analyze", "analyse", "audit")
"""What other linters call their main command."""


class _Commands(click.Group):
    """The commands, of which only the requested one is imported. A wrong name is answered with the right command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            raise click.UsageError(f"there is no command {name!r}{_instead(name, args)}", ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(".")
        found = getattr(importlib.import_module(f"fdlint.cli.{module}"), name)
        assert isinstance(found, click.Command)
        return found


def _instead(name: str, args: Sequence[str]) -> str:
    """Returns what somebody may have meant with a word that is no command, as the end of a sentence."""
    if name in _SCANS:
        return f"; did you mean `{PROGRAM} scan`?"
    from fdlint.languages.registry import SUFFIXES

    if os.path.exists(name) or name.endswith(SUFFIXES):
        return f"; did you mean `{PROGRAM} scan {' '.join(args)}`?"
    import difflib

    close = difflib.get_close_matches(name, COMMANDS, 1)
    return f"; did you mean `{PROGRAM} {close[0]}`?" if close else f"; `{PROGRAM} --help` lists them"


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
    """Runs the command line and returns its exit status. Status 1 means findings and nothing else."""
    complete()
    with ended_by_signals():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        given = tuple(sys.argv[1:] if arguments is None else arguments)
        status = command.main(given, prog_name=PROGRAM, complete_var=VARIABLE, standalone_mode=False, obj=given)
    except click.ClickException as error:
        message = io.StringIO()
        error.show(message)
        say(message.getvalue().rstrip("\n").replace("\n\t", " "))  # click lists choices in lines with tabs
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        say("fdlint: interrupted")
        return INTERRUPTED
    except Ended as ended:
        say("fdlint: ended by a signal")
        return ended.status
    except SystemExit as exit:  # click itself exits for two reasons only: it has answered a shell that completes,
        if VARIABLE in os.environ:
            return exit.code if isinstance(exit.code, int) else USAGE
        abandon(sys.stdout)  # or the reader of its help has gone
        return OUTPUT_CLOSED
    except OutputClosedError:
        abandon(sys.stdout)
        return OUTPUT_CLOSED
    except OutputFailedError as failure:
        return _failed(str(failure))
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return _no_descriptor_left(error.errno)
        if isinstance(error, OSError) and error.filename is None:  # without a file: click tried to print its help
            return _failed(error.strerror or str(error))
        import traceback

        from fdlint.scan.files.guard import internal_error

        say(f"{traceback.format_exc()}fdlint {__version__}: {internal_error(error)}")
        return USAGE
    return status if isinstance(status, int) else 0


def _no_descriptor_left(number: int) -> int:
    if number == errno.EMFILE:
        limit = f"{os.sysconf('SC_OPEN_MAX'):,} open files" if hasattr(os, "sysconf") else "open files"
        say(f"fdlint: this process has reached its limit of {limit}: raise it (ulimit -n), or use fewer --jobs")
    else:
        say("fdlint: the system has reached its limit of open files: end other programs, or raise it (fs.file-max)")
    return USAGE


def _failed(reason: str) -> int:
    abandon(sys.stdout)
    say(f"fdlint: standard output cannot be written: {reason}")
    return USAGE
