"""What a project adds to the catalog, as it travels: text, which hashes and crosses to other processes.

Apart from all that reads it, so that a configuration can be read without the catalog.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class UnknownCalls(enum.Enum):
    """How unknown calls treat their descriptors."""

    USE = "use"  # uses them, unless its name speaks of taking over
    TAKE = "take"  # owns them from there on


@dataclass(frozen=True, slots=True)
class Models:
    """``tables``: the keys ``api``, ``worker`` and ``aliases`` as JSON; ``source`` stands in where an entry names
    none."""

    tables: str = "{}"
    source: str = ""
    unknown_calls: UnknownCalls = UnknownCalls.USE


NO_MODELS = Models()
