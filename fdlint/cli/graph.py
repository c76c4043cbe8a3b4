"""``fdlint graph`` shows the engine's view of a function, for debugging."""

from __future__ import annotations

from pathlib import Path

import click

from fdlint.cli.configured import chosen, configured
from fdlint.cli.output import emit_printable
from fdlint.reading import intake


@click.command()
@click.argument("target", metavar="FILE::FUNCTION")
@configured
def graph(target: str, config: str | None, isolated: bool) -> None:
    """Print the control-flow graph of FUNCTION (Class.method) in FILE, with the known states at each step."""
    file, separator, function = target.rpartition("::")
    if not separator or not file or not function:
        raise click.UsageError("name the function as FILE::FUNCTION, for example spam.py::Eggs.close")
    if not Path(file).is_file():
        raise click.UsageError(f"no such file: {file}")
    from fdlint.driver.scan import graph_dump

    try:
        text = graph_dump(Path(file), function, chosen(config, isolated)(file))
    except OSError as error:
        raise click.UsageError(f"{file}: {intake.why(error)}") from None
    except LookupError as error:
        raise click.UsageError(str(error.args[0] if error.args else error)) from None
    emit_printable(text.rstrip("\n"))
