"""Adds a project's models to the catalog: its own entries, aliases, and the effect of unknown calls.

Each process builds the catalog once.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fdlint.catalog.added import NO_MODELS, Models, UnknownCalls
from fdlint.catalog.catalog import Catalog, closers, default_catalog, shipped_catalog
from fdlint.catalog.errors import CatalogError, suggestion
from fdlint.catalog.loader import load_contents
from fdlint.catalog.of_language import rules_of
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import LANGUAGES, MAIN


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
def catalog_of(models: Models, language: LanguageDescription = MAIN) -> Catalog:
    """Returns the catalog of a language that comes with fdlint, extended by the project's models."""
    shipped, rules = shipped_catalog(language), rules_of(language)
    if replace(models, dependencies=()) == NO_MODELS:
        return shipped
    contents = load_contents(json.loads(models.tables), models.source, models.source)
    apis = [own for api in contents.apis if (own := rules.own(api)) is not None]
    aliases, workers = (contents.aliases, contents.workers) if rules.aliases else ({}, ())
    extended = shipped.extended(apis, aliases, workers, models.unknown_calls)
    return replace(
        extended,
        naming=shipped.naming,
        packages=shipped.packages,
        owners=shipped.owners,
        structs=shipped.structs,
        closers=closers(extended.by_name) if rules.closing_methods else frozenset(),
    )


def redefined(models: Models) -> tuple[str, ...]:
    """Returns the names of fdlint's own catalog that a project redefines, and its setting for unknown calls."""
    contents = load_contents(json.loads(models.tables), models.source, models.source)
    made = {worker.api.name for worker in contents.workers}
    names = {api.name for api in contents.apis} | contents.aliases.keys() | made
    found = sorted(name for name in names if _is_shipped(name))
    own = [f'unknown-calls = "{models.unknown_calls.value}"'] if models.unknown_calls is UnknownCalls.TAKE else []
    return (*found, *own)


def _is_shipped(name: str) -> bool:
    """Whether fdlint's own catalog of a language knows a name."""
    shipped = map(shipped_catalog, LANGUAGES)
    return any(one.knows(name) or bool(one.makers(name)) for one in shipped)


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
