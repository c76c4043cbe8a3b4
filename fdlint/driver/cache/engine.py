"""What results depend on that is fdlint's own."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from fdlint.version import __version__

_PARSER = "libcst"  # found, not imported
_OWN = (".py", ".toml", ".yaml", ".yml")


def engine() -> str:
    """Tells this fdlint from every other: its version, that of Python, the parser, and its own files as they lie on the
    disk (who works on fdlint changes it without a new version)."""
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
