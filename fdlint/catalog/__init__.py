"""Facts about what functions do to descriptors, from the TOML files beside this module.

A configuration needs only what is imported here. The catalog itself is imported on first use.
"""

from typing import TYPE_CHECKING

from fdlint.catalog.added import NO_MODELS, Models
from fdlint.catalog.errors import CatalogError

if TYPE_CHECKING:
    from fdlint.catalog.catalog import Catalog, default_catalog
    from fdlint.catalog.models import catalog_of, models_of, redefined
    from fdlint.catalog.prefilter import Prefilter

__all__ = [
    "NO_MODELS",
    "Catalog",
    "CatalogError",
    "Models",
    "Prefilter",
    "catalog_of",
    "default_catalog",
    "models_of",
    "redefined",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fdlint.catalog import catalog, models, prefilter

    return next(getattr(home, name) for home in (catalog, models, prefilter) if hasattr(home, name))
