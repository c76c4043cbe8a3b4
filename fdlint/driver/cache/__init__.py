"""What earlier scans found out, kept for the next one: a file that has not changed is not analysed again.

A result holds as long as everything that it rests on is the same: the file's contents, those of the files that its
imports led to, where these imports lead, what the project has taught fdlint, and fdlint itself.
"""

from fdlint.driver.cache.cache import Cache, open_cache
from fdlint.driver.cache.place import UntrustedCacheError

__all__ = ["Cache", "UntrustedCacheError", "open_cache"]
