"""The documentation: generated pages are what they would be if generated now, and the site can be built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(*command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


def test_the_generated_pages_are_up_to_date() -> None:
    done = run(sys.executable, "docs/generate.py", "--check")
    assert done.returncode == 0, f"run `python docs/generate.py`, for these have changed:\n{done.stdout}{done.stderr}"
