"""Classes whose objects own a descriptor: whoever creates such an object must end it, as if it were a descriptor."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class OwnerClass:
    """A class whose objects hold a descriptor that nothing but their own methods closes. There is one object of this
    type for each class, so it is compared by identity.

    ``name``: as its file spells it; ``home``: the file. ``ends``: the methods that may close what an object holds.
    ``leaves``: the one of them that runs at the end of a ``with`` block. ``fields``: the attributes that hold it.
    ``methods``: all of its methods. ``acquires``: the constructor itself acquires; otherwise an object owns only what
    its creator gave it. ``closing``: the method to call at the end. ``stale``: the methods that are sure to close, and
    that leave the number where it was. After them, ``uses`` use the number, and ``again`` close it again.
    """

    name: str
    home: Hashable = field(repr=False)
    ends: frozenset[str] = frozenset()
    leaves: str | None = None
    fields: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    acquires: bool = True
    closing: str = ""
    stale: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()
