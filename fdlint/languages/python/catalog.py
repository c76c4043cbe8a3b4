"""The catalog of Python."""

from __future__ import annotations

from fdlint.catalog.model import Api
from fdlint.catalog.naming import Naming
from fdlint.catalog.of_language import CatalogRules

_OF_PATH = "/"  # in names with an import path


def _own(api: Api) -> Api | None:
    return api if _OF_PATH not in api.name else None


RULES = CatalogRules("fdlint.catalog", Naming(), _own, aliases=True, closing_methods=False)
