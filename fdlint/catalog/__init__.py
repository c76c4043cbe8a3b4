"""Facts about what functions do to descriptors, read from the TOML files beside this module."""

from fdlint.catalog.catalog import Catalog, default_catalog
from fdlint.catalog.errors import CatalogError
from fdlint.catalog.loader import load_entries
from fdlint.catalog.models import NO_MODELS, Models, catalog_of, models_of
from fdlint.catalog.prefilter import Prefilter

__all__ = [
    "NO_MODELS",
    "Catalog",
    "CatalogError",
    "Models",
    "Prefilter",
    "catalog_of",
    "default_catalog",
    "load_entries",
    "models_of",
]
