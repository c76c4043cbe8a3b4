"""The catalog of Go."""

from __future__ import annotations

from fdlint.catalog import Catalog, Models, catalog_of
from fdlint.catalog.catalog import shipped_catalog
from fdlint.catalog.entries import ReturningEntry
from fdlint.catalog.model import Api
from fdlint.catalog.of_language import CatalogRules, raising
from fdlint.catalog.shape import acquires
from fdlint.languages.go.description import GO
from fdlint.languages.go.naming import NAMES

ERROR = "go.error"
"""The failure of a call: it returns an error instead of its other results."""


def go_catalog() -> Catalog:
    """Returns the catalog that comes with fdlint."""
    return shipped_catalog(GO)


def go_catalog_of(models: Models) -> Catalog:
    """Returns the catalog, extended by a project's models of what packages export."""
    return catalog_of(models, GO)


def _own(api: Api) -> Api:
    """Returns a project's entry. A call that acquires returns an error as well, unless the entry denies that it
    raises."""
    fails = api.raises is not None and acquires(api.returns)
    return raising(api, ERROR if fails else None)


RULES = CatalogRules("fdlint.catalog.go", ReturningEntry, NAMES, _own, closing_methods=True)
