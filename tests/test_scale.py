"""The scan of large or deep code ends soon, with the due finding or a skipped part; it never crashes."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from adversaries import ADVERSARIES

SECONDS = 20  # of a processor's time for one group; several times what it takes, because machines can be slow
MEMORY = 8 << 30  # of addresses, not of memory: the stack for deep code is reserved, hardly ever used
GROUPS = 2  # a process scans every second adversary: it starts once for all of them, and pytest can run two at a time


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def scan(directory: Path) -> dict[str, Any]:
    """Scans in a process of its own, so that not even a crash of the parser ends the tests."""
    options = ["--jobs=1", "--no-cache", "--persona=pedantic", "--output-format=json"]
    command = [sys.executable, "-m", "fdlint", "scan", *options, "."]
    done = subprocess.run(command, cwd=directory, capture_output=True, preexec_fn=_limited, timeout=300, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()[-500:] or f"ended by signal {-done.returncode}"
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("group", range(GROUPS))
def test_it_ends_soon_and_says_what_it_left_out(group: int, tmp_path: Path) -> None:
    names = {f"{name.replace(' ', '_').replace(',', '')}.py": name for name in list(ADVERSARIES)[group::GROUPS]}
    for file, name in names.items():
        (tmp_path / file).write_text(ADVERSARIES[name][1])
    report = scan(tmp_path)
    print(f"{report['summary']['seconds']:.1f} s, {[(one['path'], one['reason']) for one in report['skipped']]}")
    wrong = []
    for file, name in names.items():
        codes = {finding["code"] for finding in report["findings"] if finding["path"] == file}
        due = {ADVERSARIES[name][0]}
        if not codes <= due:
            wrong.append(f"{name}: reports {codes - due}")
        elif codes != due - {None} and not any(one["path"] == file for one in report["skipped"]):
            wrong.append(f"{name}: neither reports {due} nor is it skipped")
    assert not wrong
