"""The files of the bundled catalog, in two groups: optional libraries, and modules that are always installed.

The files of the first group are called ``third_party_*.toml``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import resources

from fdlint.catalog.loader import Contents, load_contents

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PREFIX = "third_party_"


def catalog_files() -> Iterator[tuple[str, Contents]]:
    """Yields every file's name and contents."""
    for path in sorted(resources.files("fdlint.catalog").iterdir(), key=lambda path: path.name):
        if path.name.endswith(".toml"):
            yield path.name, load_contents(tomllib.loads(path.read_text("utf-8")), path.name)


def third_party() -> list[Contents]:
    """Returns the contents about libraries that a test cannot import."""
    return [contents for name, contents in catalog_files() if name.startswith(PREFIX)]


def importable() -> list[Contents]:
    """Returns the contents about the standard library and pytest."""
    return [contents for name, contents in catalog_files() if not name.startswith(PREFIX)]
