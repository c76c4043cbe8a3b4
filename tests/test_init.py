"""``fdlint init``: what is written, what stays, and what is left to the user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from fdlint.cli import main
from fdlint.links import HOME
from fdlint.scan import config
from fdlint.version import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ENTRY = {"repo": HOME, "rev": f"v{__version__}", "hooks": [{"id": "fdlint"}]}
HOOKS = ".pre-commit-config.yaml"
PROJECT = "[project]  # mine\nname = 'x'\n"
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    return tmp_path


def toml(file: Path) -> Any:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def contents(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}


def test_an_empty_project_gets_a_file(project: Path, capsys: Captured) -> None:
    assert main(["init"]) == 0
    assert set(contents(project)) == {"a.py", "fdlint.toml"}
    assert config.load(project / "fdlint.toml").given == frozenset()
    error = capsys.readouterr().err
    assert "fdlint: fdlint.toml written: new\n" in error
    assert "`fdlint init --hook` creates one" in error


def test_all_of_it(project: Path) -> None:
    (project / "pyproject.toml").write_text(f"{PROJECT}[tool.ruff]\nline-length = 99\n")
    (project / "a.py").write_text("x = 1  # noqa: E501\n")
    (project / "b.go").write_text("package b\n")
    (project / HOOKS).write_text("# ours\nrepos:\n- repo: local\n  hooks: []\n")
    assert main(["init"]) == 0
    written = toml(project / "pyproject.toml")
    assert written["tool"] == {"ruff": {"line-length": 99, "lint": {"external": ["FD"]}}, "fdlint": {}}
    assert (project / "pyproject.toml").read_text().startswith(PROJECT)
    entry = {**ENTRY, "hooks": [{"id": "fdlint"}, {"id": "fdlint-go"}]}
    assert yaml.safe_load((project / HOOKS).read_text())["repos"] == [{"repo": "local", "hooks": []}, entry]
    assert config.find(project) == project / "pyproject.toml"


def test_twice_is_once(project: Path, capsys: Captured) -> None:
    (project / "pyproject.toml").write_text(f"{PROJECT}[tool.ruff]\n")
    (project / "a.py").write_text("x = 1  # noqa\n")
    assert main(["init", "--hook"]) == 0
    before = contents(project)
    capsys.readouterr()
    assert main(["init", "--hook"]) == 0
    assert contents(project) == before
    error = capsys.readouterr().err
    assert "pyproject.toml has [tool.fdlint] already" in error
    assert 'has external = ["FD"] already' in error
    assert f"{HOOKS} has a hook of fdlint already" in error


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_dry_run_writes_nothing(project: Path, capsys: Captured) -> None:
    (project / "pyproject.toml").write_text(PROJECT)
    before = contents(project)
    assert main(["init", "--hook", "--dry-run"]) == 1
    assert contents(project) == before
    out = capsys.readouterr().out
    assert "+[tool.fdlint]\n" in out
    assert "+      - id: fdlint\n" in out
    assert applied(out, project) == {"pyproject.toml": 8, HOOKS: 5}
    assert main(["init", "--hook"]) == 0
    assert main(["init", "--hook", "--dry-run"]) == 0


def applied(diff: str, folder: Path) -> dict[str, int]:
    """The number of lines that each file has when git has applied a diff to a copy of a folder."""
    copy = folder / "copy"
    copy.mkdir()
    for name, data in contents(folder).items():
        (copy / name).write_bytes(data)
    subprocess.run(["git", "init", "-q"], cwd=copy, check=True)
    subprocess.run(["git", "apply", "-"], cwd=copy, input=diff, text=True, check=True)
    return {name: (copy / name).read_text().count("\n") for name in ("pyproject.toml", HOOKS)}


def test_a_directory_can_be_named(project: Path) -> None:
    (project / "sub").mkdir()
    assert main(["init", "sub"]) == 0
    assert set(contents(project / "sub")) == {"fdlint.toml"}
    assert main(["init", "nowhere"]) == 2


class TestConfiguration:
    @pytest.mark.parametrize("text", ["", PROJECT, PROJECT.rstrip(), f"{PROJECT}\n\n", PROJECT.replace("\n", "\r\n")])
    def test_is_added_at_the_end(self, project: Path, text: str) -> None:
        file = project / "pyproject.toml"
        file.write_bytes(text.encode())
        assert main(["init"]) == 0
        written = file.read_bytes().decode()
        assert written.startswith(text)
        assert toml(file) == {**tomllib.loads(text), "tool": {"fdlint": {}}}
        assert written.count("\r\n") == (written.count("\n") if "\r" in text else 0)

    def test_a_file_of_its_own_stays(self, project: Path) -> None:
        (project / "fdlint.toml").write_text("ignore = []\n")
        (project / "pyproject.toml").write_text(PROJECT)
        before = contents(project)
        assert main(["init"]) == 0
        assert contents(project) == before

    @pytest.mark.parametrize(("name", "text"), [("fdlint.toml", ""), ("pyproject.toml", "[tool.fdlint]\n")])
    def test_one_above_holds_already(self, project: Path, capsys: Captured, name: str, text: str) -> None:
        (project / name).write_text(text)
        (project / "sub").mkdir()
        assert main(["init", "sub"]) == 0
        assert list((project / "sub").iterdir()) == []
        assert f"fdlint: {Path('..', name)} holds here already\n" in capsys.readouterr().err

    def test_one_of_its_own_comes_before_one_above(self, project: Path, capsys: Captured) -> None:
        (project / "fdlint.toml").write_text("")
        (project / "sub").mkdir()
        (project / "sub" / "pyproject.toml").write_text("[tool.fdlint]\n")
        assert main(["init", "sub"]) == 0
        assert "fdlint: pyproject.toml has [tool.fdlint] already\n" in capsys.readouterr().err

    def test_one_above_the_repository_does_not_count(self, project: Path) -> None:
        (project / "fdlint.toml").write_text("")
        (project / "sub" / ".git").mkdir(parents=True)
        assert main(["init", "sub"]) == 0
        assert (project / "sub" / "fdlint.toml").is_file()

    @pytest.mark.parametrize("text", ["tool = {x = 1}\n", "tool = 1\n"])
    def test_a_table_that_cannot_be_added_to(self, project: Path, capsys: Captured, text: str) -> None:
        (project / "pyproject.toml").write_text(text)
        before = contents(project)
        assert main(["init"]) == 1
        assert contents(project) == before
        assert "add this yourself:\n\n[tool.fdlint]\n" in capsys.readouterr().err

    @pytest.mark.parametrize("text", ["[project\n", "a = 1\na = 2\n"])
    def test_a_broken_file(self, project: Path, capsys: Captured, text: str) -> None:
        (project / "pyproject.toml").write_text(text)
        before = contents(project)
        assert main(["init", "--hook"]) == 2
        assert contents(project) == before
        assert "Error: pyproject.toml: " in capsys.readouterr().err

    def test_a_link_is_not_written_through(self, project: Path, capsys: Captured) -> None:
        target = project / "elsewhere"
        target.write_text(PROJECT)
        (project / "pyproject.toml").symlink_to(target)
        assert main(["init"]) == 1
        assert target.read_text() == PROJECT
        assert "pyproject.toml is a link; add this yourself" in capsys.readouterr().err

    def test_a_dangling_link_is_not_written_through(self, project: Path) -> None:
        (project / "fdlint.toml").symlink_to(project / "elsewhere")
        assert main(["init"]) == 0
        assert not (project / "elsewhere").exists()

    def test_what_is_no_file(self, project: Path, capsys: Captured) -> None:
        os.mkfifo(project / "pyproject.toml")
        assert main(["init"]) == 1
        assert "pyproject.toml is not a regular file" in capsys.readouterr().err


class TestRuff:
    @pytest.fixture(autouse=True)
    def noqa(self, project: Path) -> None:
        (project / "a.py").write_text("x = 1  # noqa: E501\n")

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("pyproject.toml", "[tool.ruff.lint]  # rules\nselect = ['E']\n[tool.ruff.format]\nx = 1\n"),
            ("pyproject.toml", "[tool.ruff.lint]\n"),
            ("pyproject.toml", "[tool.ruff.lint.isort]\nx = 1\n"),
            ("pyproject.toml", "[tool.ruff]\nline-length = 99"),
            ("ruff.toml", "line-length = 99\n"),
            (".ruff.toml", "[lint]\nselect = ['E']\n"),
        ],
    )
    def test_is_told(self, project: Path, name: str, text: str) -> None:
        (project / name).write_text(text)
        assert main(["init"]) == 0
        expected = tomllib.loads(text)
        table = expected["tool"]["ruff"] if name == "pyproject.toml" else expected
        table.setdefault("lint", {})["external"] = ["FD"]
        if name == "pyproject.toml":
            expected["tool"]["fdlint"] = {}
        assert toml(project / name) == expected

    @pytest.mark.parametrize("known", ['["FD"]', '["F"]', '["V", "FD"]'])
    def test_knows(self, project: Path, known: str) -> None:
        (project / "ruff.toml").write_text(f"[lint]\nexternal = {known}\n")
        assert main(["init"]) == 0
        assert toml(project / "ruff.toml") == tomllib.loads(f"[lint]\nexternal = {known}\n")

    @pytest.mark.parametrize(
        "text", ["[lint]\nexternal = ['V']\n", "lint = {}\n", "lint.select = ['E']\n", "lint = 1\n"]
    )
    def test_is_left_to_the_user(self, project: Path, capsys: Captured, text: str) -> None:
        (project / "ruff.toml").write_text(text)
        assert main(["init"]) == 1
        assert (project / "ruff.toml").read_text() == text
        assert "add this yourself" in capsys.readouterr().err

    def test_is_not_told_without_noqa(self, project: Path) -> None:
        (project / "a.py").write_text("x = 'noqa'\n")
        (project / "ruff.toml").write_text("")
        assert main(["init"]) == 0
        assert (project / "ruff.toml").read_text() == ""

    def test_its_own_file_comes_first(self, project: Path) -> None:
        (project / "pyproject.toml").write_text("[tool.ruff]\n")
        (project / "ruff.toml").write_text("")
        assert main(["init"]) == 0
        assert toml(project / "ruff.toml") == {"lint": {"external": ["FD"]}}
        assert toml(project / "pyproject.toml") == {"tool": {"ruff": {}, "fdlint": {}}}


class TestHook:
    @pytest.mark.parametrize(
        "text",
        [
            "repos:\n  - repo: local\n    hooks:\n      - id: x\n        entry: |\n          a\n           b\n",
            "repos:\n- repo: local\n  hooks:\n  - id: x\n    # end\n\n# a comment at the end\n",
            "ci:\n  skip: [x]\nrepos:  # all\n  - repo: local\n    hooks: []\n\nexclude: |\n  ^a\n",
            "repos:\n    -   repo: local\n        hooks:\n        -   id: x\ndefault_stages: [pre-commit]\n",
            "repos:\r\n  - repo: local\r\n    hooks: []\r\n",
            "repos:\n  - repo: local\n    hooks: [\n      {id: x}]",
            "---\nrepos:\n  - repo: local\n    hooks: []\n",
            "repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: |\n      a\n      # b\n# c\nci: {}\n",
            "repos:\nci:\n  skip:\n  - x\n",
        ],
    )
    def test_is_added(self, project: Path, text: str) -> None:
        (project / HOOKS).write_bytes(text.encode())
        assert main(["init"]) == 0
        written = (project / HOOKS).read_bytes().decode()
        old, new = yaml.safe_load(text), yaml.safe_load(written)
        assert new == {**old, "repos": [*(old["repos"] or []), ENTRY]}
        assert [line for line in text.splitlines() if line not in written.splitlines()] == []

    @pytest.mark.parametrize(
        "text",
        [
            "repos: []\n",
            "repos:\n",
            "repos: [\n]\n",
            "a: 1\n",
            "",
            "repos:\n  - repo: a\nrepos:\n  - repo: b\n",
            "---\nrepos:\n  - repo: a\n---\n",
            "repos:\n\t- repo: a\n",
        ],
    )
    def test_is_left_to_the_user(self, project: Path, capsys: Captured, text: str) -> None:
        (project / HOOKS).write_text(text)
        assert main(["init"]) == 1
        assert (project / HOOKS).read_text() == text
        assert f"add this yourself:\n\n  - repo: {HOME}\n" in capsys.readouterr().err

    @pytest.mark.parametrize(
        "line",
        [
            "  - repo: https://example.org/me/fdlint",
            "      - id: fdlint",
            "      - id: 'fdlint-go'  # why",
            "  - id: fdlint",
        ],
    )
    def test_is_there(self, project: Path, line: str) -> None:
        text = f"repos:\n{line}\n"
        (project / HOOKS).write_text(text)
        assert main(["init"]) == 0
        assert (project / HOOKS).read_text() == text

    def test_is_created_on_demand(self, project: Path) -> None:
        assert main(["init", "--hook"]) == 0
        assert yaml.safe_load((project / HOOKS).read_text()) == {"repos": [ENTRY]}


def test_hostile_names_are_escaped(project: Path, capsys: Captured) -> None:
    (project / "pyproject.toml").write_text('"\\u001b[31m" = 1\n[tool.fdlint\n')
    assert main(["init"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_flake8_is_mentioned(project: Path, capsys: Captured) -> None:
    (project / "setup.cfg").write_text("[flake8]\n")
    assert main(["init"]) == 0
    assert "setup.cfg configures flake8" in capsys.readouterr().err


def test_permissions_stay(project: Path) -> None:
    file = project / "pyproject.toml"
    file.write_text(PROJECT)
    file.chmod(0o600)
    assert main(["init"]) == 0
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_directory_that_cannot_be_written(project: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("fdlint.cli.onboarding.change.write_file", fail)
    assert main(["init"]) == 2
    assert "fdlint.toml: cannot be written: Permission denied" in capsys.readouterr().err
