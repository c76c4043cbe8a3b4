"""Finds programs for tests: those of the tests' environment, or any on the PATH."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program(name: str) -> str | None:
    """Returns the path of a program, or None if it is not installed. The environment need not be on the PATH."""
    return shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
