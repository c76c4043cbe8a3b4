"""Runs fdlint like its users, in a process of its own: a scan that hangs or dies must not end the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEAK = "import os\ndef f(path):\n    fd = os.open(path, os.O_RDONLY)\n"
TIMEOUT = 60  # seconds; none of the runs takes three
MEMORY = 512 << 20

_MEASURED = """
import runpy, sys
sys.argv[0] = "fdlint"
try:
    runpy.run_module("fdlint", run_name="__main__", alter_sys=False)
finally:
    from tests.memory import peak
    print(peak(), file=open({!r}, "w"))
"""


@dataclass(frozen=True)
class Run:
    """The end of a scan. ``peak``: bytes of memory."""

    status: int
    document: dict[str, Any]
    errors: str
    peak: int

    @property
    def skipped(self) -> dict[str, str]:
        return {entry["path"]: entry["reason"] for entry in self.document["skipped"]}

    @property
    def found(self) -> list[str]:
        return [finding["path"] for finding in self.document["findings"]]


def scan(directory: Path, *arguments: str, stdin: int = subprocess.DEVNULL) -> Run:
    """Scans a directory, or the paths in the arguments, without a pool."""
    note = directory.parent / f"{directory.name}.peak"
    program = _MEASURED.format(str(note))
    command = [sys.executable, "-c", program, "scan", "-j1", "--output-format=json", *(arguments or (".",))]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        command,
        cwd=directory,
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
        text=True,
        env=environment,
        stdin=stdin,
    )
    document = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    return Run(done.returncode, document, done.stderr, int(note.read_text()) if note.exists() else 0)
