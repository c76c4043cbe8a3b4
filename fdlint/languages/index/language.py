"""The index of a language: what fdlint asks of a file before the language's front end lowers it.

The call graph, the candidates and the cache ask nothing else. So a second language needs an index of its own, and a
front end that lowers a piece when its graph is needed.
"""

from __future__ import annotations

from typing import Protocol

from fdlint.languages.index.outline import Sketch
from fdlint.languages.index.skeleton import Skeleton


class Index(Protocol):
    """The index of one language. Its answers depend on the contents of the file alone, and are the same on each call.

    The ``Sketch`` of a file has its definitions with their extent (``pieces``), and the facts of each piece: its calls
    and what they pass, the names that it reads, its imports, and whether it gives its caller something. Its
    ``skeleton`` has the imports, aliases, classes with their bases, and decorated definitions of the top level.
    """

    def outline(self, data: bytes) -> Sketch | None:
        """Splits a file into pieces. Returns None if the index cannot read the file; it is then lowered as a whole."""

    def imports(self, data: bytes) -> Skeleton:
        """Returns the skeleton of a file's imports alone: cheaper, and possible for a file with errors."""
