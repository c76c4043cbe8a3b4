"""Codes, prefixes and names that choose rules: on the command line, in a configuration, and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fdlint
from fdlint.cli import main
from fdlint.core.checks import all_rules
from fdlint.scan.config import ConfigError
from fdlint.scan.select import NoSuchRuleError, codes

Captured = pytest.CaptureFixture[str]
LEAK = "import os\nos.dup(0)\n"
EVERY = [loaded.rule.code for loaded in all_rules()]
NO_RULE = ["FD999", "E501", "", "never-close", "FDX"]
TOO_MUCH = ["FD", "F", "f", "ALL", "all"]


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text(LEAK)
    return tmp_path / "a.py"


def found(capsys: Captured, *arguments: str) -> list[str]:
    assert main(["scan", "a.py", "--no-cache", "--output-format", "json", *arguments]) in (0, 1)
    return [one["code"] for one in json.loads(capsys.readouterr().out)["findings"]]


@pytest.mark.parametrize("word", ["FD107", "fd107", "FD1", "FD10", "FD", "ALL", "all", "discarded", "Discarded"])
def test_what_chooses_a_rule(capsys: Captured, word: str) -> None:
    assert found(capsys, "--select", word) == ["FD107"]
    assert [one.code for one in fdlint.scan_source(LEAK, select=[word]).findings] == ["FD107"]
    Path("fdlint.toml").write_text(f'select = ["{word}"]\n')
    assert found(capsys) == ["FD107"]
    assert [one.code for one in fdlint.scan_paths(["a.py"]).findings] == ["FD107"]


@pytest.mark.parametrize("word", ["FD107", "discarded"])
def test_names_work_wherever_codes_do(capsys: Captured, word: str) -> None:
    assert found(capsys, "--ignore", word) == []
    for text in (f'ignore = ["{word}"]', f'per-file-ignores."*.py" = ["{word}"]'):
        Path("fdlint.toml").write_text(text)
        assert found(capsys) == []
    Path("fdlint.toml").write_text(f'severity.{word} = "warning"')
    assert fdlint.scan_paths(["a.py"]).findings[0].severity.value == "warning"


@pytest.mark.parametrize("option", ["select", "ignore"])
@pytest.mark.parametrize("word", NO_RULE)
def test_what_chooses_none(capsys: Captured, option: str, word: str) -> None:
    assert main(["scan", "a.py", f"--{option}", word]) == 2
    assert ("there is no rule" if word else "no code given") in capsys.readouterr().err
    chosen = {option: [word]}
    with pytest.raises(ValueError, match="there is no rule"):
        fdlint.scan_paths(["a.py"], **chosen)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no rule"):
        fdlint.scan_source(LEAK, **chosen)  # type: ignore[arg-type]
    if not word:
        return
    Path("fdlint.toml").write_text(f'{option} = ["FD1", "{word}"]\n')
    with pytest.raises(ConfigError, match=f"fdlint.toml: `{option}`: there is no rule {word}"):
        fdlint.scan_paths(["a.py"])
    assert main(["scan", "a.py"]) == 2


@pytest.mark.parametrize("word", TOO_MUCH)
def test_ignoring_everything_is_refused(capsys: Captured, word: str) -> None:
    assert main(["scan", "a.py", "--ignore", word]) == 2
    assert "matches every rule; with all of them ignored, nothing is reported" in capsys.readouterr().err
    with pytest.raises(ValueError, match="every rule"):
        fdlint.scan_paths(["a.py"], ignore=[word])
    Path("fdlint.toml").write_text(f'ignore = ["{word}"]\n')
    with pytest.raises(ConfigError, match=r"fdlint.toml: `ignore`: .* every rule"):
        fdlint.scan_paths(["a.py"])


def test_ignoring_everything_piece_by_piece_is_refused() -> None:
    with pytest.raises(NoSuchRuleError, match="every rule"):
        codes(EVERY, "ignore")
    assert codes(EVERY, "select") == tuple(EVERY)
    assert codes(EVERY[:-1], "ignore") == tuple(EVERY[:-1])


def test_a_letter_that_is_another_tools() -> None:
    with pytest.raises(NoSuchRuleError, match="F is not a code of fdlint's; write FD or ALL"):
        codes(["F"], "select")


def test_a_text_is_no_list() -> None:
    with pytest.raises(ValueError, match="`select` must be a list of codes, not the text 'FD107'"):
        fdlint.scan_paths(["a.py"], select="FD107")


def test_a_file_may_have_all_rules_off(capsys: Captured) -> None:
    Path("fdlint.toml").write_text('per-file-ignores."a.py" = ["FD"]\nseverity.FD = "warning"\n')
    assert found(capsys) == []


def test_explain_lists_the_rules_of_a_prefix(capsys: Captured) -> None:
    assert main(["explain", "fd2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [code for code in EVERY if code.startswith("FD2")]
    assert main(["explain", "FD4"]) == 0
    assert capsys.readouterr().out.startswith("# FD401 ")
    assert main(["explain", "FD999"]) == 2
