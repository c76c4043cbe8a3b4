"""The example of a fleet: several repositories in shards on a Dask cluster say what each says on its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fdlint

pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "examples" / "fleet" / "fleet.py"
REPOSITORIES = {
    "api": {
        "pyproject.toml": "",
        "make.py": "import os\n\ndef make(path):\n    return os.open(path, 0)\n",
        "lose.py": "from make import make\n\ndef lose(path):\n    fd = make(path)\n    return fd == 3\n",
        "probe.py": "import os\n\ndef probe(path):\n    os.open(path, 0)\n",
    },
    "web": {
        "pyproject.toml": "",
        "probe.py": "import os\n\ndef probe(path):\n    os.open(path, 0)\n",
        "json.py": "raise SystemExit('what is scanned is not run')\n",
    },
}


@pytest.fixture
def repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    for name, files in REPOSITORIES.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)
    program = tmp_path / "bin" / "fdlint"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport sys\nfrom fdlint.cli import main\nsys.exit(main())\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    return [f"{name}={name}" for name in REPOSITORIES]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--workers", "2", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_a_fleet_says_what_each_repository_says(
    repositories: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("--shards", "2", *repositories, "--output-format", "concise", "-o", "json=fleet.json")
    assert done.returncode == 1, done.stderr
    assert "api/lose.py:4:10: FD101" in done.stdout
    found = json.loads((tmp_path / "fleet.json").read_text())
    alone = []
    for name in REPOSITORIES:
        monkeypatch.chdir(tmp_path / name)
        alone += [(f"{name}/{one.span.path}", one.code) for one in fdlint.scan_paths(["."]).findings]
    assert [(one["path"], one["code"]) for one in found["findings"]] == alone
    assert alone == [("api/lose.py", "FD101"), ("api/probe.py", "FD107"), ("web/probe.py", "FD107")]
    assert found["summary"]["files"] == 5


def test_a_scan_that_fails_ends_it(repositories: list[str], tmp_path: Path) -> None:
    (tmp_path / "web" / "pyproject.toml").write_text("[tool.fdlint]\nno-such-key = 1\n")
    done = run(*repositories)
    assert done.returncode == 1
    assert "web, shard 1/1" in done.stderr
    assert "no-such-key" in done.stderr
    assert done.stdout == ""
