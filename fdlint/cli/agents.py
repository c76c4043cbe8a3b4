"""``fdlint mcp`` answers agents and review bots."""

from __future__ import annotations

import importlib.util

import click


@click.command(short_help="Answer agents (Model Context Protocol).")
@click.argument("root", type=click.Path(exists=True, file_okay=False), default=".")
@click.option(
    "--allow-fix", is_flag=True, help="Let the tool `fix` write files below ROOT. Without it, it returns a diff."
)
def mcp(root: str, allow_fix: bool) -> None:
    """Answer agents and review bots over standard input and output (Model Context Protocol): scan, explain, why_not,
    verify_claim and fix. Reads files below ROOT only (default: the working directory), and executes nothing. Needs an
    extra: `pip install 'fdlint[mcp]'`.
    """
    if importlib.util.find_spec("mcp") is None:
        raise click.ClickException("the server for agents is not installed: pip install 'fdlint[mcp]'")
    from fdlint.editor.agents.answers import Tools
    from fdlint.editor.agents.confined import Root
    from fdlint.editor.agents.serving import make

    make(Tools(Root(root), allow_fix)).run()
