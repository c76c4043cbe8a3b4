"""Whatever a scanned tree keeps from being reported is counted, and an auditor can do without it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fdlint
from fdlint.cli import main
from fdlint.report.findings.silencing import Means, Silencing, together
from fdlint.scan import config

LOSES = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"
TESTS = "import os\n\n\ndef test(path):\n    fd = os.open(path, 0)\n    if fd:\n        os.close(fd)\n"
GO = "package main\n"


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    yield tmp_path


def put(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def scan(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    main(["scan", "--persona", "pedantic", "--no-cache", "--output-format", "json", *arguments])
    return json.loads(capsys.readouterr().out)


def text(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    main(["scan", "--persona", "pedantic", "--no-cache", *arguments])
    return capsys.readouterr().out.splitlines()


def found(document: Any) -> list[str]:
    return sorted(f"{one['path']} {one['code']}" for one in document["findings"])


EVERYTHING = """
ignore = ["FD205"]
extend-exclude = ["/hidden", "one.py"]
baseline = "known.json"
unknown-calls = "take"
go-tests = false

[per-file-ignores]
"quiet.py" = ["FD107"]

[severity]
FD107 = "warning"

[[api]]
name = "os.dup"
params = ["fd"]

[aliases]
"os.pipe" = "os.getpid"
"""


@pytest.fixture
def hostile(capsys: pytest.CaptureFixture[str]) -> None:
    put("loud.py", LOSES)
    put("known.py", LOSES)
    main(["baseline", "create", "known.py", "--baseline", "known.json"])
    capsys.readouterr()
    put("fdlint.toml", EVERYTHING.replace('[aliases]\n"os.pipe" = "os.getpid"\n', ""))
    put("quiet.py", LOSES)
    put("comment.py", LOSES.replace("0)", "0)  # noqa"))
    put("tested.py", TESTS)
    put("one.py", LOSES)
    put("hidden/two.py", LOSES)
    put(".gitignore", "built.py\n")
    put("built.py", LOSES)
    put("env/pyvenv.cfg", "")
    put("env/three.py", LOSES)
    put("main_test.go", GO)


@pytest.mark.usefixtures("hostile")
class TestCounts:
    def test_in_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        document = scan(capsys)
        assert found(document) == ["loud.py FD107"]
        assert document["summary"]["silencing"] == {
            "findings": {"comments": 1, "select and ignore": 1, "per-file-ignores": 1, "baseline": 1},
            "paths": {"exclude": 2, "go-tests": 1, ".gitignore": 1, "pyvenv.cfg": 1},
            "lowered": 1,
            "rules": ["FD205"],
            "models": ["os.dup", 'unknown-calls = "take"'],
            "configurations": ["fdlint.toml"],
        }
        assert (document["summary"]["silenced"], document["summary"]["baselined"]) == (1, 1)

    def test_in_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        line = (
            "Silenced by the tree (fdlint.toml): 4 findings (1 by comments, 1 by select and ignore, 1 by"
            " per-file-ignores, 1 by baseline), 5 paths (2 by exclude, 1 by go-tests, 1 by .gitignore, 1 by"
            ' pyvenv.cfg), 1 error made warning, 1 rule (FD205), 2 models (os.dup, unknown-calls = "take")'
        )
        assert text(capsys)[-1] == line
        assert line not in text(capsys, "-q")

    def test_in_sarif_and_html(self, capsys: pytest.CaptureFixture[str]) -> None:
        document = scan(capsys, "-o", "sarif=out.sarif", "-o", "html=out.html")
        (run,) = json.loads(Path("out.sarif").read_text())["runs"]
        assert run["properties"]["silencing"] == document["summary"]["silencing"]
        assert "Silenced by the tree (fdlint.toml): 4 findings" in Path("out.html").read_text()

    def test_shards_come_to_the_same(self, capsys: pytest.CaptureFixture[str]) -> None:
        whole = scan(capsys)["summary"]["silencing"]
        for shard in ("1", "2", "3"):
            scan(capsys, "--shard", f"{shard}/3", "-o", f"json={shard}.json")
        main(["merge", "1.json", "2.json", "3.json", "--output-format", "json"])
        assert json.loads(capsys.readouterr().out)["summary"]["silencing"] == whole

    def test_repositories_are_told_apart(self, capsys: pytest.CaptureFixture[str]) -> None:
        scan(capsys, "-o", "json=one.json")
        main(["merge", "a=one.json", "b=one.json", "--output-format", "json"])
        merged = json.loads(capsys.readouterr().out)["summary"]["silencing"]
        assert merged["configurations"] == ["a/fdlint.toml", "b/fdlint.toml"]
        assert merged["findings"]["comments"] == 2

    def test_what_the_user_asks_for_is_not_the_trees_doing(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("elsewhere/mine.toml", EVERYTHING.replace("known.json", "../known.json"))
        Path("fdlint.toml").rename("elsewhere/its.toml")
        for arguments in (
            ("--config", "elsewhere/its.toml"),
            ("--ignore", "FD205", "--exclude", "one.py,/hidden,/env", "--baseline", "known.json"),
        ):
            silencing = scan(capsys, *arguments)["summary"]["silencing"]
            assert silencing["findings"] == {"comments": 1}
            assert not {"exclude", "select and ignore"} & silencing["paths"].keys()
            assert silencing["rules"] == silencing["configurations"] == []

    def test_the_users_choice_comes_first(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ("--select", "FD205", "--baseline", "known.json")
        silencing = scan(capsys, *arguments)["summary"]["silencing"]
        assert silencing["findings"] == {}
        assert silencing["rules"] == []

    def test_the_library_counts_as_well(self) -> None:
        silencing = fdlint.scan_paths(["."]).silencing
        assert silencing.findings[Means.COMMENTS] == silencing.paths[Means.ENVIRONMENT] == 1
        known = fdlint.scan_paths(["."], baseline="known.json").silencing
        assert Means.BASELINE not in known.findings


class TestAudit:
    @pytest.mark.usefixtures("hostile")
    def test_nothing_of_the_tree_counts(self, capsys: pytest.CaptureFixture[str]) -> None:
        document = scan(capsys, "--isolated", "--no-suppressions")
        assert found(document) == [
            "built.py FD107",
            "comment.py FD107",
            "env/three.py FD107",
            "hidden/two.py FD107",
            "known.py FD107",
            "loud.py FD107",
            "one.py FD107",
            "quiet.py FD107",
            "tested.py FD205",
        ]
        assert "main_test.go" not in {one["path"] for one in document["skipped"]}
        assert document["summary"]["files"] == 10  # one of them in Go
        empty = {"findings": {}, "paths": {}, "lowered": 0, "rules": [], "models": [], "configurations": []}
        assert document["summary"]["silencing"] == empty
        assert not any(line.startswith("Silenced") for line in text(capsys, "--isolated", "--no-suppressions"))

    def test_comments_that_silence_nothing_are_not_reported_then(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.py", "x = 1  # fdlint: ignore[FD101]\n")
        assert found(scan(capsys)) == ["a.py FD900"]
        assert found(scan(capsys, "--no-suppressions")) == []

    def test_the_library_can_do_without(self) -> None:
        put("a.py", LOSES.replace("0)", "0)  # noqa"))
        assert not fdlint.scan_paths(["."]).findings
        assert fdlint.scan_paths(["."], suppressions=False).findings

    def test_a_tree_that_says_what_is_generated(self) -> None:
        assert "go-generated" in config.isolated(".").flags

    def test_rules_of_a_repository_around_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        put(".gitignore", "*.py\n")
        put("inside/a.py", LOSES)
        assert found(scan(capsys, "inside")) == []
        assert found(scan(capsys, "inside", "--isolated")) == ["inside/a.py FD107"]


class TestDetails:
    def test_everything_excluded(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("fdlint.toml", 'extend-exclude = ["*"]\n')
        put("a.py", LOSES)
        assert text(capsys)[-1].startswith("Silenced by the tree (fdlint.toml): ")

    def test_force_exclude(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("fdlint.toml", 'extend-exclude = ["a.py", "sub"]\nforce-exclude = true\n')
        put("a.py", LOSES)
        put("sub/b.py", LOSES)
        assert scan(capsys, "a.py", "sub")["summary"]["silencing"]["paths"] == {"exclude": 2}

    def test_include_leaves_out_all_the_rest(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("fdlint.toml", 'include = ["nothing"]\n')
        put("a.py", LOSES)
        put("a.txt", "no source")
        assert scan(capsys)["summary"]["silencing"]["paths"] == {"include": 1}

    def test_select_switches_the_rest_off(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("fdlint.toml", 'select = ["FD2"]\n')
        put("a.py", LOSES)
        silencing = scan(capsys)["summary"]["silencing"]
        assert silencing["findings"] == {"select and ignore": 1}
        assert "FD107" in silencing["rules"]
        assert "FD201" not in silencing["rules"]
        assert "…" in text(capsys)[-1]

    def test_an_alias_can_redefine(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("fdlint.toml", '[aliases]\n"os.open" = "builtins.len"\n"mine.open" = "os.open"\n')
        put("a.py", LOSES)
        assert scan(capsys)["summary"]["silencing"]["models"] == ["os.open"]

    def test_names_are_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("::error::##[x]\x1b/fdlint.toml", 'ignore = ["FD107"]\n')
        put("::error::##[x]\x1b/a.py", LOSES)
        line = text(capsys, "::error::##[x]\x1b")[-1]
        assert line.startswith(
            r"Silenced by the tree (::error::#\x23[x]\x1b/fdlint.toml): 1 finding (select and ignore)"
        )

    def test_nothing_silenced_is_no_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("fdlint.toml", 'severity.FD107 = "error"\n')
        put("a.py", LOSES)
        assert not any("Silenced" in line for line in text(capsys))

    def test_adding_up(self) -> None:
        one = Silencing({Means.COMMENTS: 1}, {Means.EXCLUDE: 2}, 1, ("FD107",), (), ("a",))
        two = Silencing({Means.BASELINE: 1, Means.COMMENTS: 1}, {}, 0, ("FD101", "FD107"), ("x",), ("b",))
        findings = {Means.COMMENTS: 2, Means.BASELINE: 1}
        assert together([one, two]) == Silencing(
            findings, {Means.EXCLUDE: 2}, 1, ("FD101", "FD107"), ("x",), ("a", "b")
        )
        assert not together([])
