"""A baseline: what is in it is not said again, wherever it has moved to; what is new is said."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import loaded
import pytest

import fdlint
from fdlint.cli import main
from fdlint.languages.go.description import GO

LEAK = "def {name}(path):\n    fd = os.open(path, os.O_RDONLY)\n\n\n"
Captured = pytest.CaptureFixture[str]
FILE = "fdlint-baseline.json"


def module(*names: str) -> str:
    return "import os\n\n\n" + "".join(LEAK.format(name=name) for name in names)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pkg").mkdir()
    (tmp_path / "a.py").write_text(module("one", "two"))
    (tmp_path / "pkg" / "b.py").write_text(module("three"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: Captured, *arguments: str, status: int = 0) -> str:
    assert main(arguments) == status
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out + err


def said(capsys: Captured, *arguments: str) -> list[str]:
    main(["scan", "--output-format", "json", *arguments])
    out, err = capsys.readouterr()
    assert not err
    return [f"{one['path']}:{one['function']}" for one in json.loads(out)["findings"]]


def entries(file: str = FILE) -> list[str]:
    return [f"{one['path']}:{one['function']}" for one in json.loads(Path(file).read_text())["findings"]]


def test_what_is_there_is_not_said_and_what_is_new_is(tree: Path, capsys: Captured) -> None:
    out = run(capsys, "baseline", "create")
    assert f"3 findings written to {FILE}" in out
    assert f'baseline = "{FILE}"' in out
    assert entries() == ["a.py:one", "a.py:two", "pkg/b.py:three"]
    out = run(capsys, "scan", "--baseline", FILE)
    assert "0 findings, 3 in the baseline in " in out
    (tree / "a.py").write_text("# moved\n\n" + module("one", "new", "two"))
    assert said(capsys, "--baseline", FILE) == ["a.py:new"]
    assert len(said(capsys)) == 4


def test_it_has_the_fingerprints_of_the_json_output(tree: Path, capsys: Captured) -> None:
    run(capsys, "baseline", "create")
    main(["scan", "--output-format", "json"])
    found = {one["fingerprint"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert {one["fingerprint"] for one in json.loads(Path(FILE).read_text())["findings"]} == found


def test_twice_the_same_is_twice(tree: Path, capsys: Captured) -> None:
    twice = "import os\n\n\ndef f(path):\n    os.dup(path)\n"
    (tree / "a.py").write_text(twice)
    run(capsys, "baseline", "create", "a.py")
    (tree / "a.py").write_text(twice + "    os.dup(path)\n")
    assert said(capsys, "a.py", "--baseline", FILE) == ["a.py:f"]


class TestConfigured:
    def test_from_anywhere(self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        (tree / "pyproject.toml").write_text("[tool.fdlint]\nbaseline = 'ci/known.json'\n")
        (tree / "ci").mkdir()
        assert "see `fdlint baseline -h`" in run(capsys, "scan", status=2)
        assert run(capsys, "baseline", "create") == "3 findings written to ci/known.json\n"
        assert json.loads((tree / "ci" / "known.json").read_text())["root"] == ".."
        assert said(capsys) == []
        assert said(capsys, "--isolated") != []
        monkeypatch.chdir(tree / "pkg")
        assert said(capsys) == []
        assert said(capsys, "..") == []
        monkeypatch.chdir(tree.parent)
        assert said(capsys, tree.name) == []
        assert fdlint.scan_paths([tree]).baselined == 3
        known = tree / "ci" / "known.json"
        assert fdlint.scan_paths([tree], isolated=True, baseline=known).findings == ()

    def test_each_path_by_its_own(self, tree: Path, capsys: Captured) -> None:
        (tree / "pkg" / "fdlint.toml").write_text("baseline = 'known.json'")
        run(capsys, "baseline", "create", "pkg")
        assert entries("pkg/known.json") == ["pkg/b.py:three"]
        assert said(capsys, "a.py", "pkg") == ["a.py:one", "a.py:two"]
        (tree / "fdlint.toml").write_text(f"baseline = '{FILE}'")
        out = run(capsys, "baseline", "update", "a.py", "pkg", status=2)
        assert "several baselines; choose one: --baseline" in out

    def test_in_flake8(self, tree: Path, capsys: Captured) -> None:
        (tree / "fdlint.toml").write_text(f"baseline = '{FILE}'")
        run(capsys, "baseline", "create")
        (tree / "a.py").write_text(module("one", "new"))
        command = [sys.executable, "-m", "flake8", "--isolated", "-j", "1", "--select", "FD", "."]
        done = loaded.run(command, text=True)
        assert [line.split(":")[:2] for line in done.stdout.splitlines()] == [["./a.py", "9"]]


class TestChanging:
    def test_create_overwrites_nothing(self, tree: Path, capsys: Captured) -> None:
        run(capsys, "baseline", "create")
        assert "exists already; `fdlint baseline update`" in run(capsys, "baseline", "create", status=2)

    def test_update_adds_and_removes(self, tree: Path, capsys: Captured) -> None:
        run(capsys, "baseline", "create")
        (tree / "a.py").write_text(module("two", "new"))
        assert run(capsys, "baseline", "update") == f"{FILE}: 1 added, 1 removed, 3 in all\n"
        assert entries() == ["a.py:new", "a.py:two", "pkg/b.py:three"]
        assert said(capsys, "--baseline", FILE) == []

    def test_prune_removes_only(self, tree: Path, capsys: Captured) -> None:
        run(capsys, "baseline", "create")
        (tree / "a.py").write_text(module("two", "new"))
        assert run(capsys, "baseline", "prune") == f"{FILE}: 1 removed, 2 in all\n"
        assert entries() == ["a.py:two", "pkg/b.py:three"]

    @pytest.mark.parametrize("verb", ["update", "prune"])
    def test_files_that_were_not_looked_at_keep_theirs(self, tree: Path, capsys: Captured, verb: str) -> None:
        run(capsys, "baseline", "create")
        (tree / "a.py").write_text(module())
        (tree / "pkg" / "b.py").write_text(module())
        run(capsys, "baseline", verb, "pkg")
        assert entries() == ["a.py:one", "a.py:two"]
        (tree / "a.py").write_text("def (\n")
        (tree / "a.py").unlink()
        run(capsys, "baseline", verb, "pkg")
        assert entries() == []

    def test_a_file_that_cannot_be_parsed_keeps_its_own(self, tree: Path, capsys: Captured) -> None:
        run(capsys, "baseline", "create")
        (tree / "a.py").write_text("import os\nos.dup(\n")
        run(capsys, "baseline", "prune")
        assert len(entries()) == 3

    def test_from_elsewhere(self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        run(capsys, "baseline", "create")
        before = Path(FILE).read_bytes()
        monkeypatch.chdir(tree / "pkg")
        run(capsys, "baseline", "update", "..", "--baseline", f"../{FILE}")
        assert (tree / FILE).read_bytes() == before

    def test_in_another_file(self, tree: Path, capsys: Captured) -> None:
        assert 'baseline = "known.json"' in run(capsys, "baseline", "create", "--baseline", "known.json", "pkg")
        assert said(capsys, "--baseline", "known.json") == ["a.py:one", "a.py:two"]


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "is not a baseline: "),
            ("[]", "is not a baseline of version 1"),
            ('{"version": 2}', "is not a baseline of version 1"),
            ('{"version": 1, "root": "."}', "`root` and `findings` are missing"),
            ('{"version": 1, "root": ".", "findings": [{"path": "a.py"}]}', "a finding needs path, code,"),
        ],
    )
    def test_content(self, tree: Path, capsys: Captured, text: str, message: str) -> None:
        (tree / FILE).write_text(text)
        for arguments in (["scan", "--baseline", FILE], ["baseline", "update"], ["baseline", "prune"]):
            out = run(capsys, *arguments, status=2)
            assert f"{FILE}: " in out
            assert message in out

    def test_none(self, tree: Path, capsys: Captured) -> None:
        assert "nowhere.json: no such baseline" in run(capsys, "scan", "--baseline", "nowhere.json", status=2)
        assert "no such baseline" in run(capsys, "baseline", "update", status=2)
        assert "No such file or directory" in run(capsys, "baseline", "create", "--baseline", "no/b.json", status=2)


@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "github", "gitlab", "junit"])
def test_every_output_leaves_it_out(tree: Path, capsys: Captured, form: str) -> None:
    run(capsys, "baseline", "create")
    assert "FD101" in run(capsys, "scan", "--output-format", form, status=1)
    out = run(capsys, "scan", "--output-format", form, "--baseline", FILE)
    assert "os.open" not in out or form == "sarif"
    if form == "json":
        assert json.loads(out)["summary"]["baselined"] == 3


@pytest.mark.skipif(not GO.parser.is_installed, reason="no parser of Go: pip install 'fdlint[go]'")
def test_go(tree: Path, capsys: Captured) -> None:
    body = "\tfd, err := syscall.Open(path, 0, 0)\n\tif err != nil {\n\t\treturn\n\t}\n\tsyscall.Fsync(fd)\n"
    code = f'package a\n\nimport "syscall"\n\nfunc f(path string) {{\n{body}}}\n'
    (tree / "a.py").unlink()
    (tree / "a.go").write_text(code)
    run(capsys, "baseline", "create")
    assert any("a.go" in one for one in entries())
    (tree / "a.go").write_text(code.replace("import", "// moved\n\nimport"))
    assert said(capsys, "--baseline", FILE) == []
