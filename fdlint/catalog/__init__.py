"""Facts about what functions do to descriptors, read from the TOML files beside this module.

What a configuration needs is here at once; the catalog itself is imported when it is asked for.
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
