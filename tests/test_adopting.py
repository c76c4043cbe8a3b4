"""The page about adopting fdlint: its files can be read, its commands run, and what it shows is what comes out."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from fdlint.cli import command
from fdlint.version import __version__

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "adopting.md").read_text(encoding="utf-8")
FILES = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]
JOBS = [file for file in FILES if "repos" not in file]
CONFIGURATIONS = [file for file in FILES if "repos" in file]
HOOKS = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}


def strings(document: Any) -> Iterator[str]:
    """All strings that are values, at any depth."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        for one in document:
            yield from strings(one)
    if isinstance(document, str):
        yield document


def test_there_are_jobs_and_configurations() -> None:
    assert (len(JOBS), len(CONFIGURATIONS)) == (1, 2)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which something is found: the page's own program, which has come after ``origin/main``."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "src" / "broker.py"
    source.parent.mkdir()
    source.write_text("")
    git = ["git", "-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid"]
    for arguments in (["init", "-q"], ["add", "src"], ["commit", "-qm", "empty"]):
        subprocess.run([*git, *arguments], check=True)
    subprocess.run([*git, "update-ref", "refs/remotes/origin/main", "HEAD"], check=True)
    source.write_text(shown("cat > src/broker.py"))
    return tmp_path


def shown(after: str) -> str:
    """What stands on the page between a command and the next one, or the end of the block."""
    match = re.search(re.escape(after) + r"\n(.*?)^(?:\$|```)", PAGE, re.DOTALL | re.MULTILINE)
    assert match
    return match[1]


@pytest.mark.parametrize("job", JOBS, ids=["diff"])
def test_the_commands_of_a_job_fail_and_write_what_it_uploads(job: Any, project: Path) -> None:
    words = list(strings(job))
    (line,) = (word for word in words if word.startswith("fdlint "))
    line = line.replace("$BASE", "main")
    result = CliRunner().invoke(command, shlex.split(line)[1:], standalone_mode=False)
    assert result.return_value == 1, result.output
    for name in words:
        if re.fullmatch(r"[\w.-]+\.(sarif|json|xml)", name):
            assert (project / name).is_file()


def test_what_is_installed_is_this_version() -> None:
    assert set(re.findall(r"(?<=/fdlint@)v[\d.]*\d", PAGE)) == {f"v{__version__}"}


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=["hooks", "flake8"])
def test_the_hooks_are_there(configuration: Any) -> None:
    for repository in configuration["repos"]:
        if repository["repo"].endswith("/fdlint"):
            assert {hook["id"] for hook in repository["hooks"]} <= HOOKS
            assert repository["rev"] == f"v{__version__}"


def test_the_first_scan_says_what_is_shown(project: Path) -> None:
    result = CliRunner().invoke(command, ["scan"], standalone_mode=False)
    out = "".join(f"{line.rstrip()}\n" for line in result.output.splitlines())
    assert re.sub(r"in [\d.]+ s", "", out) == re.sub(r"in [\d.]+ s", "", shown("$ fdlint scan"))


def test_what_closes_is_silent(project: Path) -> None:
    (project / "src" / "broker.py").write_text(shown("$ cat src/broker.py"))
    assert CliRunner().invoke(command, ["scan"], standalone_mode=False).return_value == 0
