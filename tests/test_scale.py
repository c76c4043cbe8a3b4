"""What is large or deep ends soon, with what is due or with a word on what was left out; never in a crash."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from adversaries import ADVERSARIES

SECONDS = 60  # of a processor's time; several times what it takes, for the sake of slow machines
MEMORY = 8 << 30  # of addresses, not of memory: the stack for deep code is reserved, hardly ever used


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def scan(path: Path) -> dict[str, Any]:
    """Scans in a process of its own, so that not even a crash of the parser ends the tests."""
    command = [sys.executable, "-m", "fdlint", "scan", "--output-format", "json", path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, preexec_fn=_limited, timeout=300, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()[-500:] or f"ended by signal {-done.returncode}"
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("name", ADVERSARIES)
def test_it_ends_soon_and_says_what_it_left_out(name: str, tmp_path: Path) -> None:
    due, source = ADVERSARIES[name]
    path = tmp_path / "hard.py"
    path.write_text(source)
    report = scan(path)
    print(f"{name}: {report['summary']['seconds']:.1f} s, {[one['reason'] for one in report['skipped']]}")
    codes = {finding["code"] for finding in report["findings"]}
    assert codes <= {due}, "said what is not so"
    assert codes == {due} - {None} or report["skipped"], "neither found nor said that it was not looked for"
