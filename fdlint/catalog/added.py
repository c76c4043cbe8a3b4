"""A project's additions to the catalog, as text that can be hashed and sent to other processes.

This module is separate from its readers, so that reading a configuration does not import the catalog.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class UnknownCalls(enum.Enum):
    """How unknown calls treat their descriptors."""

    USE = "use"  # the call uses them, unless its name suggests that it takes them over
    TAKE = "take"  # the call owns them from then on


@dataclass(frozen=True, slots=True)
class Models:
    """``tables``: the keys ``api``, ``worker`` and ``aliases`` as JSON. ``source``: the default source of the
    entries. ``dependencies``: directories with modules of others, whose functions are known, too."""

    tables: str = "{}"
    source: str = ""
    unknown_calls: UnknownCalls = UnknownCalls.USE
    dependencies: tuple[str, ...] = ()


NO_MODELS = Models()
