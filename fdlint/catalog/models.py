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
from fdlint.catalog.loader import Contents, load_contents
from fdlint.catalog.of_language import rules_of
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import LANGUAGES, MAIN, OWN_TABLES


def models_of(tables: Mapping[str, Any], origin: str, source: str, unknown_calls: UnknownCalls) -> Models:
    """Checks parsed tables. Raises ``CatalogError``. ``origin`` names their file in errors."""
    contents, *_ = [_contents(tables, origin, source, language) for language in LANGUAGES]
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


def _contents(tables: Mapping[str, Any], origin: str, source: str, language: LanguageDescription = MAIN) -> Contents:
    """Returns a project's models of the functions of one language. All but the main one have a table of their own."""
    if language is MAIN:
        own = {key: one for key, one in tables.items() if key not in OWN_TABLES}
        return load_contents(own, origin, source)
    table = tables.get(language.key, {})
    if not isinstance(table, Mapping) or table.keys() - {"api"}:
        raise CatalogError(f"{origin}: `{language.key}`: must be a table with nothing but `api`")
    return load_contents(table, origin, source, rules_of(language).entry)


@functools.lru_cache(maxsize=16)
def catalog_of(models: Models, language: LanguageDescription = MAIN) -> Catalog:
    """Returns the catalog of a language that comes with fdlint, extended by the project's models."""
    shipped, rules = shipped_catalog(language), rules_of(language)
    if replace(models, dependencies=()) == NO_MODELS:
        return shipped
    contents = _contents(json.loads(models.tables), models.source, models.source, language)
    extended = shipped.extended(map(rules.own, contents.apis), contents.aliases, contents.workers, models.unknown_calls)
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
    tables = json.loads(models.tables)
    parts = [_contents(tables, models.source, models.source, language) for language in LANGUAGES]
    names = {api.name for part in parts for api in (*part.apis, *(worker.api for worker in part.workers))}
    names.update(alias for part in parts for alias in part.aliases)
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
