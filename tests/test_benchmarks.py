"""The benchmarks run, on little; how long anything takes is not asserted."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import browser
import loaded
import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")

STAGES = [
    "walk",
    "read",
    "prefilter",
    "comments",
    "index",
    "parse",
    "lower",
    "dataflow",
    "positions",
    "everything else",
]


@pytest.fixture
def little(tmp_path: Path) -> Path:
    """A directory with one file that matters and one that does not."""
    root = tmp_path / "little"
    root.mkdir()
    (root / "a.py").write_text("import os\n\ndef f(path):\n    fd = os.open(path, os.O_RDONLY)\n    os.read(fd, 1)\n")
    (root / "b.py").write_text("x = 1\n")
    return root


def run(script: str, *arguments: object) -> str:
    command = [sys.executable, str(ROOT / "benchmarks" / script), *map(str, arguments)]
    done = loaded.run(command, cwd=ROOT, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("hyperfine") is None, reason="hyperfine is not installed: apt install hyperfine")
def test_speed(little: Path, tmp_path: Path) -> None:
    out = run("speed.py", little, "--runs=2", "--tools=fdlint", "--profile", f"--json={tmp_path / 'x.json'}")
    written = json.loads((tmp_path / "x.json").read_text())
    names = [one["name"] for one in written["results"]]
    assert names in (["fdlint"], ["fdlint cold", "fdlint warm"])
    assert all(f"| {name} | " in out for name in [*names, *written["stages"]])
    assert list(written["stages"]) == STAGES


def test_each_clock_is_at_a_place_that_a_scan_comes_by(little: Path) -> None:
    """In a process of its own, for it replaces functions."""
    program = "import json, pathlib, sys, stages; print(json.dumps(stages.by_stage(pathlib.Path(sys.argv[1]))))"
    command = [sys.executable, "-c", program, str(little)]
    done = subprocess.run(command, cwd=ROOT / "benchmarks", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seconds = json.loads(done.stdout)
    assert list(seconds) == STAGES
    assert not [stage for stage, spent in seconds.items() if spent <= 0]


def test_growth(little: Path) -> None:
    rows = run("growth.py", little, "--runs=1", "--copies=1,3").splitlines()[2:]
    assert [row.split()[1] for row in rows] == ["1", "3"]


def test_fixes(tmp_path: Path) -> None:
    body = ("fd = os.open(p, 0)", "data = os.stat(p)", "os.close(fd)", "return data")
    code = "import os\n\n\ndef read(p):\n" + "".join(f"    {line}\n" for line in body)
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    rows = run("fixes.py", tmp_path).splitlines()[2:]
    assert rows == ["| FD103 | 1 | 1 | 0 | 0 |", "| all | 1 | 1 | 0 | 0 |", "    1 Close `…` in a `…`"]


def test_upstream(tmp_path: Path) -> None:
    """The patch is one for ``git am``, which applies it."""
    project = tmp_path / "repositories" / "who+what"
    project.mkdir(parents=True)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(project))
    (project / "a.py").write_text(
        "from tempfile import mkstemp\n\n\ndef name():\n    _, path = mkstemp()\n    return path\n"
    )
    for command in (["init", "--quiet"], ["add", "a.py"], ["commit", "--quiet", "-m", "First"]):
        subprocess.run([*git, *command], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    row = {"repository": "who/what", "commit": commit, "path": "a.py", "line": 5, "code": "FD107"}
    told = {"title": "Close the descriptor", "text": "It stays open.", "see": "Call it."}
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({**row, **told}) + "\n")
    options = ["--repositories", str(project.parent), "--rows", str(rows), str(tmp_path / "out")]
    assert run("upstream.py", *options).splitlines()[-1] == "    1 written"
    (patch,) = (tmp_path / "out").iterdir()
    subprocess.run([*git, "am", "--quiet", str(patch)], check=True)
    assert "os.close(" in (project / "a.py").read_text()
    said = subprocess.run([*git, "log", "-1", "--format=%B"], capture_output=True, text=True, check=True).stdout
    assert said.startswith("Close the descriptor\n\nIt stays open.\n\nHow to see it: Call it.\n")


@pytest.mark.skipif(browser.executable() is None, reason="there is no Chromium")
def test_audit() -> None:
    (row,) = run("audit.py", "--findings=20", "--runs=1").splitlines()[2:]
    assert re.fullmatch(r"\| 20 \| 0\.\d MB \| [\d.]+ s \| [\d.]+ s \| [\d.]+ s \| [\d.]+ s \|", row)


@pytest.mark.parametrize("script", ["speed.py", "growth.py"])
def test_the_page_names_them(script: str) -> None:
    assert f"benchmarks/{script}" in PAGE
