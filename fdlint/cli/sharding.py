"""``--shard I/N`` selects the part of a scan for one of several machines."""

from __future__ import annotations

import click

from fdlint.scan.files.shard import Shard, parse


class ShardType(click.ParamType[Shard]):
    """The type of an option such as ``1/4``."""

    name = "I/N"

    def convert(self, value: str | Shard, param: click.Parameter | None, ctx: click.Context | None) -> Shard:
        """Returns the part."""
        if isinstance(value, Shard):
            return value
        try:
            return parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
