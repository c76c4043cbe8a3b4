"""The catalog of Python."""

from __future__ import annotations

from fdlint.catalog.entries import ApiEntry
from fdlint.catalog.naming import Naming
from fdlint.catalog.of_language import CatalogRules

RULES = CatalogRules("fdlint.catalog", ApiEntry, Naming(), lambda api: api, closing_methods=False)
