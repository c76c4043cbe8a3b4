"""Adds a project's models to the catalog: its own entries, aliases, and the effect of unknown calls.

Each process builds the catalog once.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from msgspec import structs

from fdlint.catalog.added import NO_MODELS, Models, UnknownCalls
from fdlint.catalog.catalog import Catalog, closers, default_catalog, go_catalog
from fdlint.catalog.errors import CatalogError, suggestion
from fdlint.catalog.loader import load_contents
from fdlint.catalog.model import Api
from fdlint.catalog.shape import acquires

_OF_PATH = "/"  # in names with an import path of Go
GO_ERROR = "go.error"


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
    apis = [api for api in contents.apis if _OF_PATH not in api.name]
    return default_catalog().extended(apis, contents.aliases, contents.workers, models.unknown_calls)


@functools.lru_cache(maxsize=16)
def go_catalog_of(models: Models) -> Catalog:
    """Returns the catalog of Go, extended by the project's models of what packages of Go export."""
    shipped = go_catalog()
    if models == NO_MODELS:
        return shipped
    contents = load_contents(json.loads(models.tables), models.source, models.source)
    apis = [_in_go(api) for api in contents.apis if api.name.rpartition(".")[2][:1].isupper()]
    extended = shipped.extended(apis, unknown_calls=models.unknown_calls)
    return replace(
        extended,
        naming=shipped.naming,
        packages=shipped.packages,
        owners=shipped.owners,
        structs=shipped.structs,
        commands=shipped.commands,
        closers=closers(extended.by_name),
    )


def _in_go(api: Api) -> Api:
    """Returns a model for Go. A call that acquires returns an error as well, unless the model denies that it raises."""
    fails = api.raises is not None and acquires(api.returns)
    return structs.replace(api, raises=GO_ERROR if fails else None)


def redefined(models: Models) -> tuple[str, ...]:
    """Returns the names of fdlint's own catalog that a project redefines, and its setting for unknown calls."""
    contents = load_contents(json.loads(models.tables), models.source, models.source)
    made = {worker.api.name for worker in contents.workers}
    names = {api.name for api in contents.apis} | contents.aliases.keys() | made
    found = sorted(name for name in names if _is_shipped(name))
    own = [f'unknown-calls = "{models.unknown_calls.value}"'] if models.unknown_calls is UnknownCalls.TAKE else []
    return (*found, *own)


def _is_shipped(name: str) -> bool:
    """Whether fdlint's own catalog, of Python or of Go, knows a name."""
    shipped = default_catalog()
    return shipped.knows(name) or bool(shipped.makers(name)) or go_catalog().knows(name)


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
