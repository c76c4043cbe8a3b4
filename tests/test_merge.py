"""``fdlint merge``: what goes in as several reports comes out as one, each thing once."""

from __future__ import annotations

import copy
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import sample
from click.testing import CliRunner, Result

from fdlint.cli import command
from fdlint.cli.formats import FORMATS
from fdlint.report import jsonv1
from fdlint.report.excerpts import together
from fdlint.report.findings.finding import Skipped
from fdlint.report.findings.silencing import NOTHING
from fdlint.report.merged import merged
from fdlint.report.reading import read

ONE = sample.finding()
OTHER = sample.finding(span=sample.span(1, 1, 2, "a.py"), fingerprint="other", trace=())
BROKEN = Skipped("z.py", "cannot be parsed")


def written(name: str, *findings: Any, skipped: tuple[Skipped, ...] = ()) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(jsonv1.render(sample.report(*findings, skipped=skipped)), encoding="utf-8")
    return name


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, ["merge", *arguments], input=stdin, standalone_mode=False)


def document(*arguments: str, stdin: str | None = None) -> Any:
    result = run(*arguments, "--output-format", "json", stdin=stdin)
    assert result.exception is None, result.exception
    return json.loads(result.stdout)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_report_is_read_back_as_it_was() -> None:
    text = jsonv1.render(sample.report(ONE, OTHER, skipped=(BROKEN,)))
    assert jsonv1.render(read(text.encode())) == text


class TestMerging:
    def test_one_report_comes_out_as_it_was(self) -> None:
        name = written("a.json", OTHER, ONE, skipped=(BROKEN,))
        assert document(name) == json.loads(Path(name).read_text())

    def test_two_are_in_the_order_of_a_scan_and_their_numbers_are_added(self) -> None:
        found = document(written("a.json", ONE), written("b.json", OTHER, skipped=(BROKEN,)))
        assert [one["path"] for one in found["findings"]] == ["a.py", "pkg/mod.py"]
        assert found["skipped"] == [{"path": "z.py", "reason": "cannot be parsed"}]
        assert found["summary"] == {
            **{"files": 2204, "files_analysed": 74, "lines": 197530, "seconds": 1.624, "counts": {"FD102": 2}},
            **{"silenced": 0, "baselined": 0, "unchanged": 0, "silencing": jsonv1.silencing(NOTHING)},
            **{"persona": None, "hidden": {}, "show_hidden": {}},
        }

    def test_what_both_say_is_said_once(self) -> None:
        found = document(written("a.json", ONE, skipped=(BROKEN,)), written("b.json", ONE, OTHER, skipped=(BROKEN,)))
        assert [one["path"] for one in found["findings"]] == ["a.py", "pkg/mod.py"]
        assert len(found["skipped"]) == 1

    def test_what_one_says_twice_stays_twice(self) -> None:
        """Two like calls on one line."""
        twice = sample.report(ONE, sample.finding(span=sample.span(4, 40, 50)))
        assert merged([twice, sample.report(ONE), twice]).findings == twice.findings

    def test_names_keep_repositories_apart(self) -> None:
        name = written("a.json", ONE, skipped=(BROKEN,))
        found = document(f"left={name}", f"right/={name}")
        assert [one["path"] for one in found["findings"]] == ["left/pkg/mod.py", "right/pkg/mod.py"]
        assert {event["path"] for event in found["findings"][0]["trace"]} == {"left/pkg/mod.py"}
        assert [one["path"] for one in found["skipped"]] == ["left/z.py", "right/z.py"]
        assert len({one["fingerprint"] for one in found["findings"]}) == 2

    def test_a_directory_and_standard_input(self) -> None:
        written("reports/deep/a.json", ONE)
        written("reports/b.json", OTHER)
        Path("reports/notes.txt").write_text("")
        assert len(document("reports")["findings"]) == 2
        text = Path("reports/b.json").read_text()
        assert [one["path"] for one in document("-", stdin=text)["findings"]] == ["a.py"]
        assert [one["path"] for one in document("api=-", stdin=text)["findings"]] == ["api/a.py"]

    def test_a_file_with_such_a_name_is_that_file(self) -> None:
        assert document(written("a=b.json", OTHER))["findings"][0]["path"] == "a.py"


@pytest.mark.parametrize("form", ["text", "html", "sarif", "json"])
def test_the_code_comes_along(form: str) -> None:
    result = run(f"api={written('a.json', ONE)}", written("b.json", OTHER), "--output-format", form)
    assert "os.open(path, os.O_RDONLY)" in result.stdout


def test_the_code_of_several_reports_is_put_together() -> None:
    parts = [{"a.py": ("", "two", "")}, {"a.py": ("one",), "b.py": ("x",)}, {"a.py": ("", "", "", "four")}]
    assert together(parts) == {"a.py": ("one", "two", "", "four"), "b.py": ("x",)}


@pytest.mark.parametrize("code", [[], {"a.py": 1}, {"a.py": {"x": "y"}}, {"a.py": {"1": 2}}, {"a.py": {"9999999": ""}}])
def test_code_that_is_none(code: object) -> None:
    Path("a.json").write_text(json.dumps({**json.loads(jsonv1.render(sample.report(ONE))), "code": code}))
    result = CliRunner().invoke(command, ["merge", "a.json"])
    assert result.exit_code == 2
    assert "a.json: this is no report" in result.stderr


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_does_without_the_code(form: str) -> None:
    report = json.loads(jsonv1.render(sample.report(ONE)))
    Path("a.json").write_text(json.dumps({key: value for key, value in report.items() if key != "code"}))
    result = run("a.json", "--output-format", form, "-o", f"{form}=out")
    assert result.return_value == 1
    assert "FD102" in result.stdout
    assert Path("out").read_text().rstrip("\n") == result.stdout.rstrip("\n")
    assert sample.SOURCE[2] not in result.stdout


class TestStatus:
    def test_nothing_found(self) -> None:
        assert run(written("a.json")).return_value == 0

    def test_findings(self) -> None:
        name = written("a.json", ONE, skipped=(BROKEN,))
        assert run(name).return_value == 1
        assert run(name, "--exit-zero").return_value == 0
        assert run(name, "--exit-zero", "--strict").return_value == 2


class TestMissing:
    """A part that nobody has scanned must not look like one without findings."""

    def run(self, *arguments: str) -> Result:
        for number in (1, 2, 3):
            part = dataclasses.replace(sample.report(), shard=f"{number}/3")
            Path(f"{number}.json").write_text(jsonv1.render(part))
        return run(*arguments, "-q")

    def test_nothing_is(self) -> None:
        result = self.run("1.json", "3.json", "2.json", "--strict")
        assert (result.return_value, result.stderr) == (0, "")

    def test_it_is_said(self) -> None:
        result = self.run("2.json")
        assert result.stderr == "fdlint: there is no report of shard 1/3\nfdlint: there is no report of shard 3/3\n"
        assert result.return_value == 0
        assert self.run("2.json", "--strict").return_value == 2

    def test_of_which_repository(self) -> None:
        result = self.run("a=1.json", "a=2.json", "a=3.json", "b=1.json", "b=3.json")
        assert result.stderr == "fdlint: there is no report of shard 2/3 of b\n"

    def test_no_shard(self) -> None:
        Path("bad.json").write_text(jsonv1.render(dataclasses.replace(sample.report(), shard="4/3")))
        result = CliRunner().invoke(command, ["merge", "bad.json"])
        assert result.exit_code == 2
        assert "bad.json: `shard`: there is no shard 4 of 3" in result.stderr


REPORT = json.loads(jsonv1.render(sample.report(ONE, skipped=(BROKEN,))))


def changed(*place: str | int, value: Any) -> str:
    """The report with one thing in it replaced."""
    document = copy.deepcopy(REPORT)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return json.dumps(document)


class TestNoReport:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "Input data was truncated"),
            ("[" * 200_000, "Expected `object`, got `array`"),
            ("\xff", "JSON is malformed"),
            ("[]", "Expected `object`, got `array`"),
            ('{"version": 1, "root": "", "findings": []}', "missing required field `skipped`"),
            (changed("version", value=2), "Invalid enum value 2 - at `$.version`"),
            (changed("findings", value={}), "Expected `array`, got `object` - at `$.findings`"),
            (
                changed("findings", 0, "severity", value="fatal"),
                "Invalid enum value 'fatal' - at `$.findings[0].severity`",
            ),
            (changed("findings", 0, "language", value="c"), "at `$.findings[0].language`"),
            (changed("findings", 0, "line", value="4"), "Expected `int`, got `str` - at `$.findings[0].line`"),
            (changed("findings", 0, "column", value=0), "Expected `int` >= 1 - at `$.findings[0].column`"),
            (changed("findings", 0, "api", value=3), "Expected `str | null`, got `int` - at `$.findings[0].api`"),
            (changed("findings", 0, "trace", 0, "event", value="lost"), "Invalid enum value 'lost'"),
            (changed("skipped", 0, "reason", value=None), "Expected `str`, got `null` - at `$.skipped[0].reason`"),
            (changed("summary", value=[]), "Expected `object`, got `array` - at `$.summary`"),
            (changed("summary", "files", value=True), "Expected `int`, got `bool` - at `$.summary.files`"),
            (changed("summary", "seconds", value=None), "Expected `float`, got `null` - at `$.summary.seconds`"),
        ],
    )
    def test_it_is_named_and_said_why(self, text: str, why: str) -> None:
        Path("bad.json").write_text(text, encoding="latin-1")
        result = CliRunner().invoke(command, ["merge", written("good.json", ONE), "bad.json"])
        assert result.exit_code == 2
        assert "bad.json: this is no report of `fdlint scan --output-format json`: " in result.stderr
        assert why in result.stderr
        assert result.stdout == ""

    @pytest.mark.parametrize(
        ("argument", "why"),
        [
            ("nowhere.json", "nowhere.json: cannot be read: No such file or directory"),
            ("empty", "empty: there is no report (*.json) in this directory"),
            ("=a.json", "say NAME=REPORT"),
            ("a=", "say NAME=REPORT"),
        ],
    )
    def test_there_is_none(self, argument: str, why: str) -> None:
        Path("empty").mkdir()
        result = CliRunner().invoke(command, ["merge", argument])
        assert result.exit_code == 2
        assert why in " ".join(result.stderr.split())
