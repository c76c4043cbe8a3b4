"""Facts about what functions do to descriptors, read from the TOML files beside this module."""

from fdlint.catalog.catalog import Catalog, default_catalog
from fdlint.catalog.errors import CatalogError
from fdlint.catalog.loader import load_entries
from fdlint.catalog.prefilter import Prefilter

__all__ = ["Catalog", "CatalogError", "Prefilter", "default_catalog", "load_entries"]
