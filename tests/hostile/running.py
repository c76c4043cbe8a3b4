"""Runs fdlint like its users, in a process of its own: a scan that hangs or dies must not end the tests."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import loaded
from defects import look_at

LEAK = "import os\ndef f(path):\n    fd = os.open(path, os.O_RDONLY)\n"
TIMEOUT = 60  # seconds; none of the runs takes three
MEMORY = 512 << 20
_SCAN = ("scan", "-j1", "--output-format=json")

_MEASURED = """
import json, os, sys
from fdlint.cli import main
from tests.memory import peak
streams = os.dup(1), os.dup(2)
try:
    for directory, arguments, note in json.loads(sys.argv[1]):
        os.chdir(directory)
        for stream, name in ((1, "out"), (2, "err")):
            file = os.open(note + name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, stream)
            os.close(file)
        status = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        with open(note + "end", "w") as end:
            print(status, peak(), file=end)
finally:
    for stream, saved in enumerate(streams, start=1):
        os.dup2(saved, stream)
"""
Command = tuple[Path, Sequence[str]]


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


def scan(directory: Path, *arguments: str, stdin: int | None = None) -> Run:
    """Scans a directory, or the paths in the arguments, without a pool."""
    (run,) = run_all([(directory, _SCAN + (arguments or (".",)))], stdin=stdin)
    return run


def scan_each(directories: Sequence[Path], *arguments: str) -> list[Run]:
    """Scans several directories with the same arguments, one after the other in one process, which starts once."""
    return run_all([(directory, _SCAN + (arguments or (".",))) for directory in directories])


def run_all(commands: Sequence[Command], stdin: int | None = None) -> list[Run]:
    """Runs several command lines, each in its directory, one after the other in one process."""
    todo = [
        (str(place), [*arguments], f"{place.parent / place.name}.{n}.") for n, (place, arguments) in enumerate(commands)
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", _MEASURED, json.dumps(todo)]
    done = loaded.run(command, timeout=TIMEOUT, text=True, env=environment, stdin=stdin)
    assert done.returncode == 0, done.stderr[-2000:]
    return [_ended(note) for _, _, note in todo]


def _ended(note: str) -> Run:
    out, errors, end = (Path(note + name).read_text() for name in ("out", "err", "end"))
    look_at(out + errors)
    status, peak = map(int, end.split())
    return Run(status, json.loads(out) if out.startswith("{") else {}, errors, peak)
