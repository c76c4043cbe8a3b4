"""A command whose help shows its options in groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

_WIDEST = 100
"""The characters of a line of help in a wide terminal."""


class Grouped(click.Command):
    """A command with ``groups``: titles, and the names of their parameters in order. Hidden options need no group."""

    def __init__(self, *args: Any, groups: Mapping[str, tuple[str, ...]], **rest: Any) -> None:
        super().__init__(*args, **{"context_settings": {"max_content_width": _WIDEST}, **rest})
        self.groups = groups

    def in_groups(self, context: click.Context) -> Iterator[tuple[str, list[click.Option]]]:
        """Yields each title with its options. What belongs to no group, such as ``--help``, is in the last one."""
        shown = {one.name: one for one in self.get_params(context) if isinstance(one, click.Option) and not one.hidden}
        listed = [(title, [shown.pop(name) for name in names]) for title, names in self.groups.items()]
        listed[-1][1].extend(shown.values())
        yield from listed

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the groups, with their texts in one column."""
        groups = [
            (title, [record for one in options if (record := one.get_help_record(ctx))])
            for title, options in self.in_groups(ctx)
        ]
        width = max(len(option) for _, records in groups for option, _ in records)
        for title, records in groups:
            with formatter.section(title):
                formatter.write_dl([(option.ljust(width), text) for option, text in records])
