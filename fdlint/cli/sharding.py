"""``--shard I/N``: the part of a scan that one machine of several does."""

from __future__ import annotations

import click

from fdlint.files.shard import Shard, parse


class ShardType(click.ParamType[Shard]):
    """``1/4``."""

    name = "I/N"

    def convert(self, value: str | Shard, param: click.Parameter | None, ctx: click.Context | None) -> Shard:
        """The part and of how many."""
        if isinstance(value, Shard):
            return value
        try:
            return parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
