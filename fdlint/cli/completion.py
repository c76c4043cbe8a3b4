"""``fdlint completion`` prints the script with which a shell completes fdlint's commands, options and codes."""

from __future__ import annotations

import click

from fdlint.cli.output import emit

PROGRAM = "fdlint"
VARIABLE = "_FDLINT_COMPLETE"
"""The variable with which the shell asks for completions."""
SHELLS = ("bash", "zsh", "fish")


@click.command(short_help="Print the completion script for a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for SHELL: eval "$(fdlint completion bash)"."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    emit(kind(context.find_root().command, {}, PROGRAM, VARIABLE).source().strip())
