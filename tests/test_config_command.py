"""``fdlint config``: what is in force, and where from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fdlint.cli import main
from fdlint.core.checks import all_rules
from fdlint.scan.config.schema import KEYS

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(capsys: Captured, *arguments: str) -> dict[str, Any]:
    assert main(["config", "--json", *arguments]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def setting(document: dict[str, Any], key: str) -> tuple[Any, str]:
    found = document["settings"][key]
    return found["value"], found["from"]


def test_every_key_has_its_value_without_a_file(tree: Path, capsys: Captured) -> None:
    document = shown(capsys)
    assert set(document["settings"]) == set(KEYS)
    assert {one["from"] for one in document["settings"].values()} == {"default"}
    assert (document["file"], document["directory"]) == (None, None)
    assert document["rules"] == [loaded.rule.code for loaded in all_rules()]
    assert setting(document, "include") == (["*.py", "*.go"], "default")
    assert "node_modules" in document["settings"]["exclude"]["value"]


def test_every_key_from_the_file(tree: Path, capsys: Captured) -> None:
    values: dict[str, Any] = {
        "baseline": "known.json",
        "exclude": ["a"],
        "extend-exclude": ["b"],
        "force-exclude": True,
        "go-generated": True,
        "go-tests": False,
        "go-vendor": True,
        "ignore": ["FD103"],
        "include": ["/src"],
        "include-scripts": False,
        "min-confidence": "high",
        "min-impact": "high",
        "min-severity": "error",
        "persona": "pedantic",
        "select": ["FD1", "FD2"],
        "test-files": ["*_check.py"],
        "tests": "none",
        "unknown-calls": "take",
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    lines += ["per-file-ignores.'!src' = ['FD1']", "severity.FD103 = 'error'", "aliases.'lib.shut' = 'os.close'"]
    lines += ["[[api]]\nnames = ['lib.f', 'lib.g']\n[[api]]\nname = 'lib.h'"]
    lines += ["[[go.api]]\nname = 'example.org/lib.Open'"]
    lines += ["[[worker]]\nname = 'lib.Farm'\ntorn_down_by = ['stop']"]
    (tree / "fdlint.toml").write_text("\n".join(lines))
    values |= {"per-file-ignores": {"!src": ["FD1"]}, "severity": {"FD103": "error"}}
    values |= {"go": {"api": ["example.org/lib.Open"]}}
    values |= {"aliases": {"lib.shut": "os.close"}, "api": ["lib.f", "lib.g", "lib.h"], "worker": ["lib.Farm"]}
    for path in (".", "sub"):
        document = shown(capsys, path)
        assert {key: one["value"] for key, one in document["settings"].items()} == values
        assert {one["from"] for one in document["settings"].values()} == {"fdlint.toml"}
        assert (document["file"], document["directory"]) == ("fdlint.toml", str(tree.resolve()))
        assert "FD103" not in document["rules"]
        assert "FD201" in document["rules"]
        assert "FD301" not in document["rules"]


def test_no_file_counts(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("ignore = ['FD103']\n")
    assert shown(capsys, "--isolated")["file"] is None
    assert setting(shown(capsys), "test-files")[0][:2] == ["tests/", "test/"]


def test_text(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("ignore = ['FD103']\nseverity.FD2 = 'warning'\n")
    assert main(["config", "sub"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "# for sub: fdlint.toml"
    assert lines[1].startswith("# rules: FD101 FD102 FD104 ")
    assert 'ignore = ["FD103"] # fdlint.toml' in [" ".join(line.split()) for line in lines]
    assert 'severity = {"FD2" = "warning"} # fdlint.toml' in [" ".join(line.split()) for line in lines]
    assert "baseline = (none) # default" in [" ".join(line.split()) for line in lines]


def test_what_is_wrong_is_said(tree: Path, capsys: Captured) -> None:
    assert main(["config", "nowhere"]) == 2
    (tree / "fdlint.toml").write_text("ignroe = []")
    assert main(["config"]) == 2
    err = capsys.readouterr().err
    assert "no such file or directory: nowhere" in err
    assert "fdlint.toml: unknown key `ignroe` (did you mean `ignore`?)" in err
