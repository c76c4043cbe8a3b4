"""``--changed-since REV``: findings in functions that git says have changed, in a repository made for the test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fdlint.cli import main
from fdlint.scan.changes.git import Change, parse
from fdlint.scan.changes.within import innermost, units

Captured = pytest.CaptureFixture[str]
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

CODE = """\
import os


def one(path):
    fd = os.open(path, os.O_RDONLY)
    print(path)


class Spam:
    def two(self, path):
        fd = os.open(path, os.O_RDONLY)
        return None


def fine(path):
    fd = os.open(path, os.O_RDONLY)
    os.close(fd)


last = os.fsync(os.dup(0))
"""


def git(*arguments: str) -> None:
    # Nothing of the user's or of a hook's that runs these tests.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, env=environment)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    top = tmp_path / "tree"
    top.mkdir()
    monkeypatch.chdir(top)
    git("init", "--quiet", "--initial-branch=main")
    Path("pkg").mkdir()
    Path("pkg/mod.py").write_text(CODE)
    git("add", ".")
    git("commit", "--quiet", "--message=first")
    return top


def said(capsys: Captured, *arguments: str, revision: str = "HEAD") -> list[str]:
    assert main(["scan", "--output-format", "json", "--changed-since", revision, *arguments]) in (0, 1)
    out, err = capsys.readouterr()
    assert not err
    return [f"{one['path']}:{one['function']}" for one in json.loads(out)["findings"]]


def change(old: str, new: str, file: str = "pkg/mod.py") -> None:
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new, 1))


@needs_git
class TestWhatIsSaid:
    def test_nothing_has_changed(self, repository: Path, capsys: Captured) -> None:
        assert main(["scan", "--changed-since", "HEAD"]) == 0
        assert "0 findings, 3 in unchanged functions in " in capsys.readouterr().out
        assert said(capsys, "pkg/mod.py") == []

    @pytest.mark.parametrize(
        ("old", "new", "functions"),
        [
            ("print(path)", "print(path, path)", ["one"]),
            ("    print(path)\n", "", ["one"]),
            ("def one(path):", "@cache\ndef one(path):", ["one"]),
            ("        return None\n", "", ["Spam.two"]),
            ("class Spam:", "class Spam(Base):", []),
            ("    os.close(fd)\n", "", ["fine"]),
            ("import os\n", "import os\nimport sys\n", []),
            ("last = ", "final = ", ["None"]),
            ("\n\nlast =", "\n# moved\n\nlast =", []),
            ("\n\ndef fine(path):\n    fd = os.open(path, os.O_RDONLY)\n    os.close(fd)\n", "", []),
        ],
    )
    def test_changes(self, repository: Path, capsys: Captured, old: str, new: str, functions: list[str]) -> None:
        change(old, new)
        wanted = [f"pkg/mod.py:{name}" for name in functions]
        assert said(capsys) == wanted
        assert said(capsys, "pkg") == wanted
        git("add", ".")
        assert said(capsys) == wanted
        git("commit", "--quiet", "--message=second")
        assert said(capsys) == []
        assert said(capsys, revision="HEAD~1") == wanted

    def test_new_files(self, repository: Path, capsys: Captured) -> None:
        for name in ("new.py", "with space.py", 'ünï "q"\t.py'):
            Path(name).write_text("import os\n\ndef new():\n    os.dup(0)\n")
            assert said(capsys) == [f"{name}:new"]
            git("add", ".")
            assert said(capsys) == [f"{name}:new"]
            git("commit", "--quiet", "--message=new")

    def test_a_moved_file_is_not_new(self, repository: Path, capsys: Captured) -> None:
        git("mv", "pkg/mod.py", "moved.py")
        change("print(path)", "print(path, 1)", "moved.py")
        assert said(capsys) == ["moved.py:one"]

    def test_from_anywhere(self, repository: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        change("print(path)", "print(path, path)")
        monkeypatch.chdir(repository / "pkg")
        assert said(capsys) == ["mod.py:one"]
        monkeypatch.chdir(repository.parent)
        assert said(capsys, str(repository / "pkg")) == [f"{repository.name}/pkg/mod.py:one"]

    def test_what_a_changed_callee_does_counts(self, repository: Path, capsys: Captured) -> None:
        Path("maker.py").write_text("import os\n\ndef make():\n    fd = 0\n    return fd\n")
        Path("user.py").write_text("from maker import make\n\ndef use():\n    fd = make()\n    print(fd)\n")
        git("add", ".")
        git("commit", "--quiet", "--message=callee")
        change("fd = 0", "fd = os.dup(0)", "maker.py")
        assert said(capsys) == ["user.py:use"]

    def test_a_script_without_suffix(self, repository: Path, capsys: Captured) -> None:
        Path("tool").write_text(f"#!/usr/bin/env python3\n{CODE}")
        git("add", ".")
        git("commit", "--quiet", "--message=tool")
        assert said(capsys, "tool") == []
        change("print(path)", "print(path, path)", "tool")
        assert said(capsys, "tool") == ["tool:one"]

    def test_comments_that_silence_nothing(self, repository: Path, capsys: Captured) -> None:
        Path("a.py").write_text("x = 1  # fdlint: ignore[FD101] old\ny = 1\n")
        git("add", ".")
        git("commit", "--quiet", "--message=comment")
        change("y = 1", "y = 1  # fdlint: ignore[FD101] new", "a.py")
        assert said(capsys, "a.py") == ["a.py:None"]
        main(["scan", "--changed-since", "HEAD", "--fix"])
        assert Path("a.py").read_text() == "x = 1  # fdlint: ignore[FD101] old\ny = 1  # new\n"


@needs_git
class TestRepositories:
    """Which repository and which revision a file is compared with."""

    @pytest.fixture
    def submodule(self, repository: Path) -> Path:
        git("clone", "--quiet", ".", "../library")
        git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "sub")
        git("commit", "--quiet", "--message=submodule")
        return repository / "sub"

    def test_a_submodule(self, submodule: Path, capsys: Captured) -> None:
        assert said(capsys) == []
        change("print(path)", "print(path, path)", "sub/pkg/mod.py")
        assert said(capsys) == ["sub/pkg/mod.py:one"]
        git("-C", "sub", "commit", "--quiet", "--all", "--message=inside")
        assert said(capsys) == ["sub/pkg/mod.py:one"]
        git("add", "sub")
        git("commit", "--quiet", "--message=newer")
        assert said(capsys) == []
        assert said(capsys, revision="HEAD~1") == ["sub/pkg/mod.py:one"]
        assert len(said(capsys, revision="HEAD~2")) == 3

    def test_a_submodule_that_is_named(self, submodule: Path, capsys: Captured) -> None:
        change("print(path)", "print(path, path)", "sub/pkg/mod.py")
        git("-C", "sub", "commit", "--quiet", "--all", "--message=inside")
        assert said(capsys, ".", "sub") == []
        assert said(capsys, ".", "sub", revision="HEAD~1") == ["sub/pkg/mod.py:one"]

    def test_a_submodule_without_the_commit(self, submodule: Path, capsys: Captured) -> None:
        shutil.rmtree(submodule)
        git("clone", "--quiet", ".", "sub")
        git("-C", "sub", "checkout", "--quiet", "--orphan", "other")
        git("update-index", "--cacheinfo", f"160000,{'1' * 40},sub")
        git("commit", "--quiet", "--message=nowhere")
        assert len(said(capsys, "sub/..")) == 3

    def test_links_out_of_the_tree(self, repository: Path, capsys: Captured) -> None:
        (repository.parent / "elsewhere.py").write_text(CODE)
        Path("link.py").symlink_to(repository.parent / "elsewhere.py")
        assert said(capsys) == ["link.py:one", "link.py:Spam.two", "link.py:None"]

    def test_a_worktree(self, repository: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        git("worktree", "add", "--quiet", "-b", "other", "../worktree")
        change("print(path)", "print(path, 1)")
        git("commit", "--quiet", "--all", "--message=second")
        monkeypatch.chdir(repository.parent / "worktree")
        assert said(capsys) == []
        assert said(capsys, revision="main") == ["pkg/mod.py:one"]
        change("        return None\n", "")
        git("commit", "--quiet", "--all", "--message=here")
        assert said(capsys) == said(capsys, revision="HEAD@{0}") == []
        assert said(capsys, revision="HEAD@{1}") == ["pkg/mod.py:Spam.two"]

    def test_names_of_revisions(self, repository: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        git("tag", "--annotate", "--message=first", "v1")
        git("clone", "--quiet", ".", "../clone")
        monkeypatch.chdir(repository.parent / "clone")
        git("pack-refs", "--all")
        change("print(path)", "print(path, 1)")
        git("commit", "--quiet", "--all", "--message=second")
        git("fetch", "--quiet", "origin", "main")
        for name in ("@{upstream}", "main@{u}", "origin/main", "origin", "v1", "FETCH_HEAD", "HEAD^", "HEAD^{/first}"):
            assert said(capsys, revision=name) == ["pkg/mod.py:one"], name
        assert said(capsys) == []

    def test_a_shallow_clone(self, repository: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        for number in range(3):
            change("print(path", f"print(path, {number}")
            git("commit", "--quiet", "--all", f"--message={number}")
        git("clone", "--quiet", "--depth=2", f"file://{repository}", "../clone")
        monkeypatch.chdir(repository.parent / "clone")
        assert said(capsys, revision="HEAD~1") == ["pkg/mod.py:one"]
        assert main(["scan", "--changed-since", "HEAD~2"]) == 2
        assert "unknown git revision 'HEAD~2' in " in capsys.readouterr().err

    def test_longer_hashes(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        git("init", "--quiet", "--object-format=sha256")
        Path("mod.py").write_text(CODE)
        Path(".gitignore").write_text("*.py\n")
        git("add", "--force", ".")
        git("commit", "--quiet", "--message=first")
        assert said(capsys) == []
        change("print(path)", "print(path, path)", "mod.py")
        assert said(capsys) == ["mod.py:one"]

    def test_other_newlines_alone_are_no_change(self, repository: Path, capsys: Captured) -> None:
        Path("pkg/mod.py").write_bytes(CODE.replace("print(path)", "print(path, 1)").replace("\n", "\r\n").encode())
        assert said(capsys) == ["pkg/mod.py:one"]

    def test_a_moved_file_that_git_does_not_know_yet(self, repository: Path, capsys: Captured) -> None:
        Path("pkg/mod.py").rename("moved.py")
        change("print(path)", "print(path, 1)", "moved.py")
        assert said(capsys) == ["moved.py:one"]

    def test_a_sparse_checkout(self, repository: Path, capsys: Captured) -> None:
        Path("other").mkdir()
        Path("other/mod.py").write_text("import os\n")
        git("add", ".")
        git("commit", "--quiet", "--message=second")
        git("sparse-checkout", "set", "other")
        assert not Path("pkg").exists()
        Path("other/new.py").write_text(CODE)
        assert len(said(capsys)) == 3


@needs_git
class TestWhatIsRefused:
    @pytest.mark.parametrize("revision", ["nowhere", "--output=x", "", "HEAD:pkg"])
    def test_an_unknown_revision(self, repository: Path, capsys: Captured, revision: str) -> None:
        assert main(["scan", f"--changed-since={revision}"]) == 2
        assert f"--changed-since: unknown git revision {revision!r} in " in capsys.readouterr().err

    def test_no_repository(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
        monkeypatch.chdir(tmp_path)
        assert main(["scan", "--changed-since", "HEAD"]) == 2
        assert "--changed-since: . is not in a git repository" in capsys.readouterr().err

    @pytest.mark.usefixtures("repository")
    def test_no_git(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert main(["scan", "--changed-since", "HEAD"]) == 2
        assert "--changed-since: git cannot be run: it is not installed" in capsys.readouterr().err

    def test_standard_input(self, capsys: Captured) -> None:
        assert main(["scan", "--changed-since", "HEAD", "-"]) == 2
        assert "--changed-since needs files" in capsys.readouterr().err


def test_a_line_that_looks_like_a_header_is_none() -> None:
    headers = ("--- a/x.py", "+++ b/x.py", "@@ -3,2 +2,0 @@ def f():")
    hunks = ("-    gone", "--- a/y.py", "@@ -9 +7 @@", "-old", "+++ b/z.py", "\\ No newline at end of file", "")
    patch = "\n".join((*headers, *hunks))
    assert list(parse(patch)) == [("x.py", Change(3, 2, 4)), ("x.py", Change(7, 7))]


def test_functions_of_go() -> None:
    text = b"package a\n\nfunc f() {\n\tg()\n}\n\nfunc g() {}\n\nvar x = 1\n"
    found = units("a.go", text)
    assert [(unit.first, unit.last) for unit in found] == [(3, 5), (7, 7)]
    assert innermost(found, 4).first == 3
    assert innermost(found, 9).first == 9


def test_what_cannot_be_parsed_is_one_unit() -> None:
    (unit,) = units("a.py", b"def (\n\n")
    assert (unit.first, unit.last) == (1, 3)
