"""The page about several machines: its jobs can be run one after another, and come to what one scan comes to."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from fdlint.cli import command
from fdlint.version import __version__

PAGE = (Path(__file__).parent.parent / "docs" / "scale.md").read_text(encoding="utf-8")
BLOCKS = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]
(WORKFLOW,) = (block for block in BLOCKS if "jobs" in block)


def fdlint(line: str) -> Result:
    return CliRunner().invoke(command, shlex.split(line)[1:], standalone_mode=False)


def of(job: str) -> str:
    """The line of a job that runs fdlint."""
    steps: list[dict[str, Any]] = WORKFLOW["jobs"][job]["steps"]
    (line,) = (step["run"] for step in steps if step.get("run", "").startswith("fdlint "))
    return str(line)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "reports").mkdir()
    for number in range(6):
        (tmp_path / "src" / f"probe_{number}.py").write_text("import os\n\ndef probe(p):\n    os.open(p, 0)\n")
    return tmp_path


def test_the_workflow(project: Path) -> None:
    for number in WORKFLOW["jobs"]["scan"]["strategy"]["matrix"]["shard"]:
        line = re.sub(r"\$\{\{ matrix\.shard \}\}", str(number), of("scan"))
        assert fdlint(line).return_value == 0
        artifact = project / "reports" / f"fdlint-{number}"
        artifact.mkdir()
        (project / f"fdlint-{number}.json").rename(artifact / f"fdlint-{number}.json")
    result = fdlint(of("report"))
    assert result.return_value == 1
    assert result.stdout.count("::error file=src/probe_") == 6
    assert len(json.loads((project / "fdlint.json").read_text())) == 6


def test_the_shards(project: Path) -> None:
    lines = re.findall(r"^\$ (fdlint scan --shard .*)$", PAGE, re.MULTILINE)
    assert len(lines) == 3
    found = [fdlint(line).return_value for line in lines]
    assert 1 in found
    whole = fdlint("fdlint scan -q --output-format concise src")
    assert fdlint("fdlint merge -q --output-format concise reports").stdout == whole.stdout


def test_what_is_installed_is_this_version() -> None:
    assert set(re.findall(r"(?<=/fdlint@)v[\d.]*\d", PAGE)) == {f"v{__version__}"}
