"""Programs that tests run: those of the environment that the tests run in, or any on the PATH."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program(name: str) -> str | None:
    """The path of a program, or None if it is not installed. An environment need not be on the PATH to be used."""
    return shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
