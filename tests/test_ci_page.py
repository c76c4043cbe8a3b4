"""The page about continuous integration: jobs fail and write what they upload; inputs are those that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from test_adopting import strings

from fdlint.cli import command
from fdlint.version import __version__

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
COMPONENT, _ = yaml.safe_load_all((ROOT / "templates" / "fdlint.yml").read_text(encoding="utf-8"))
JOBS = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]
COMMANDS = re.findall(r"\bfdlint (scan [^\n|]*?)(?: \||\n|$)", PAGE)
LEAK = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"


def rows(heading: str) -> dict[str, str]:
    """The inputs of a section's table, with their defaults."""
    section = PAGE[PAGE.index(f"\n## {heading}\n") :]
    table = section[section.index("| input | default |") : section.index("\n\n", section.index("| input |"))]
    found = re.findall(r"^\| `([\w-]+)` \| (?:`([^`]*)`)? ?\|", table, re.MULTILINE)
    return dict(found)


def test_the_tables_list_the_inputs() -> None:
    assert rows("GitHub Actions") == {name: one["default"] for name, one in ACTION["inputs"].items()}
    assert rows("GitLab") == {name: one["default"] for name, one in COMPONENT["spec"]["inputs"].items()}


def test_the_examples_use_inputs_that_there_are() -> None:
    action, _, component, _ = JOBS
    (step,) = (one for one in action["jobs"]["fdlint"]["steps"] if one["uses"].startswith("OWNER/fdlint@"))
    assert set(step["with"]) <= set(ACTION["inputs"])
    (include,) = component["include"]
    assert set(include["inputs"]) <= set(COMPONENT["spec"]["inputs"])
    name = include["component"].partition("@")[0].rpartition("/")[2]
    assert (ROOT / "templates" / f"{name}.yml").is_file()


def test_what_is_installed_is_this_version() -> None:
    versions = set(re.findall(r"(?:fdlint(?:\.git)?(?:@|#)v|fdlint(?:\[\w+\])?==)(\d[\d.]*\d)", PAGE))
    assert versions == {__version__}


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_can_be_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leak.py").write_text(LEAK)
    arguments = shlex.split(line.strip("`"))
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert result.return_value == (0 if "--exit-zero" in arguments else 1), result.output


@pytest.mark.parametrize("job", [JOBS[1], JOBS[3]], ids=["github", "gitlab"])
def test_a_job_writes_what_it_uploads(job: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leak.py").write_text(LEAK)
    words = list(strings(job))
    (line,) = (word for word in words if word.startswith("fdlint scan"))
    assert CliRunner().invoke(command, shlex.split(line)[1:], standalone_mode=False).return_value == 1
    names = [name for name in words if re.fullmatch(r"[\w.-]+\.(sarif|json|xml)", name)]
    assert names
    assert all((tmp_path / name).is_file() for name in names)
