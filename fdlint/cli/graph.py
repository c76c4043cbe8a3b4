"""``fdlint graph`` shows the engine's view of a function, for debugging."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fdlint.cli.configured import chosen, configured
from fdlint.cli.output import emit_printable
from fdlint.languages.registry import MAIN
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.scan.config import Choose


@click.command()
@click.argument("target", metavar="FILE::FUNCTION")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--calls", is_flag=True, help="Print what FUNCTION calls, its callers in PATH, and why it is analysed.")
@configured
def graph(target: str, paths: tuple[str, ...], calls: bool, config: str | None, isolated: bool) -> None:
    """Print the control-flow graph of FUNCTION (Class.method) in FILE, with the known states at each step.

    With --calls, FUNCTION alone stands for the function of this name in PATH (default: the working directory).
    """
    if calls:
        emit_printable(_surroundings(target, paths, chosen(config, isolated)).rstrip("\n"))
        return
    if paths:
        raise click.UsageError("PATH goes with --calls")
    file, function = _parts(target)
    from fdlint.scan.scan import graph_dump

    with _explained(file):
        emit_printable(graph_dump(Path(file), function, chosen(config, isolated)(file)).rstrip("\n"))


def _surroundings(target: str, paths: tuple[str, ...], config_of: Choose) -> str:
    from fdlint.scan.calls import calls_dump
    from fdlint.scan.files.discover import MissingPathError, discover
    from fdlint.scan.process.stack import call

    file, function = _parts(target) if "::" in target else (None, target)
    places = paths or (() if file is not None else (".",))
    try:
        found = [one for one in discover(places, config_of).files if not one.language.by_package]
    except MissingPathError as error:
        raise click.UsageError(str(error)) from None
    with _explained(file or ""):
        models = config_of(file or places[0]).models
        return call(lambda: calls_dump(function, file, [one.shown for one in found], models))


def _parts(target: str) -> tuple[str, str]:
    """Returns the file and the function of ``FILE::FUNCTION``."""
    file, separator, function = target.rpartition("::")
    if not separator or not file or not function:
        raise click.UsageError(f"name the function as FILE::FUNCTION, for example spam{MAIN.suffix}::Eggs.close")
    if not Path(file).is_file():
        raise click.UsageError(f"no such file: {file}")
    return file, function


@contextlib.contextmanager
def _explained(file: str) -> Iterator[None]:
    """Turns errors of reading and looking up into errors of usage."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"{file}: {intake.why(error)}") from None
    except LookupError as error:
        raise click.UsageError(str(error.args[0] if error.args else error)) from None
