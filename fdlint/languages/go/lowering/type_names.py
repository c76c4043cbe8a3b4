"""How this front end spells the types of slices and maps: ``[]T``, ``map[]T``."""

from __future__ import annotations

SLICE, MAP = "[]", "map[]"
"""How the name of a type begins whose items have the type that follows."""


def item_type(kind: str) -> str:
    """Returns the type of the items of a slice or map; the type itself if it is neither."""
    return kind.removeprefix(MAP if kind.startswith(MAP) else SLICE)


def is_foreign(kind: str) -> bool:
    """Whether a type, or that of the items of a slice, comes from another package. A map does not count."""
    return "." in kind and not kind.startswith(MAP)
