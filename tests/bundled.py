"""The bundled catalog, file by file: those about libraries that need not be installed, and those about what always is.

The file's name says it: ``third_party_*.toml``.
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
    """Every file's name and what it says."""
    for path in sorted(resources.files("fdlint.catalog").iterdir(), key=lambda path: path.name):
        if path.name.endswith(".toml"):
            yield path.name, load_contents(tomllib.loads(path.read_text("utf-8")), path.name)


def third_party() -> list[Contents]:
    """What is said of libraries that a test cannot import."""
    return [contents for name, contents in catalog_files() if name.startswith(PREFIX)]


def importable() -> list[Contents]:
    """What is said of the standard library and of pytest."""
    return [contents for name, contents in catalog_files() if not name.startswith(PREFIX)]
