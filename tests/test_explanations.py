"""``fdlint explain PATH:LINE`` and ``fdlint why-not PATH:LINE``: the printed answers for small programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from fdlint.cli import main
from fdlint.cli.explaining import is_place, parsed
from fdlint.core import budget

CASES = sorted((Path(__file__).parent / "explanations").glob("*.yml"))
Captured = pytest.CaptureFixture[str]
LEAK = "import os\n\n\ndef size(path):\n    fd = os.open(path, 0)\n    return os.fstat(fd).st_size\n"


def answer(capsys: Captured, *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_printed_answer(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    read = yaml.safe_load(case.read_text(encoding="utf-8"))
    name = "case.go" if read.get("go") else "case.py"
    if read.get("go"):
        pytest.importorskip("tree_sitter_go")
    (tmp_path / name).write_text(read["code"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for command in ("why-not", "explain"):
        if command in read:
            assert answer(capsys, command, f"{name}:{read['line']}") == read[command], command


def test_every_way_is_in_a_case() -> None:
    assert len(CASES) >= 12


def test_a_file_that_imports_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    (tmp_path / "other.py").write_text("import os\n\n\ndef opened(path):\n    return os.open(path, 0)\n")
    (tmp_path / "here.py").write_text("import other\n\n\ndef use(path):\n    fd = other.opened(path)\n    print(fd)\n")
    monkeypatch.chdir(tmp_path)
    assert "FD101: is reported" in answer(capsys, "why-not", "here.py:5")
    assert "called here: other.opened() returns it" in answer(capsys, "explain", "here.py:5:10:")


def test_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    place, elsewhere = tmp_path / "code", tmp_path / "elsewhere"
    place.mkdir()
    elsewhere.mkdir()
    (place / "here.py").write_text(LEAK)
    monkeypatch.chdir(elsewhere)
    assert "leaves this file out" not in answer(capsys, "why-not", f"{place}/here.py:5")


def test_a_finding_of_a_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    (tmp_path / "here.py").write_text(LEAK)
    monkeypatch.chdir(tmp_path)
    assert main(["baseline", "create", "--baseline", "known.json", "here.py"]) == 0
    (tmp_path / "fdlint.toml").write_text('baseline = "known.json"\n')
    capsys.readouterr()
    assert "reported:   no: the baseline has it" in answer(capsys, "explain", "here.py:5")
    assert "found, but not reported: the baseline has it" in answer(capsys, "why-not", "here.py:5")


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ('ignore = ["FD101"]', "the configuration disables its rule (`select`, `ignore`)"),
        ('per-file-ignores = {"here.py" = ["FD101"]}', "disables its rule in this file (`per-file-ignores`)"),
        ('extend-exclude = ["here.py"]', "the configuration excludes it (`exclude`)"),
    ],
)
def test_the_configuration(
    settings: str, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / "here.py").write_text(LEAK)
    (tmp_path / "fdlint.toml").write_text(settings + "\n")
    monkeypatch.chdir(tmp_path)
    assert wanted in " ".join(answer(capsys, "why-not", "here.py:5").split())


def test_a_spent_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    (tmp_path / "here.py").write_text(LEAK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(budget.Budget, "renew", lambda self, _=0: setattr(self, "spent", self.limit))
    original = budget.Budget.__init__

    def used_up(self: budget.Budget) -> None:
        original(self)
        self.spent = self.limit

    monkeypatch.setattr(budget.Budget, "__init__", used_up)
    shown = " ".join(answer(capsys, "why-not", "here.py:5").split())
    assert "the analysis is incomplete" in shown
    assert "os.open() may acquire, but size was not analysed" in shown


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ("gone.py:3", "no such file: gone.py"),
        ("here.py:7000", "here.py has 6 lines, so no line 7000"),
        ("here.py:abc", "abc is not a number of a line"),
        ("here.py:0", "lines count from 1"),
        ("here.py:-3", "-3 is not a number of a line"),
        ("here.py:" + "9" * 5000, "so no line"),
        ("here.py", "name the line as PATH:LINE"),
        ("here.py:", "name the line as PATH:LINE"),
        ("notes.txt:1", "not a Python or Go file"),
        (".:1", "is a directory"),
    ],
)
@pytest.mark.parametrize("command", ["explain", "why-not"])
def test_bad_input(
    command: str, place: str, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / "here.py").write_text(LEAK)
    (tmp_path / "notes.txt").write_text("nothing\n")
    monkeypatch.chdir(tmp_path)
    assert main([command, place]) == 2
    assert wanted in " ".join(capsys.readouterr().err.split())


def test_control_characters_are_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    code = "import os\n\n\ndef f(p):\n    fd = os.open('\x1b[31m\u202e', 0)  # \x1b]0;x\x07\n    spam(fd, '\x1b[2J')\n"
    (tmp_path / "here\x1b.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for command in (["why-not", "here\x1b.py:5"], ["explain", "here\x1b.py:5"], ["why-not", "here\x1b.py:6"]):
        for form in ("text", "json"):
            shown = answer(capsys, *command, "--output-format", form)
            assert not set("\x1b\x07\u202e") & set(shown), (command, form)


def test_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    (tmp_path / "here.py").write_text(LEAK)
    monkeypatch.chdir(tmp_path)
    told = json.loads(answer(capsys, "explain", "here.py:5", "--output-format", "json"))
    assert [(one["code"], one["hidden"], one["steps"][0]["kind"]) for one in told["findings"]] == [
        ("FD101", None, "acquired")
    ]
    found = json.loads(answer(capsys, "why-not", "here.py:5", "--output-format", "json"))
    assert [one["subject"] for one in found["descriptors"]] == ["`fd` from os.open()"]


@pytest.mark.parametrize("text", ["a.py:3", "a/b.py:3", "a.py", "C:\\x.py:3", "x.go:1:2:"])
def test_a_place_is_no_rule(text: str) -> None:
    assert is_place(text)


@pytest.mark.parametrize("text", ["FD101", "fd1", "never-closed"])
def test_a_rule_is_no_place(text: str) -> None:
    assert not is_place(text)


def test_a_place_as_reports_print_it() -> None:
    assert parsed("a/b.py:12:5:") == ("a/b.py", 12)
    assert parsed("C:\\b.py:12") == ("C:\\b.py", 12)
