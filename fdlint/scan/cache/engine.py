"""Identifies this installation of fdlint, because results depend on it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from fdlint.version import __version__

_PARSER = "libcst"  # this does not import it
_OWN = (Path(__file__).suffix, ".toml", ".yaml", ".yml")


def engine() -> str:
    """Returns a key of this installation: the versions of fdlint, Python and the parser, and the status of fdlint's own
    files, which a developer changes without a new version."""
    print_ = hashlib.blake2b(f"{__version__} {sys.version_info[:2]}".encode(), digest_size=8)
    parser = importlib.util.find_spec(_PARSER)
    own = [*_files(Path(__file__).parents[2]), *((one, os.stat(one)) for one in [parser and parser.origin] if one)]
    for path, status in sorted(own):
        print_.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode(errors="surrogateescape"))
    return print_.hexdigest()


def _files(directory: Path) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(Path(entry.path))
            elif entry.name.endswith(_OWN):
                yield entry.path, entry.stat()
