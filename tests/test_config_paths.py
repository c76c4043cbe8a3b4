"""What a configuration says of single files: which are looked at, what is said of them, how bad it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import loaded
import pytest

import fdlint
from fdlint.cli import main

LEAK = "import os\n\ndef leak(path):\n    fd = os.open(path, os.O_RDONLY)\n"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "lib/b.py", "lib/old/c.py", "tests/d.py", "tests/data/e.py"):
        write(tmp_path, {name: LEAK})
    return tmp_path


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def paths(capsys: Captured, *arguments: str) -> str:
    """The files with findings."""
    assert main(["scan", "--output-format", "json", "-q", *arguments]) in (0, 1)
    out, err = capsys.readouterr()
    assert not err
    return " ".join(dict.fromkeys(one["path"] for one in json.loads(out)["findings"]))


ALL = "a.py lib/b.py lib/old/c.py tests/d.py tests/data/e.py"


class TestExclude:
    @pytest.mark.parametrize(
        ("patterns", "left"),
        [
            ([], "a.py lib/b.py lib/old/c.py tests/d.py tests/data/e.py"),
            (["old"], "a.py lib/b.py tests/d.py tests/data/e.py"),
            (["lib/"], "a.py tests/d.py tests/data/e.py"),
            (["./lib"], "a.py tests/d.py tests/data/e.py"),
            (["/old", "b.py", "tests/*"], "a.py lib/old/c.py"),
            (["tests/**", "!tests/d.py"], "a.py lib/b.py lib/old/c.py tests/d.py"),
            (["tests/*", "!tests/d.py"], "a.py lib/b.py lib/old/c.py tests/d.py"),
            (["*.py", "!a.py"], "a.py"),
        ],
    )
    def test_patterns_as_in_gitignore(self, tree: Path, capsys: Captured, patterns: list[str], left: str) -> None:
        for key in ("exclude", "extend-exclude"):
            write(tree, {"fdlint.toml": f"{key} = {json.dumps(patterns)}"})
            assert paths(capsys) == left

    def test_relative_to_the_file(self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tree, {"pyproject.toml": "[tool.fdlint]\nextend-exclude = ['/lib/old']\n"})
        assert paths(capsys, "lib") == "lib/b.py"
        monkeypatch.chdir(tree / "lib")
        assert paths(capsys) == "b.py"
        monkeypatch.chdir(tree / "tests")
        assert paths(capsys, "../lib") == "../lib/b.py"

    def test_of_a_file_that_is_named_relative_to_the_working_directory(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"elsewhere/models.toml": "extend-exclude = ['/lib', '/tests']"})
        assert paths(capsys, "--config", "elsewhere/models.toml") == "a.py"

    def test_names_of_the_command_line_hold_outside_the_working_directory(
        self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tree / "tests")
        assert paths(capsys, "..", "--exclude", "old,d.py") == "../a.py ../lib/b.py ../tests/data/e.py"
        assert paths(capsys, "../lib", "--exclude", "/b.py,lib/old") == "../lib/b.py ../lib/old/c.py"

    def test_both(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"fdlint.toml": "exclude = ['lib']\nextend-exclude = ['tests']"})
        assert paths(capsys) == "a.py"

    def test_what_is_left_out_by_itself(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"node_modules/f.py": LEAK, ".git/hooks/g.py": LEAK, "ignored.py": LEAK})
        write(tree, {".gitignore": "ignored.py\n", "fdlint.toml": "extend-exclude = []"})
        assert paths(capsys) == ALL
        write(tree, {"fdlint.toml": "exclude = []"})
        assert paths(capsys) == ALL.replace(" tests/d.py", " node_modules/f.py tests/d.py")
        write(tree, {"fdlint.toml": "exclude = ['!ignored.py']"})
        assert "ignored.py" not in paths(capsys)

    def test_what_is_named_is_scanned_unless_forced(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"fdlint.toml": "extend-exclude = ['lib']"})
        assert paths(capsys, "lib/b.py") == "lib/b.py"
        assert paths(capsys, "lib") == "lib/b.py lib/old/c.py"
        assert paths(capsys, "lib/old") == "lib/old/c.py"
        assert paths(capsys, "--force-exclude", "lib/b.py", "lib", "a.py") == "a.py"
        write(tree, {"fdlint.toml": "extend-exclude = ['lib']\nforce-exclude = true"})
        assert paths(capsys, "lib/b.py", "lib/old", "a.py") == "a.py"

    def test_on_the_command_line(self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tree, {"fdlint.toml": "exclude = ['lib']\nextend-exclude = ['data']"})
        assert paths(capsys, "--exclude", "d.py") == "a.py"
        monkeypatch.chdir(tree / "tests")
        found = "../a.py ../lib/b.py ../lib/old/c.py ../tests/d.py"
        assert paths(capsys, "--isolated", "--exclude", "/data", "..") == found
        assert main(["scan", "--exclude", "# x"]) == 2
        assert "not a pattern as in .gitignore" in capsys.readouterr().err


class TestInclude:
    @pytest.mark.parametrize(
        ("patterns", "left"),
        [
            (["lib"], "lib/b.py lib/old/c.py"),
            (["/lib", "!/lib/old"], "lib/b.py"),
            (["lib/*.py", "tests/**/e.py"], "lib/b.py tests/data/e.py"),
            (["nowhere"], ""),
        ],
    )
    def test_patterns(self, tree: Path, capsys: Captured, patterns: list[str], left: str) -> None:
        write(tree, {"fdlint.toml": f"include = {json.dumps(patterns)}"})
        assert paths(capsys) == left

    def test_is_about_what_is_not_named(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"fdlint.toml": "include = ['lib']\nextend-exclude = ['old']"})
        assert paths(capsys) == "lib/b.py"
        assert paths(capsys, "a.py") == "a.py"

    def test_scripts_and_stubs(self, tree: Path, capsys: Captured) -> None:
        shebang = f"#!/usr/bin/env python3\n{LEAK}"
        write(tree, {"bin/tool": shebang, "bin/notes": LEAK, "bin/tool.sh": shebang, "bin/w.pyw": LEAK})
        assert "bin" not in paths(capsys)
        write(tree, {"fdlint.toml": "include = ['bin']"})
        assert paths(capsys) == "bin/tool bin/w.pyw"


class TestPerFileIgnores:
    @pytest.mark.parametrize(
        ("table", "left"),
        [
            ({"tests/**": ["FD1"]}, "a.py lib/b.py lib/old/c.py"),
            ({"tests": ["fd101"], "a.py": ["FD10"]}, "lib/b.py lib/old/c.py"),
            ({"b.py": ["FD101"], "c.py": ["FD102"]}, "a.py lib/old/c.py tests/d.py tests/data/e.py"),
            ({"!lib/**": ["FD101"]}, "lib/b.py lib/old/c.py"),
            ({"tests/*.py": ["FD101"]}, "a.py lib/b.py lib/old/c.py tests/data/e.py"),
            ({"*": []}, ALL),
        ],
    )
    def test_patterns(self, tree: Path, capsys: Captured, table: Mapping[str, list[str]], left: str) -> None:
        lines = [f"{json.dumps(pattern)} = {json.dumps(codes)}" for pattern, codes in table.items()]
        write(tree, {"fdlint.toml": "\n".join(["[per-file-ignores]", *lines])})
        assert paths(capsys) == left

    def test_whatever_is_selected(self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tree, {"fdlint.toml": "per-file-ignores.'/lib' = ['FD101']"})
        assert paths(capsys, "--select", "FD101") == "a.py tests/d.py tests/data/e.py"
        assert paths(capsys, "--isolated") == ALL
        monkeypatch.chdir(tree / "lib")
        assert paths(capsys) == ""
        assert [one.span.path for one in fdlint.scan_paths([".."]).findings] == [
            f"../{name}" for name in ("a.py", "tests/d.py", "tests/data/e.py")
        ]

    def test_a_comment_for_it_is_not_called_unused(self, tree: Path, capsys: Captured) -> None:
        comment = "x = 1  # fdlint: ignore[FD101] because\n"
        write(tree, {"only/a.py": comment, "fdlint.toml": ""})
        assert paths(capsys, "only") == "only/a.py"
        write(tree, {"fdlint.toml": "per-file-ignores.'only/*' = ['FD101']"})
        assert paths(capsys, "only") == ""

    def test_standard_input(self, tree: Path) -> None:
        write(tree, {"fdlint.toml": "per-file-ignores.'lib' = ['FD1']"})
        for name, status in (("lib/new.py", 0), ("new.py", 1)):
            command = [sys.executable, "-m", "fdlint", "scan", "-", "--stdin-filename", name]
            assert loaded.run(command, input=LEAK.encode()).returncode == status

    def test_a_link_goes_by_its_own_name(self, tree: Path, capsys: Captured, tmp_path_factory: object) -> None:
        os.symlink(tree, tree.parent / f"{tree.name}-link")
        write(tree, {"fdlint.toml": "per-file-ignores.'lib' = ['FD1']"})
        assert "lib" not in paths(capsys, str(tree.parent / f"{tree.name}-link" / "lib"))


class TestSeverity:
    def severities(self, capsys: Captured, form: str = "json") -> dict[str, str]:
        main(["scan", "--output-format", form, "-q", "a.py"])
        document = json.loads(capsys.readouterr().out)
        if form == "sarif":
            return {one["ruleId"]: one["level"] for one in document["runs"][0]["results"]}
        return {one["code"]: one["severity"] for one in document["findings"]}

    def test_the_longest_prefix(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"a.py": f"{LEAK}\n\nos.dup(0)\n"})
        for text, wanted in (
            ("", {"FD101": "error", "FD107": "error"}),
            ("severity.fd101 = 'warning'", {"FD101": "warning", "FD107": "error"}),
            ("[severity]\nFD107 = 'error'\nFD1 = 'warning'\nFD = 'error'", {"FD101": "warning", "FD107": "error"}),
        ):
            write(tree, {"fdlint.toml": text})
            assert self.severities(capsys) == wanted
            assert self.severities(capsys, "sarif") == wanted


class TestFlake8:
    def flake8(self, tree: Path) -> str:
        command = [sys.executable, "-m", "flake8", "--isolated", "-j", "1", "--select", "FD", "."]
        return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False).stdout

    def test_is_told_the_same(self, tree: Path) -> None:
        write(tree, {"fdlint.toml": "extend-exclude = ['tests']\nper-file-ignores.'lib' = ['FD101']"})
        assert [line.partition(":")[0] for line in self.flake8(tree).splitlines()] == ["./a.py"]
