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

SECONDS = 20  # of a processor's time; many times what it takes, for the sake of slow machines
MEMORY = 3 << 30

TIMES_OUT = "takes too long"
NOT_YET = {
    "sequential opens, reads and closes": TIMES_OUT,
    "acquisitions open at once": TIMES_OUT,
    "acquisitions in one list": TIMES_OUT,
    "acquisitions in one display": TIMES_OUT,
    "finally in finally": "is laid twice for each one that is round it",
    "megabytes of calls": TIMES_OUT,
    "parentheses": "the parser crashes",
    "parentheses beyond all bounds": "the parser crashes",
}


def _names() -> list[object]:
    """Those that are known to fail are not even run: it would take the longer, the worse they are."""
    marks = {name: pytest.mark.xfail(reason=reason, run=False) for name, reason in NOT_YET.items()}
    return [pytest.param(name, marks=marks.get(name, ())) for name in ADVERSARIES]


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


@pytest.mark.parametrize("name", _names())
def test_it_ends_soon_and_says_what_it_left_out(name: str, tmp_path: Path) -> None:
    due, source = ADVERSARIES[name]
    path = tmp_path / "hard.py"
    path.write_text(source)
    report = scan(path)
    print(f"{name}: {report['summary']['seconds']:.1f} s, {[one['reason'] for one in report['skipped']]}")
    codes = {finding["code"] for finding in report["findings"]}
    assert codes <= {due}, "said what is not so"
    assert codes == {due} - {None} or report["skipped"], "neither found nor said that it was not looked for"
