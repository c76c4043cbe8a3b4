"""The reference of the command line, made from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from copy import copy

import click

from fdlint.cli import command
from fdlint.cli.grouped import Grouped


def page() -> str:
    """The text of ``reference/cli.md``."""
    start = click.Context(command, info_name="fdlint", **command.context_settings)
    sections = [_section(context) for context in _commands(start)]
    return f"""# Command-line reference

This page is generated from the commands. `fdlint COMMAND --help` shows the same in a terminal. See also
[output formats and exit status](output.md) and [configuration](../configuration.md).

{"".join(sections).strip()}
"""


def _commands(context: click.Context) -> Iterator[click.Context]:
    """A command and those below it; a context knows its full name and inherits how help is asked for."""
    yield context
    one = context.command
    if isinstance(one, click.Group):
        for name in one.list_commands(context):
            below = one.get_command(context, name)
            if below is not None and not below.hidden:
                settings = below.context_settings
                yield from _commands(click.Context(below, parent=context, info_name=name, **settings))


def _section(context: click.Context) -> str:
    one = context.command
    usage = " ".join(["$", context.command_path, *one.collect_usage_pieces(context)])
    # Newer versions of click have records of arguments as well; the usage names these.
    options = [param for param in one.get_params(context) if isinstance(param, click.Option)]
    groups = [*one.in_groups(context)] if isinstance(one, Grouped) else [("option", options)]
    hidden = [copy(option) for option in options if option.hidden]
    for option in hidden:  # the help of another option names each of these
        option.hidden = False
    tables = [_table(title, some, context) for title, some in (*groups, ("For hooks, editors and CI", hidden))]
    parts = [f"## {context.command_path}", f"```console\n{usage}\n```", _prose(one.help or ""), *tables]
    return "\n\n".join(part for part in parts if part) + "\n\n"


def _table(title: str, options: Iterable[click.Option], context: click.Context) -> str:
    records = [record for option in options if (record := option.get_help_record(context))]
    rows = [f"| `{_cell(option)}` | {_cell(_plain(text))} |" for option, text in records if option != "-h, --help"]
    return "\n".join([f"| {title} | meaning |", "|---|---|", *rows]) if rows else ""


def _prose(text: str) -> str:
    """A help text as Markdown: paragraphs stay, what stands for an argument is not taken for a tag."""
    shown = inspect.cleandoc(text).partition("\f")[0].replace("\b\n", "")
    return _plain(shown).strip()


def _plain(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("[[", "\\[\\[")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
