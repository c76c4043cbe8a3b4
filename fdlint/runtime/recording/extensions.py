"""The compiled modules of this process: they can open descriptors of which Python knows nothing."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES

from fdlint.runtime.recording.leaks import is_of_the_library


def loaded() -> list[str]:
    """Returns the names of the packages with compiled modules that are not Python's own, in order."""
    found = set()
    for name, module in tuple(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(tuple(EXTENSION_SUFFIXES)) and not is_of_the_library(file):
            found.add(name.partition(".")[0])
    return sorted(found)
