"""Finds programs for fdlint to start, as absolute paths."""

from __future__ import annotations

import os
import shutil


def program(name: str) -> str | None:
    """Returns the path of a program on the PATH. Skips relative directories of the PATH, and on Windows the working
    directory: the scanned tree may contain a program of that name."""
    places = [place for place in os.get_exec_path() if os.path.isabs(place)]
    found = shutil.which(name, path=os.pathsep.join(places))
    return found if found is not None and os.path.isabs(found) else None
