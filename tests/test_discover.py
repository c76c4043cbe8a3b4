from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fdlint.report.findings.silencing import Means
from fdlint.scan.config import UNCONFIGURED, Config, Patterns
from fdlint.scan.files import discover as module
from fdlint.scan.files.discover import MissingPathError, discover, shown
from fdlint.scan.git.tracked import NOTHING


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def write(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(*paths: str | Path) -> list[str]:
    return [file.shown for file in discover(paths or (".",)).files]


def test_python_files_in_the_order_of_their_paths(tree: Path) -> None:
    write(tree, "b.py", "a/z.py", "a/b/c.py", "a.py", "notes.txt", "stub.pyi", "script")
    assert found() == ["a.py", "a/b/c.py", "a/z.py", "b.py"]


def test_the_order_does_not_depend_on_the_command_line(tree: Path) -> None:
    write(tree, "x/one.py", "y/two.py")
    assert found("y", "x") == found("x", "y") == ["x/one.py", "y/two.py"]


TOOLS = [".git", ".venv", ".tox", ".nox", "__pycache__", "node_modules", ".mypy_cache", ".ruff_cache", ".eggs"]
OUTPUT = ["spam.egg-info", "lib/site-packages", "build/lib/spam", "dist/spam"]


@pytest.mark.parametrize("directory", [*TOOLS, *OUTPUT])
def test_directories_without_code_of_the_project(tree: Path, directory: str) -> None:
    write(tree, f"{directory}/out.py", "in.py")
    assert found() == ["in.py"]
    assert found(directory) == [f"{directory}/out.py"]


@pytest.mark.parametrize("name", ["build", "dist", "env", "venv"])
def test_packages_that_are_named_like_output_are_code(tree: Path, name: str) -> None:
    write(tree, f"{name}/__init__.py", f"src/{name}/sub/x.py", f"src/{name}/__init__.py")
    assert set(found()) == {f"{name}/__init__.py", f"src/{name}/__init__.py", f"src/{name}/sub/x.py"}


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_an_environment_is_known_by_what_is_in_it(tree: Path, mark: str) -> None:
    write(tree, f"py311/{mark}", "py311/bin/activate_this.py", "env/run.py")
    assert found() == ["env/run.py"]
    write(tree, "py311/lib/site-packages/spam.py")
    assert found() == ["env/run.py"]
    assert found("py311") == ["py311/bin/activate_this.py", "py311/lib/site-packages/spam.py"]


class TestNamedFiles:
    def test_any_python_file(self, tree: Path) -> None:
        write(tree, "a.py", "b.pyi", "c.pyw")
        assert found("c.pyw", "b.pyi", "a.py") == ["a.py", "b.pyi", "c.pyw"]

    def test_scripts_by_their_first_line(self, tree: Path) -> None:
        write(tree, "run", text="#!/usr/bin/env python3\n")
        write(tree, "go", text="#!/bin/sh\n# python\n")
        assert found("run", "go") == ["run"]
        assert [skipped.path for skipped in discover(["run", "go"]).skipped] == ["go"]
        assert found() == []

    def test_ignored_and_excluded_files(self, tree: Path) -> None:
        write(tree, "gen.py", ".venv/x.py")
        write(tree, ".gitignore", text="gen.py\n")
        assert found("gen.py", ".venv/x.py") == [".venv/x.py", "gen.py"]
        assert found() == []

    def test_missing(self, tree: Path) -> None:
        write(tree, "a.py")
        for path in ("nowhere", "a.py/b.py"):
            with pytest.raises(MissingPathError, match=f"no such file or directory: {path}"):
                discover(["a.py", path])

    def test_what_is_not_a_file(self, tree: Path) -> None:
        os.mkfifo(tree / "pipe.py")
        assert [entry.reason for entry in discover(["pipe.py"]).skipped] == ["not a regular file"]
        assert discover(["."]) == discover([])


class TestOnlyOnce:
    def test_overlapping_paths(self, tree: Path) -> None:
        write(tree, "a/b.py")
        assert found(".", "a", "a/b.py", str(tree / "a"), "a/../a") == ["a/b.py"]

    def test_a_link_to_a_file_found_by_its_own_name(self, tree: Path) -> None:
        write(tree, "z.py")
        (tree / "a.py").symlink_to("z.py")
        assert found() == ["z.py"]

    def test_a_link_to_a_file_elsewhere(self, tree: Path) -> None:
        write(tree.parent, "elsewhere/real.py")
        (tree / "one.py").symlink_to(tree.parent / "elsewhere/real.py")
        (tree / "two.py").symlink_to(tree.parent / "elsewhere/real.py")
        assert found() == ["one.py"]

    def test_links_that_lead_nowhere(self, tree: Path) -> None:
        (tree / "broken.py").symlink_to("gone.py")
        (tree / "self.py").symlink_to("self.py")
        assert found() == []
        assert discover(["self.py"]).skipped[0].reason.startswith("cannot be read")

    def test_a_directory_that_contains_itself(self, tree: Path) -> None:
        write(tree, "a/b.py")
        (tree / "a" / "loop").symlink_to(tree)
        assert found() == ["a/b.py"]
        assert found("a/loop") == ["a/loop/a/b.py"]

    def test_an_excluded_directory_named_beside_its_parent(self, tree: Path) -> None:
        write(tree, "a.py", "build/lib/b.py")
        assert found(".", "build") == found("build", ".") == ["a.py", "build/lib/b.py"]


class TestGitignore:
    def test_nested_files_and_negation(self, tree: Path) -> None:
        write(tree, "gen_a.py", "sub/gen_b.py", "sub/keep.py", "sub/deep/keep.py", "sub/deep/other.py")
        write(tree, ".gitignore", text="gen_*.py\n")
        write(tree, "sub/.gitignore", text="!gen_b.py\n/keep.py\n")
        write(tree, "sub/deep/.gitignore", text="*\n!keep.py\n")
        assert found() == ["sub/deep/keep.py", "sub/gen_b.py"]

    def test_nothing_comes_back_from_below_an_ignored_directory(self, tree: Path) -> None:
        write(tree, "out/a.py")
        write(tree, ".gitignore", text="out/\n!out/a.py\n")
        assert found() == []

    def test_the_repository_above_the_named_directory(self, tree: Path) -> None:
        write(tree, ".git/HEAD", "src/pkg/a.py", "src/pkg/gen.py", "src/pkg/local.py", "src/pkg/b.py")
        write(tree, ".gitignore", text="gen.py\n")
        write(tree, "src/.gitignore", text="/pkg/b.py\n")
        write(tree, ".git/info/exclude", text="local.py\n")
        assert found("src/pkg") == ["src/pkg/a.py"]

    def test_an_ignored_directory_that_is_named(self, tree: Path) -> None:
        write(tree, ".git/HEAD", ".venv/lib/python3/site-packages/pkg/a.py", "gen/sub/gen.py")
        write(tree, ".gitignore", text=".venv\ngen\n")
        write(tree, ".venv/.gitignore", text="# made by a tool\n*\n")
        site = ".venv/lib/python3/site-packages"
        assert found(site) == found(".venv/lib") == [f"{site}/pkg/a.py"]
        assert found("gen/sub") == ["gen/sub/gen.py"]
        write(tree, "cache/.gitignore", text="*\n")
        write(tree, "cache/a.py")
        assert found() == []
        assert found("cache") == ["cache/a.py"]

    def test_above_the_repository_nothing_counts(self, tree: Path) -> None:
        write(tree, "repo/.git/HEAD", "repo/a.py", "a.py")
        write(tree, ".gitignore", text="a.py\n")
        assert found("repo") == found() == ["repo/a.py"]

    def test_worktrees_share_the_exclude_file(self, tree: Path) -> None:
        write(tree, "main/.git/info/exclude", text="local.py\n")
        write(tree, "main/.git/worktrees/w/commondir", text="../..\n")
        write(tree, "work/.git", text=f"gitdir: {tree}/main/.git/worktrees/w\n")
        write(tree, "work/local.py", "work/a.py")
        assert found("work") == ["work/a.py"]

    def test_patterns_that_mean_nothing(self, tree: Path) -> None:
        write(tree, "a.py", "b.py")
        write(tree, ".gitignore", text="!\n[z-a].py\n\\\n\n# b.py\n\xe9\nb.py\r\n")
        assert found() == ["a.py"]

    def test_agrees_with_git(self, tree: Path) -> None:
        write(
            tree, "a.py", "gen/a.py", "gen/b/c.py", "x/gen/a.py", "x/y/z.py", "x/y/w.py", "t/x.py", "t/ü.py", "t/a b.py"
        )
        write(tree, ".gitignore", text="/gen\nx/**/z.py\n**/t/*\n!t/ü.py\na\\ b.py\nw.p[xyz]\n")
        write(tree, "x/.gitignore", text="!z.py\ngen/\n")
        if subprocess.run(["git", "init", "-q"], check=False).returncode:
            pytest.skip("no git")
        command = ["git", "-c", "core.quotePath=off", "ls-files", "-o", "--exclude-standard", "*.py"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
        assert found() == sorted(filter(None, listed))


def ignored(*paths: str) -> int:
    return discover(paths).silencing.paths.get(Means.GITIGNORE, 0)


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
class TestTracked:
    """git goes on tracking what .gitignore leaves out; so it is scanned."""

    @pytest.fixture(autouse=True)
    def repository(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            monkeypatch.delenv(name)
        git("init", "--quiet")
        write(tree, "a.py", "own.py", "other.py", "gen/deep/b.py", "gen/deep/no.py", "gen/no/c.py", "out/d.py")
        write(tree, ".gitignore", text="own.py\nother.py\n/gen\nout/\n")

    def test_files_and_directories(self, tree: Path) -> None:
        git("add", "--force", "own.py", "gen/deep/b.py")
        assert found() == ["a.py", "gen/deep/b.py", "own.py"]
        (tree / "src").mkdir()
        git("mv", "own.py", "src/own.py")
        assert found("src") == ["src/own.py"]

    def test_what_is_left_out_is_counted(self) -> None:
        assert ignored(".") == 4  # own.py, other.py, gen, out
        git("add", "--force", "own.py", "gen/deep/b.py")
        assert ignored(".") == 4  # other.py, gen/deep/no.py, gen/no, out
        assert ignored(".", "gen", "other.py") == 1

    @pytest.mark.parametrize("paths", [(".", "gen"), ("gen", ".")])
    def test_an_ignored_directory_that_is_named(self, paths: tuple[str, ...]) -> None:
        git("add", "--force", "gen/deep/b.py")
        assert found(*paths) == ["a.py", "gen/deep/b.py", "gen/deep/no.py", "gen/no/c.py"]

    def test_all_other_rules_hold(self, tree: Path) -> None:
        write(tree, "gen/.venv/x.py", "gen/env/pyvenv.cfg", "gen/env/y.py", "gen/vendor/z.go", "gen/build/lib/w.py")
        (tree / "gen/link").symlink_to(tree.parent)
        (tree / "gen/file.py").symlink_to(tree / "gen/no/c.py")
        git("add", "--force", "gen")
        assert found() == ["a.py", "gen/deep/b.py", "gen/deep/no.py", "gen/no/c.py"]
        config = Config(exclude=Patterns(str(tree), ("deep",)))
        assert [file.shown for file in discover(["."], lambda _: config).files if "deep" in file.shown] == []

    def test_each_repository_by_itself(self, tree: Path) -> None:
        write(tree, "sub/own.py", "sub/gen.py")
        write(tree, "sub/.gitignore", text="*.py\n")
        git("init", "--quiet", "sub")
        git("-C", "sub", "add", "--force", "gen.py")
        assert found() == ["a.py", "sub/gen.py"]

    def test_a_worktree(self, tree: Path) -> None:
        git("add", "--force", ".gitignore", "own.py")
        git("-c", "user.name=n", "-c", "user.email=e", "commit", "--quiet", "--message=first")
        git("worktree", "add", "--quiet", "../other")
        write(tree, "../other/other.py")
        assert found("../other") == ["../other/own.py"]

    def test_an_index_in_parts(self) -> None:
        git("add", "--force", "gen/deep/b.py")
        git("update-index", "--split-index")
        git("add", "--force", "own.py")
        assert found() == ["a.py", "gen/deep/b.py", "own.py"]

    @pytest.mark.parametrize("damage", ["config", "index"])
    def test_without_a_sound_repository_nothing_is_tracked(self, tree: Path, damage: str) -> None:
        git("add", "--force", "own.py")
        (tree / ".git" / damage).write_bytes(b"[extensions\0")
        assert found() == ["a.py"]

    def test_without_git_nothing_is_tracked(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        git("add", "--force", "own.py")
        monkeypatch.setenv("PATH", str(tree))
        assert found() == ["a.py"]

    def test_git_is_asked_once_and_only_if_need_be(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []
        monkeypatch.setattr(
            "fdlint.scan.git.tracked.tracked", lambda repository: asked.append(repository.top) or NOTHING
        )
        assert ignored("a.py", "gen") == 0
        assert asked == []
        write(tree, "one/own.py", "two/own.py")
        assert ignored(".", "one", "two") == 6
        assert asked == [os.path.realpath(tree)]


class TestShown:
    def test_below_the_working_directory(self, tree: Path) -> None:
        assert shown("./a//b.py") == "a/b.py"
        assert shown(tree / "a.py") == "a.py"
        assert shown("../tree/a.py") == "a.py"

    def test_elsewhere(self, tree: Path) -> None:
        write(tree.parent, "other/x.py", "treehouse.py")
        assert found("../other", "../treehouse.py") == ["../other/x.py", "../treehouse.py"]
        assert found(f"{tree.parent}/other/") == [f"{tree.parent}/other/x.py"]

    def test_names_that_are_not_utf8(self, tree: Path) -> None:
        name = os.fsdecode(b"\xff.py")
        write(tree, name)
        assert found() == [name]


def test_unreadable_directories_are_said(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "a.py", "secret/b.py")
    scandir = os.scandir

    def guarded(path: str) -> object:
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(module.os, "scandir", guarded)
    result = discover(["."])
    assert [file.shown for file in result.files] == ["a.py"]
    assert [(entry.path, entry.reason) for entry in result.skipped] == [("secret", "cannot be read: Permission denied")]


class TestScripts:
    SHEBANG = "#!/usr/bin/env python3\n"

    def script(self, path: Path, text: str = SHEBANG, mode: int = 0o755) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def test_executable_scripts_without_a_suffix(self, tree: Path) -> None:
        self.script(tree / "bin" / "tool")
        assert "bin/tool" in {file.shown for file in discover(["."]).files}

    @pytest.mark.parametrize(
        ("name", "text", "mode"),
        [
            ("data", SHEBANG, 0o644),
            ("shell", "#!/bin/sh\n", 0o755),
            ("program", "\x7fELF", 0o755),
            ("empty", "", 0o755),
            ("tool.sh", SHEBANG, 0o755),
        ],
    )
    def test_others_are_left_alone(self, tree: Path, name: str, text: str, mode: int) -> None:
        self.script(tree / "bin" / name, text, mode)
        found = discover(["."])
        assert f"bin/{name}" not in {file.shown for file in found.files}
        assert found.skipped == ()

    def test_a_pipe_is_not_opened(self, tree: Path) -> None:
        os.mkfifo(tree / "queue", 0o755)
        assert discover(["."]).skipped == ()

    def test_a_link_is_not_followed(self, tree: Path) -> None:
        self.script(tree / "tool.py")
        (tree / "tool").symlink_to("tool.py")
        assert "tool" not in {file.shown for file in discover(["."]).files}

    def test_gitignore_holds(self, tree: Path) -> None:
        self.script(tree / "tool")
        (tree / ".gitignore").write_text("tool\n")
        assert "tool" not in {file.shown for file in discover(["."]).files}

    def test_the_configuration_can_switch_it_off(self, tree: Path) -> None:
        self.script(tree / "tool")
        config = replace(UNCONFIGURED, flags=UNCONFIGURED.flags - {"include-scripts"})
        assert "tool" not in {file.shown for file in discover(["."], lambda _: config).files}
