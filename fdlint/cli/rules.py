"""``fdlint rules`` and ``fdlint explain`` list and explain the rules, and explain findings."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

import click

from fdlint.cli.codes import completed, find_rules
from fdlint.cli.configured import configured
from fdlint.cli.explaining import explain_place, is_place
from fdlint.cli.output import emit, emit_rich, is_terminal, wants_colour

if TYPE_CHECKING:
    from fdlint.core.checks import LoadedRule

PAGE_WIDTH = 100


@click.command()
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rules(output_format: str) -> None:
    """List the rules."""
    from fdlint.core.checks import all_rules

    if output_format == "json":
        emit(json.dumps({"version": 1, "rules": [_document(loaded) for loaded in all_rules()]}, indent=2))
    else:
        emit("\n".join(_line(loaded) for loaded in all_rules()))


@click.command(short_help="Explain a rule, or the findings at a line.")
@click.argument("rule", metavar="RULE|PATH:LINE", shell_complete=completed)
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For PATH:LINE.",
)
@configured
def explain(rule: str, output_format: str, config: str | None, isolated: bool) -> None:
    """Show the page of RULE, a code or a name: what it finds, why that is a defect, what to write instead.

    Of a prefix of several codes (FD1), list the rules.

    At PATH:LINE, show each finding in full: the path step by step with the states of the descriptor, and the
    reasons for the confidence. Also whether it is reported, and how to repair or suppress it.
    """
    if is_place(rule):
        explain_place(rule, output_format, config, isolated)
        return
    found = find_rules(rule)
    if len(found) > 1:
        emit("\n".join(map(_line, found)))
        return
    page = found[0].page
    if not is_terminal(sys.stdout):
        emit(page)
        return
    from rich.markdown import Markdown

    width = min(PAGE_WIDTH, shutil.get_terminal_size().columns)
    emit_rich([Markdown(page, code_theme="ansi_dark")], colour=wants_colour(), width=width)


def _document(loaded: LoadedRule) -> dict[str, str]:
    return {
        "code": loaded.rule.code,
        "name": loaded.rule.name,
        "severity": loaded.rule.severity.value,
        "summary": loaded.summary,
        "page": loaded.page,
    }


def _line(loaded: LoadedRule) -> str:
    rule = loaded.rule
    return f"{rule.code}  {rule.name:<24}  {rule.severity.value:<7}  {loaded.summary}".rstrip()
