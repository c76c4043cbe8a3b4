"""``fdlint server`` starts the language server."""

from __future__ import annotations

import importlib.util

import click


@click.command(short_help="Serve an editor (Language Server Protocol).")
def server() -> None:
    """Serve an editor over standard input and output (Language Server Protocol): findings as one types, their paths,
    the pages of the rules, and comments that silence a finding. Needs an extra: `pip install 'fdlint[lsp]'`.
    """
    if any(importlib.util.find_spec(name) is None for name in ("pygls", "lsprotocol")):
        raise click.ClickException("the language server is not installed: pip install 'fdlint[lsp]'")
    from fdlint.editor.protocol import make

    make().start_io()
