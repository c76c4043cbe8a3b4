"""Trees that try to tell Semgrep what to do, or to make the git that it starts run code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fdlint.cli import main
from fdlint.go import semgrep

LEAK = """\
package p

func probe(path string) error {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	return err
}
"""
STAND_IN = f"""#!{sys.executable}
import json, os, subprocess, sys
files = sys.argv[sys.argv.index("--") + 1:]
git = subprocess.run(["git", "rev-parse", "--git-dir"], capture_output=True) if os.environ["HAS_GIT"] else None
with open(os.environ["CALLED"], "w") as called:
    json.dump({{"files": files, "cwd": os.getcwd(), "git": git and git.stdout.decode()}}, called)
span = {{"start": {{"line": 4, "col": 13}}, "end": {{"line": 4, "col": 59}}}}
metadata = {{"fdlint": "FD101", "name": "never-closed"}}
extra = {{"message": "`fd` is never closed", "severity": "ERROR", "metadata": metadata}}
print(json.dumps({{
    "version": "1.182.0", "errors": [],
    "results": [{{"check_id": "x", "path": name, "extra": extra, **span}} for name in files],
}}))
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    top = tmp_path / "tree"
    top.mkdir()
    monkeypatch.chdir(top)
    return top


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "semgrep"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setattr(semgrep, "executable", lambda: str(program))
    monkeypatch.setenv("CALLED", str(tmp_path / "called"))
    monkeypatch.setenv("HAS_GIT", "1" if shutil.which("git") else "")
    return tmp_path / "called"


def found(capsys: pytest.CaptureFixture[str]) -> list[str]:
    main(["scan", "-q", "--no-cache", "--semgrep", "--output-format", "json", "."])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert report["skipped"] == []
    return [one["path"] for one in report["findings"]]


@pytest.mark.parametrize("name", ["-rf.go", "new\nline.go", "q\"uo'te.go", "$(x).go", "ü.go", "\udcff.go", "a b.go"])
def test_semgrep_sees_copies_outside_of_the_tree(
    name: str, tree: Path, called: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("git"):
        subprocess.run(["git", "init", "--quiet"], check=True)
    for file in (name, "a_test.go"):
        (tree / file).write_text(LEAK)
    expected = {os.fsencode(file).decode(errors="replace") for file in (name, "a_test.go")}
    assert set(found(capsys)) == expected
    call = json.loads(called.read_text())
    assert not call["git"]
    assert not any(path.startswith(str(tree)) for path in (call["cwd"], *call["files"]))
    assert all(path.isascii() and path.endswith(".go") for path in call["files"])
    assert any(path.endswith("/a_test.go") for path in call["files"])
    assert not any(os.path.exists(path) for path in call["files"])


def test_semgrep_is_not_taken_from_the_tree(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "semgrep").write_text("#!/bin/sh\n")
    (tree / "semgrep").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tree.parent / "python"))
    monkeypatch.setenv("PATH", os.pathsep.join((".", "")))
    assert semgrep.executable() is None
    monkeypatch.setenv("PATH", str(tree))
    assert semgrep.executable() == str(tree / "semgrep")


@pytest.mark.skipif(semgrep.executable() is None, reason="Semgrep is not installed: pip install 'fdlint[semgrep]'")
def test_files_beside_it_tell_semgrep_nothing(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "vendored").mkdir()
    (tree / "vendored/a.go").write_text(LEAK)
    for name in (".semgrepignore", ".gitignore_global", "vendored/.semgrepignore"):
        (tree / name).write_text("*\n*.go\n")
    monkeypatch.setenv("GIT_DIR", str(tree))
    assert found(capsys) == ["vendored/a.go"]
