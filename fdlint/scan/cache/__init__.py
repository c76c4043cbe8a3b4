"""A cache of results: an unchanged file is not analysed again.

A result is valid as long as all its inputs are the same: the file's contents, those of the imported files, the places
that the imports resolve to, the project's models, and fdlint itself.
"""

from fdlint.scan.cache.cache import Cache, open_cache
from fdlint.scan.cache.place import UntrustedCacheError

__all__ = ["Cache", "UntrustedCacheError", "open_cache"]
