"""``fdlint export-rules`` writes the Semgrep rules for Go, for use without fdlint."""

from __future__ import annotations

from pathlib import Path

import click

from fdlint.cli.output import emit_printable


@click.command("export-rules", short_help="Write rules for Semgrep to a directory.")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def export_rules(directory: Path) -> None:
    """Write the Semgrep rules for Go, with their annotated test files, to DIR: `semgrep scan --config DIR/go`."""
    from fdlint.languages.registry import LANGUAGES

    try:
        number = sum(one.part("rulebook").export(directory) for one in LANGUAGES if one.rules)
    except OSError as error:
        raise click.ClickException(str(error)) from None
    emit_printable(f"{number} rules written to {directory}")
