"""A project's own configuration: where it is found, what it refuses, and that its models reach everything."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import loaded
import pytest

from fdlint.cli import main
from fdlint.scan import scan as project

MODELS = """\
[[tool.fdlint.api]]
name = "fastio._native.grab"
params = ["path"]
returns = "fd"

[[tool.fdlint.api]]
name = "fastio._native.enqueue"
params = ["fd", "priority"]
takes = ["fd"]

[[tool.fdlint.api]]
name = "fastio._native.tick"
raises = false
"""
TOP_LEVEL_MODELS = MODELS.replace("tool.fdlint.", "")
GRABS = """\
from fastio._native import grab

def leak(path):
    fd = grab(path)
"""
OPENS = """\
import os

def leak(path):
    fd = os.open(path, os.O_RDONLY)
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")


Captured = pytest.CaptureFixture[str]


def scanned(capsys: Captured, *arguments: str) -> list[str]:
    """``path:function CODE`` of every finding, of any confidence."""
    assert main(["scan", "--output-format", "json", "-q", "--persona", "auditor", *arguments]) in (0, 1)
    out, err = capsys.readouterr()
    assert not err
    document = json.loads(out)
    assert not document["skipped"]
    return [f"{one['path']}:{one['function']} {one['code']}" for one in document["findings"]]


def refused(capsys: Captured, *arguments: str) -> str:
    """What is said about a wrong configuration."""
    assert main(["scan", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("unkown-calls = 'take'", "unknown key `unkown-calls` (did you mean `unknown-calls`?)"),
            ("colour = 1", "unknown key `colour` (known are aliases, api,"),
            (
                "unknown-calls = 'takes'",
                '`unknown-calls` must be "use" or "take", not \'takes\' (did you mean `take`?)',
            ),
            ("unknown-calls = true", "`unknown-calls` must be"),
            ("select = 'FD101'", "`select` must be a list of codes, not 'FD101'"),
            ("ignore = [101]", "`ignore` must be a list of codes"),
            ("ignore = ['']", "`ignore` must be a list of codes"),
            ("select = ['FD1O1']", "`select`: there is no rule FD1O1; did you mean FD1"),
            ("go-tests = 1", "`go-tests` must be true or false, not 1"),
            ("exclude = 'build'", "`exclude` must be a list of patterns, not 'build'"),
            ("extend-exclude = [1]", "`extend-exclude` must be a list of patterns"),
            ("include = ['']", "`include` must be a list of patterns"),
            ("exclude = ['# all']", "`exclude`: `# all` is not a pattern as in .gitignore"),
            ("exclud = []", "unknown key `exclud` (did you mean `exclude`?)"),
            ("baseline = 1", "`baseline` must be the path of a file, not 1"),
            ("per-file-ignores = []", "`per-file-ignores` must be a table from patterns to lists of codes, not []"),
            ("per-file-ignores.'a.py' = 'FD1'", "`per-file-ignores`: `a.py` must be a list of codes, not 'FD1'"),
            ("per-file-ignores.'a.py' = ['FD1O1']", "`per-file-ignores`: `a.py`: there is no rule FD1O1; did you mean"),
            ("per-file-ignores.'!' = ['FD1']", "`per-file-ignores`: `!` is not a pattern as in .gitignore"),
            ("severity = 'error'", "`severity` must be a table from codes to severities"),
            (
                "severity.FD103 = 'eror'",
                '`severity`: `FD103` must be "error" or "warning", not \'eror\' (did you mean `error`?)',
            ),
            ("severity.FD999 = 'error'", "`severity`: there is no rule FD999"),
            ("severity.'1' = 'error'", "`severity`: `1` is neither a code nor the name of a rule"),
            ("select = [", "Invalid value (at end of document)"),
            ("api = 1", "`api` must be an array of tables"),
            ("[api]\nname = 'a.f'", "`api` must be an array of tables ([[api]])"),
            ("[[api]]\nname = 'grab'", "`name`: `grab` must be a dotted name"),
            ("[[api]]\nname = 'a.f()'", "`name`: `a.f()` must be a dotted name"),
            ("[[api]]\nparams = []", "entry 1: `name`: exactly one of"),
            ("[[api]]\nname = 'a.f'\nclose = ['fd']", "`a.f`: unknown key `close` (did you mean `closes`?)"),
            (
                "[[api]]\nname = 'a.f'\nparams = ['fd']\ncloses = ['fdd']",
                "`closes`: no parameter `fdd` (did you mean `fd`?)",
            ),
            ("[[api]]\nname = 'a.f'\nreturns = 'fd, fd'", "`a.f`: `returns`: bad shape"),
            ("[[api]]\nname = 'a.f'\nraises = 'Oops'", "`raises`: must be false, a builtin exception or a dotted name"),
            ("[aliases]\n'a.f' = 1", "[aliases]: `a.f` must be a string"),
            ("[aliases]\n'a.f' = 'os.clsoe'", "`a.f`: the catalog has no `os.clsoe` (did you mean `os.close`?)"),
            ("[aliases]\n'os' = 'posix'", "[aliases]: `os`: leads back to itself"),
            ("[aliases]\n'a' = 'a.b'", "[aliases]: `a`: leads back to itself"),
            ("[aliases]\n'a.f' = 'os.close'\n[[api]]\nname = 'a.f'", "`a.f`: has an entry of its own"),
            ("[tool.fdlint]\nignore = []", "unknown key `tool` (the keys stand at the top level here"),
        ],
    )
    def test_own_file(self, tree: Path, capsys: Captured, text: str, message: str) -> None:
        write(tree, {"a.py": OPENS, "fdlint.toml": text})
        said = refused(capsys)
        assert said.startswith("Error: fdlint.toml: ")
        assert message in said

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[tool.fdlint]\nselct = []", "unknown key `selct` (did you mean `select`?)"),
            ("[tool]\nfdlint = 1", "`tool.fdlint` must be a table ([tool.fdlint])"),
            ("[tool.fdlint", "Expected ']' at the end of a table declaration"),
            (
                "[[tool.fdlint.api]]\nname = 'a.f'\nreturn = 'fd'",
                "`a.f`: unknown key `return` (did you mean `returns`?)",
            ),
        ],
    )
    def test_shared_file(self, tree: Path, capsys: Captured, text: str, message: str) -> None:
        write(tree, {"sub/a.py": OPENS, "sub/pyproject.toml": text})
        said = refused(capsys, "sub")
        assert "Error: sub/pyproject.toml: " in said
        assert message in said

    def test_what_is_not_text(self, tree: Path, capsys: Captured) -> None:
        (tree / "fdlint.toml").write_bytes(b"ignore = ['\xff']")
        assert "fdlint.toml: 'utf-8' codec can't decode" in refused(capsys)

    def test_a_file_that_is_named_must_be_one(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"pyproject.toml": "[tool.other]\n", "other/pyproject.toml": "# fdlint\n"})
        assert "'nowhere.toml' does not exist" in refused(capsys, "--config", "nowhere.toml")
        assert "pyproject.toml: there is no [tool.fdlint]" in refused(capsys, "--config", "pyproject.toml")
        assert "pyproject.toml: there is no [tool.fdlint]" in refused(capsys, "--config", "other/pyproject.toml")
        assert "exclude each other" in refused(capsys, "--isolated", "--config", "pyproject.toml")

    def test_others_sections_are_none_of_our_business(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"a.py": OPENS, "pyproject.toml": "[tool.other\nbroken"})
        assert scanned(capsys) == ["a.py:leak FD101"]


class TestWhereItIsFound:
    def test_upwards_from_each_path(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"pyproject.toml": MODELS, "sub/pkg/a.py": GRABS})
        write(tree, {"sub/pyproject.toml": "[project]\nname = 'nothing-of-ours'\n"})
        for path in (".", "sub", "sub/pkg", "sub/pkg/a.py"):
            assert scanned(capsys, path) == ["sub/pkg/a.py:leak FD101"]

    def test_from_within(self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tree, {"pyproject.toml": MODELS, "sub/a.py": GRABS})
        monkeypatch.chdir(tree / "sub")
        assert scanned(capsys) == ["a.py:leak FD101"]
        (tree / "pyproject.toml").write_text("[tool.fdlint]\nselct = []", encoding="utf-8")
        assert f"{tree}/pyproject.toml: unknown key" in refused(capsys)

    def test_the_nearest_alone(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"pyproject.toml": MODELS, "sub/a.py": GRABS + OPENS, "sub/fdlint.toml": ""})
        assert len(scanned(capsys)) == 2
        assert scanned(capsys, "sub") == ["sub/a.py:leak FD101"]

    def test_own_file_before_shared_file(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"a.py": OPENS, "fdlint.toml": "ignore = ['FD101']", "pyproject.toml": "[tool.fdlint]\nbroken = 1"})
        assert scanned(capsys) == []

    def test_not_beyond_the_repository(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"fdlint.toml": "ignore = ['FD1']", "inner/a.py": OPENS})
        assert scanned(capsys, "inner") == []
        (tree / "inner" / ".git").write_text("gitdir: elsewhere", encoding="utf-8")
        assert scanned(capsys, "inner") == ["inner/a.py:leak FD101"]

    def test_each_path_by_its_own(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"a/mod.py": GRABS, "a/pyproject.toml": MODELS, "b/mod.py": GRABS + OPENS, "c/mod.py": OPENS})
        write(tree, {"c/fdlint.toml": "ignore = ['FD101']"})
        assert scanned(capsys, "a", "b", "c") == ["a/mod.py:leak FD101", "b/mod.py:leak FD101"]
        assert scanned(capsys, ".") == ["b/mod.py:leak FD101", "c/mod.py:leak FD101"]

    def test_the_path_named_first(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"a.py": OPENS, "sub/b.py": OPENS, "sub/fdlint.toml": "ignore = ['FD101']"})
        assert scanned(capsys, ".", "sub") == ["a.py:leak FD101", "sub/b.py:leak FD101"]
        assert scanned(capsys, "sub", ".") == ["a.py:leak FD101"]

    def test_named_or_none(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"a.py": GRABS, "fdlint.toml": "ignore = ['FD101']", "other/models.toml": TOP_LEVEL_MODELS})
        assert scanned(capsys) == []
        assert scanned(capsys, "--config", "other/models.toml") == ["a.py:leak FD101"]
        write(tree, {"a.py": OPENS, "other/pyproject.toml": "[tool.fdlint]\nselect = ['FD102']"})
        assert scanned(capsys, "--isolated") == ["a.py:leak FD101"]
        assert scanned(capsys, "--config", "other/pyproject.toml") == []
        write(tree, {"fdlint.toml": "nonsense = 1"})
        assert scanned(capsys, "--isolated") == ["a.py:leak FD101"]

    def test_standard_input(self, tree: Path) -> None:
        write(tree, {"pyproject.toml": MODELS, "sub/fdlint.toml": ""})
        for name, status in (("new.py", 1), ("pkg/new.py", 1), ("sub/new.py", 0)):
            command = [sys.executable, "-m", "fdlint", "scan", "-", "--stdin-filename", name]
            assert loaded.run(command, input=GRABS.encode()).returncode == status
        command = [sys.executable, "-m", "fdlint", "scan", "-"]
        assert loaded.run(command, input=GRABS.encode()).returncode == 1

    def test_why_not(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"pyproject.toml": MODELS, "a.py": GRABS})
        assert main(["why-not", "a.py:4"]) == 0
        assert "FD101: is reported" in capsys.readouterr().out
        write(tree, {"fastio/__init__.py": "", "fastio/b.py": GRABS.replace("fastio._native", "._native")})
        assert main(["why-not", "fastio/b.py:4"]) == 0
        assert "`fd` from fastio._native.grab()" in capsys.readouterr().out
        assert main(["why-not", "--isolated", "a.py:4"]) == 0
        assert "fdlint does not know fastio._native.grab()" in capsys.readouterr().out


class TestCodes:
    CODE = OPENS + "\n\ndef thrown_away(fd):\n    os.dup(fd)\n"

    @pytest.mark.parametrize(
        ("text", "arguments", "codes"),
        [
            ("", [], ["FD101", "FD107"]),
            ("select = ['fd101']", [], ["FD101"]),
            ("ignore = ['FD10']", [], []),
            ("ignore = ['FD101']", ["--select", "FD101"], ["FD101"]),
            ("select = ['FD107']", ["--select", "FD101"], ["FD101"]),
            ("ignore = ['FD107']", ["--ignore", "FD101"], []),
        ],
    )
    def test_the_command_line_comes_first(
        self, tree: Path, capsys: Captured, text: str, arguments: list[str], codes: list[str]
    ) -> None:
        write(tree, {"a.py": self.CODE, "fdlint.toml": text})
        assert [found.split()[1] for found in scanned(capsys, *arguments)] == codes


class TestModels:
    def test_a_false_alarm_goes_and_a_leak_is_found(self, tree: Path, capsys: Captured) -> None:
        write(
            tree,
            {
                "a.py": """\
            import os
            from fastio import _native

            def handed_over(path):
                fd = os.open(path, os.O_RDONLY)
                _native.enqueue(fd, 3)

            def leak(path):
                fd = _native.grab(path)

            def ticking(path):
                fd = _native.grab(path)
                _native.tick()
                os.close(fd)
            """
            },
        )
        assert scanned(capsys) == ["a.py:handed_over FD101"]
        write(tree, {"pyproject.toml": MODELS})
        assert scanned(capsys) == ["a.py:leak FD101"]
        write(tree, {"pyproject.toml": MODELS.replace("raises = false", "")})
        assert scanned(capsys) == ["a.py:leak FD101", "a.py:ticking FD103"]

    def test_a_file_with_no_other_word_is_analysed(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"a.py": "import lib\ndef f(x):\n    lib.obtain_it(x)\n", "b.py": "def g(x):\n    return x\n"})
        for toml, analysed in (("", 0), ("[[api]]\nname = 'lib.obtain_it'\nreturns = 'fd'\n", 1)):
            write(tree, {"fdlint.toml": toml})
            main(["scan", "--output-format", "json", "-q"])
            document = json.loads(capsys.readouterr().out)
            assert document["summary"]["files_analysed"] == analysed
            assert len(document["findings"]) == analysed

    def test_words(self, tree: Path, capsys: Captured) -> None:
        write(tree, {"a.py": "import lib\ndef f(x):\n    lib.get(x)\n", "b.py": "def g(x):\n    return x.get(x)\n"})
        for words, analysed in (("", 2), ("words = ['lib & get']", 1), ("words = ['lib', 'return']", 2)):
            write(tree, {"fdlint.toml": f"[[api]]\nname = 'lib.get'\nreturns = 'fd'\n{words}\n"})
            main(["scan", "--output-format", "json", "-q"])
            assert json.loads(capsys.readouterr().out)["summary"]["files_analysed"] == analysed

    def test_the_projects_own_wrappers_of_it(self, tree: Path, capsys: Captured) -> None:
        write(
            tree,
            {
                "pyproject.toml": MODELS,
                "wrap.py": """\
            from fastio._native import enqueue, grab

            def open_it(path):
                return grab(path)

            def give(fd):
                enqueue(fd, 1)
            """,
                "user.py": """\
            import wrap

            def leak(path):
                fd = wrap.open_it(path)

            def fine(path):
                wrap.give(wrap.open_it(path))
            """,
            },
        )
        assert scanned(capsys) == ["user.py:leak FD101"]

    def test_imported_from_beside_and_re_exported(self, tree: Path, capsys: Captured) -> None:
        write(
            tree,
            {
                "pyproject.toml": MODELS,
                "fastio/__init__.py": "from ._native import enqueue, grab\n",
                "fastio/sub/__init__.py": "",
                "fastio/near.py": """\
            from . import _native
            from ._native import enqueue

            def leak(path):
                fd = _native.grab(path)

            def fine(path):
                enqueue(_native.grab(path), 0)
            """,
                "fastio/sub/far.py": """\
            from .._native import *
            from .. import grab as take_one

            def leak(path):
                fd = grab(path)

            def also(path):
                fd = take_one(path)

            def fine(path):
                enqueue(take_one(path), 0)
            """,
                "user.py": """\
            import fastio

            def leak(path):
                fd = fastio.grab(path)

            def fine(path):
                fastio.enqueue(fastio.grab(path), 0)
            """,
            },
        )
        assert scanned(capsys) == [
            "fastio/near.py:leak FD101", "fastio/sub/far.py:leak FD101", "fastio/sub/far.py:also FD101",
            "user.py:leak FD101",
        ]  # fmt: skip

    def test_a_shipped_entry_is_replaced_entirely(self, tree: Path, capsys: Captured) -> None:
        code = """\
        import fcntl

        def copies(fd):
            fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)

        def other(fd):
            fcntl.fcntl(fd, fcntl.F_GETFD)
        """
        write(tree, {"a.py": code})
        assert scanned(capsys) == ["a.py:copies FD107"]
        own = "[[api]]\nname = 'fcntl.fcntl'\nparams = ['fd', 'cmd']\nwhen.cmd = 'fcntl.F_GETFD'\nreturns = 'fd'\n"
        write(tree, {"fdlint.toml": own})
        assert scanned(capsys) == ["a.py:other FD107"]

    def test_aliases(self, tree: Path, capsys: Captured) -> None:
        write(
            tree,
            {
                "fdlint.toml": """\
                [aliases]
                "fast.shut" = "os.close"
                "fast.posixy" = "os"
                "fast.Sock" = "socket.socket"
                """,
                "a.py": """\
            import fast
            from fast import posixy

            def leak(path):
                fd = posixy.open(path, 0)

            def fine(path):
                fd = posixy.open(path, 0)
                fast.shut(fd)

            def parted(sock: fast.Sock):
                fd = sock.detach()
            """,
            },
        )
        assert scanned(capsys) == ["a.py:leak FD101", "a.py:parted FD101"]

    def test_many_files_in_many_processes(self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(project, "_WORTH_A_POOL", 10)
        write(tree, {"one/fdlint.toml": TOP_LEVEL_MODELS})
        write(tree, {"two/fdlint.toml": "unknown-calls = 'take'"})
        other = "import os, lib\n\ndef f(path):\n    lib.x(os.open(path, 0))\n"
        files = {f"{root}/m{n}.py": GRABS + other for n in range(10) for root in ("one", "two", "three")}
        write(tree, files)
        found = scanned(capsys, "one", "two", "three", "-j2")
        assert found == scanned(capsys, "one", "two", "three", "-j1")
        assert sorted(found) == sorted(
            [f"one/m{n}.py:{what}" for n in range(10) for what in ("leak FD101", "f FD107")]
            + [f"three/m{n}.py:f FD107" for n in range(10)]
        )


class TestUnknownCalls:
    CODE = """\
    import os
    import engine

    def run(path):
        fd = os.open(path, os.O_RDONLY)
        engine.run(fd)

    def method(path, thing):
        thing.run(os.open(path, os.O_RDONLY))

    def named(path):
        engine.adopt(os.open(path, os.O_RDONLY))

    def inside(path):
        fd = os.open(path, os.O_RDONLY)
        def later():
            engine.run(fd)
        return later

    def known(path):
        fd = os.open(path, os.O_RDONLY)
        os.fstat(fd)

    def own(fd):
        return fd + 1

    def followed(path):
        own(os.open(path, os.O_RDONLY))
    """

    @pytest.mark.parametrize(
        ("text", "functions"),
        [
            ("", ["run", "method", "inside", "known", "followed"]),
            ("unknown-calls = 'use'", ["run", "method", "inside", "known", "followed"]),
            ("unknown-calls = 'take'", ["known", "followed"]),
        ],
    )
    def test_turned_round(self, tree: Path, capsys: Captured, text: str, functions: list[str]) -> None:
        write(tree, {"a.py": self.CODE, "fdlint.toml": text})
        assert [found.split()[0].removeprefix("a.py:") for found in scanned(capsys)] == functions


def test_it_is_light() -> None:
    code = "import sys, fdlint.scan.config; sys.exit(bool({'libcst', 'rich', 'click'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
