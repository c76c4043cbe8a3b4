"""Adds a project's models to the catalog: its own entries, aliases, and the effect of unknown calls.

Each process builds the catalog once.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from fdlint.catalog.added import NO_MODELS, Models, UnknownCalls
from fdlint.catalog.catalog import Catalog, default_catalog
from fdlint.catalog.errors import CatalogError, suggestion
from fdlint.catalog.loader import load_contents


def models_of(tables: Mapping[str, Any], origin: str, source: str, unknown_calls: UnknownCalls) -> Models:
    """Checks parsed tables. Raises ``CatalogError``. ``origin`` names their file in errors."""
    contents = load_contents(tables, origin, source)
    shipped = default_catalog()
    _reject_circles(contents.aliases, shipped.aliases, origin)
    extended = shipped.extended(contents.apis, contents.aliases, contents.workers)
    for alias, name in contents.aliases.items():
        where = f"{origin}: [aliases]: `{alias}`"
        if any(api.name == alias for api in contents.apis):
            raise CatalogError(f"{where}: has an entry of its own ([[api]]), too")
        if not extended.knows(name):
            raise CatalogError(f"{where}: the catalog has no `{name}`{suggestion(name, extended.by_name)}")
    return Models(json.dumps(tables), source, unknown_calls)


@functools.lru_cache(maxsize=16)
def catalog_of(models: Models) -> Catalog:
    """Returns the catalog that comes with fdlint, extended by the project's models."""
    if models == NO_MODELS:
        return default_catalog()
    contents = load_contents(json.loads(models.tables), models.source, models.source)
    return default_catalog().extended(contents.apis, contents.aliases, contents.workers, models.unknown_calls)


def redefined(models: Models) -> tuple[str, ...]:
    """Returns the names of fdlint's own catalog that a project redefines, and its setting for unknown calls."""
    contents = load_contents(json.loads(models.tables), models.source, models.source)
    made = {worker.api.name for worker in contents.workers}
    names = {api.name for api in contents.apis} | contents.aliases.keys() | made
    shipped = default_catalog() if names else None
    found = sorted(name for name in names if shipped is not None and (shipped.knows(name) or shipped.makers(name)))
    own = [f'unknown-calls = "{models.unknown_calls.value}"'] if models.unknown_calls is UnknownCalls.TAKE else []
    return (*found, *own)


def _reject_circles(aliases: Mapping[str, str], shipped: Mapping[str, str], origin: str) -> None:
    """Raises ``CatalogError`` if aliases form a circle."""
    everything = {**shipped, **aliases}
    for alias in aliases:
        name = alias
        for _ in range(len(everything) + 1):
            head = next((head for head in _heads(name) if head in everything), None)
            if head is None:
                break
            name = everything[head] + name.removeprefix(head)
        else:
            raise CatalogError(f"{origin}: [aliases]: `{alias}`: leads back to itself")


def _heads(name: str) -> list[str]:
    """Returns the name and the packages that contain it, the longest first."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
