"""Programs that fdlint starts, by absolute paths."""

from __future__ import annotations

import os
import shutil


def program(name: str) -> str | None:
    """Where a program is on the PATH. A relative directory in the PATH, or Windows, would look in the working
    directory, where the tree under scan can have a program of that name."""
    places = [place for place in os.get_exec_path() if os.path.isabs(place)]
    found = shutil.which(name, path=os.pathsep.join(places))
    return found if found is not None and os.path.isabs(found) else None
