"""``--compare``: what is new, fixed and unchanged since an older report, and what nobody can tell."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
import sample
from click.testing import CliRunner, Result

from fdlint.cli import command
from fdlint.core.finding import Finding
from fdlint.report import jsonv1
from fdlint.report.findings.finding import Report, Skipped, Trend, Withheld
from fdlint.report.findings.trend import compare
from fdlint.report.summary import trend as in_words

LEAK = "import os\n\n\ndef {}(path):\n    fd = os.open(path, os.O_RDONLY)\n    print(path)\n"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def scan(*arguments: str) -> Result:
    result = run("scan", "--no-cache", *arguments)
    assert result.exception is None, result.exception
    return result


def put(name: str, *functions: str, before: str = "") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(before + "".join(LEAK.format(one) for one in functions))


def told(result: Result) -> list[str]:
    """The lines about the trend."""
    return [line for line in result.stdout.split("\n") if line.startswith(("new  ", "fixed", "Compared"))]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def one(fingerprint: str, path: str = "a.py", line: int = 1) -> Finding:
    return sample.finding(fingerprint=fingerprint, span=sample.span(line, 1, 2, path))


def compared(newer: Report, *older: Finding) -> Trend:
    return compare(newer, sample.report(*older), "old.json", lambda _: False)


class TestComparing:
    def test_findings_are_told_by_fingerprint(self) -> None:
        found = compared(sample.report(one("x", line=9), one("y"), one("w")), one("x"), one("z", "b.py"))
        assert [each.fingerprint for each in found.unchanged] == ["x"]
        assert [each.fingerprint for each in found.new] == ["y", "w"]
        assert [(each.fingerprint, each.span.path) for each in found.fixed] == [("z", "b.py")]

    def test_the_path_is_part_of_the_fingerprint(self) -> None:
        put("a.py", "f")
        scan("--output-format", "json", "-o", "old.json", "--exit-zero")
        Path("a.py").rename("b.py")
        assert told(scan("--compare", "old.json"))[-1].endswith("1 new, 1 fixed, 0 unchanged")

    def test_each_stands_for_one(self) -> None:
        twice = compared(sample.report(one("x"), one("x", line=2)), one("x"))
        assert (len(twice.new), len(twice.unchanged), len(twice.fixed)) == (1, 1, 0)
        once = compared(sample.report(one("x")), one("x"), one("x", line=2))
        assert (len(once.new), len(once.unchanged), len(once.fixed)) == (0, 1, 1)

    def test_what_is_withheld_is_not_fixed(self) -> None:
        found = compared(replace(sample.report(), withheld=(Withheld(one("x"), "comments"),)), one("x"), one("x"))
        assert (len(found.silenced), len(found.fixed)) == (1, 1)

    @pytest.mark.parametrize("skipped", ["d/a.py", "d", "."])
    def test_what_was_skipped_is_not_fixed(self, skipped: str) -> None:
        found = compared(sample.report(skipped=(Skipped(skipped, "too large"),)), one("x", "d/a.py"))
        assert (len(found.unknown), len(found.fixed)) == (1, 0)

    def test_only_what_was_skipped(self) -> None:
        found = compared(sample.report(skipped=(Skipped("d/a.py", "too large"),)), one("x", "d/a.pyx"), one("y", "e"))
        assert (len(found.unknown), len(found.fixed)) == (0, 2)

    def test_in_words(self) -> None:
        trend = Trend("a\x1b.json", (one("x"),), (), (one("y"),) * 1200)
        assert in_words(trend) == r"Compared with a\x1b.json: 1 new, 0 fixed, 1,200 unchanged"
        more = replace(trend, silenced=(one("z"),), unknown=(one("z"),) * 2)
        assert in_words(more).endswith(", 1 now silenced, 2 in files that were not analysed now")


class TestScanning:
    def older(self, *paths: str) -> None:
        scan(*(paths or (".",)), "--exit-zero", "-q", "-o", "json=../old.json")

    def test_a_name_that_is_no_text_is_the_same_file(self) -> None:
        put("a\udcff.py", "f")
        scan("--output-format", "json", "-o", "old.json", "--exit-zero")
        assert told(scan("--compare", "old.json"))[-1].endswith("0 new, 0 fixed, 1 unchanged")

    def test_new_fixed_and_unchanged(self) -> None:
        put("a.py", "stays", "goes")
        self.older()
        put("a.py", "stays", "comes", before="# moved\n\n")
        result = scan(".", "--compare", "../old.json")
        assert result.return_value == 1
        new, fixed, line = told(result)
        assert new.startswith("new   a.py:13: FD101 ")
        assert fixed.startswith("fixed a.py:11: FD101 ")
        assert line == "Compared with ../old.json: 1 new, 1 fixed, 1 unchanged"

    def test_all_is_fixed(self) -> None:
        put("a.py", "goes")
        self.older()
        put("a.py")
        result = scan(".", "--compare", "../old.json")
        assert result.return_value == 0
        assert told(result)[-1] == "Compared with ../old.json: 0 new, 1 fixed, 0 unchanged"

    def test_a_renamed_file_is_fixed_and_new(self) -> None:
        put("a.py", "leaks")
        self.older()
        os.rename("a.py", "b.py")
        assert told(scan("--compare", "../old.json"))[-1].endswith("1 new, 1 fixed, 0 unchanged")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("b.py",), "1 unchanged, 1 in files that were not analysed now"),
            (("--exclude", "a.py"), "1 unchanged, 1 in files that were not analysed now"),
            (("--ignore", "FD101"), "0 unchanged, 2 now silenced"),
            (("--select", "FD2"), "0 unchanged, 2 now silenced"),
        ],
    )
    def test_what_is_not_asked_for_is_not_fixed(self, arguments: tuple[str, ...], said: str) -> None:
        put("a.py", "leaks")
        put("b.py", "leaks")
        self.older()
        assert told(scan(*arguments, "--compare", "../old.json"))[-1].endswith(f": 0 new, 0 fixed, {said}")

    def test_what_a_shard_leaves_to_others_is_not_fixed(self) -> None:
        for number in range(6):
            put(f"{number}.py", "leaks")
        self.older()
        (line,) = told(scan("--compare", "../old.json", "--shard", "1/2"))
        assert ": 0 new, 0 fixed, " in line
        assert line.endswith(" in files that were not analysed now")

    def test_what_cannot_be_parsed_any_more_is_not_fixed(self) -> None:
        put("a.py", "leaks")
        self.older()
        put("a.py", "leaks", before="\0\n")
        (line,) = told(scan("--compare", "../old.json"))
        assert line.endswith(": 0 new, 0 fixed, 0 unchanged, 1 in files that were not analysed now")

    def test_what_a_comment_or_a_baseline_silences_is_not_fixed(self) -> None:
        put("a.py", "commented")
        put("b.py", "accepted")
        self.older()
        Path("a.py").write_text(Path("a.py").read_text().replace("O_RDONLY)", "O_RDONLY)  # fdlint: ignore[FD101] x"))
        assert run("baseline", "create", "b.py").exception is None
        (line,) = told(scan("--compare", "../old.json", "--baseline", "fdlint-baseline.json"))
        assert line.endswith(": 0 new, 0 fixed, 0 unchanged, 2 now silenced")

    @pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
    def test_what_is_in_an_unchanged_function_is_not_fixed(self) -> None:
        put("a.py", "leaks")
        self.older()
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        identity = "-c user.name=Nobody -c user.email=nobody@example.invalid -c commit.gpgsign=false"
        for words in ("init -q", "add .", f"{identity} commit -q -m first"):
            subprocess.run(["git", *words.split()], check=True, env=environment)
        put("a.py", "leaks", "comes")
        *_, line = told(scan("--compare", "../old.json", "--changed-since", "HEAD"))
        assert line == "Compared with ../old.json: 1 new, 0 fixed, 0 unchanged, 1 now silenced"

    def test_html_lists_what_is_silenced_and_by_what(self) -> None:
        put("a.py", "commented")
        Path("a.py").write_text(Path("a.py").read_text().replace("O_RDONLY)", "O_RDONLY)  # fdlint: ignore[FD101] x"))
        put("b.py", "accepted")
        put("c.py", "ignored")
        Path("d.py").write_text("import os\nos.open('x', 0)\n")
        Path("fdlint.toml").write_text('[per-file-ignores]\n"c.py" = ["FD101"]\n')
        assert run("baseline", "create", "b.py").exception is None
        scan("--baseline", "fdlint-baseline.json", "--ignore", "FD107", "-q", "-o", "html=../out.html")
        page = Path("../out.html").read_text()
        for by in ("comments", "baseline", "per-file-ignores", "the command line"):
            assert f"<summary>Found, and silenced by {by}: 1</summary>" in page

    def test_html_marks_what_is_new(self) -> None:
        put("a.py", "stays")
        self.older()
        put("a.py", "stays", "comes")
        scan("--compare", "../old.json", "-q", "-o", "html=../out.html")
        page = Path("../out.html").read_text()
        assert "<strong>1 new</strong>" in page
        assert re.findall('"state":"([a-z]+)"', page) == ["unchanged", "new"]

    def test_only_new_findings_fail(self) -> None:
        put("a.py", "stays")
        self.older()
        put("a.py", "stays")
        assert scan("--compare", "../old.json").return_value == 1
        assert scan("--compare", "../old.json", "--fail-on", "new").return_value == 0
        put("a.py", "stays", "comes")
        assert scan("--compare", "../old.json", "--fail-on", "new").return_value == 1
        assert scan("--compare", "../old.json", "--fail-on", "new", "-q", "--ignore", "FD101").return_value == 0

    @pytest.mark.parametrize(("functions", "status"), [(["stays"], 0), (["stays", "comes"], 1)])
    def test_only_new_findings_fail_a_preview(self, functions: list[str], status: int) -> None:
        put("a.py", "stays")
        self.older()
        put("a.py", *functions)
        options = ["--diff", "--unsafe-fixes", "--fail-on", "new"]
        result = scan("--compare", "../old.json", *options)
        assert (result.return_value, "+++" in result.stdout) == (status, True)

    @pytest.mark.parametrize("command", ["scan", "merge"])
    def test_new_is_nothing_without_an_older_report(self, command: str) -> None:
        Path("a.json").write_text(jsonv1.render(sample.report()))
        refused = run(command, "a.json", "--fail-on", "new").exception
        assert isinstance(refused, click.UsageError)
        assert refused.message == "--fail-on new needs an older report: --compare OLD.json"

    def test_many_are_cut(self) -> None:
        self.older()
        put("a.py", *(f"f{number}" for number in range(60)))
        lines = told(scan("--compare", "../old.json"))
        assert len(lines) == 52
        assert lines[50] == "new   10 more; -o html=FILE lists them all"


class TestMerging:
    def written(self, name: str, report: Report) -> str:
        Path(name).write_text(jsonv1.render(report))
        return name

    def compared(self, *arguments: str) -> str:
        result = run("merge", "--compare", "old.json", *arguments)
        assert result.exception is None, result.exception
        return told(result)[-1]

    def test_with_names(self) -> None:
        api = self.written("api.json", sample.report(one("x"), one("y")))
        web = self.written("web.json", sample.report(one("x")))
        assert run("merge", f"api={api}", f"web={web}", "-o", "json=old.json", "-q").return_value == 1
        self.written("web.json", sample.report(one("z")))
        assert self.compared(f"api={api}", f"web={web}") == "Compared with old.json: 1 new, 1 fixed, 2 unchanged"

    def test_what_a_missing_shard_has_is_not_fixed(self) -> None:
        paths = [f"{number}.py" for number in range(40)]
        self.written("old.json", sample.report(*(one("x", path) for path in paths)))
        part = replace(sample.report(), shard="1/2")
        first = self.compared(self.written("1.json", part))
        assert first.endswith(" in files that were not analysed now")
        second = self.written("2.json", replace(part, shard="2/2"))
        assert self.compared("1.json", second) == "Compared with old.json: 0 new, 40 fixed, 0 unchanged"


REPORT = json.loads(jsonv1.render(sample.report(one("x"))))


@pytest.mark.parametrize("program", ["scan", "merge"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "cannot be read"),
        ("", "Input data was truncated"),
        ("[" * 100_000, "Expected `object`, got `array`"),
        ("[]", "Expected `object`, got `array`"),
        (json.dumps({**REPORT, "findings": [{}]}), "missing required field `code` - at `$.findings[0]`"),
        (json.dumps({**REPORT, "summary": {**REPORT["summary"], "seconds": -1}}), "`$.summary.seconds`"),
        (
            json.dumps({**REPORT, "summary": {**REPORT["summary"], "scans": [{"paths": "x"}]}}),
            "`$.summary.scans[0].paths`",
        ),
        (json.dumps({**REPORT, "summary": {**REPORT["summary"], "scans": [{"revisions": [1]}]}}), "[0].revisions[0]`"),
        (
            json.dumps({**REPORT, "summary": {**REPORT["summary"], "scans": [{"versions": {"a": 1}}]}}),
            "[0].versions[...]`",
        ),
    ],
)
def test_an_older_report_that_is_none(program: str, text: str | None, why: str) -> None:
    put("a.py", "leaks")
    Path("new.json").write_text(jsonv1.render(sample.report()))
    if text is not None:
        Path("old.json").write_text(text)
    arguments = [program, "a.py" if program == "scan" else "new.json", "--compare", "old.json", "-o", "html=out.html"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert "old.json: " in result.stderr
    assert why in result.stderr
    assert result.stdout == ""
    assert not Path("out.html").exists()


def test_a_pipe_is_no_older_report() -> None:
    os.mkfifo("old.json")
    result = CliRunner().invoke(command, ["scan", "--compare", "old.json"])
    assert (result.exit_code, "not a regular file" in result.stderr) == (2, True)


def test_what_an_older_report_says_is_text() -> None:
    nasty = "\x1b[31m</script><img src=x onerror=alert(1)>\u202e\n::error::x"
    raw: dict[str, Any] = json.loads(json.dumps(REPORT))
    finding = raw["findings"][0]
    finding.update(code=nasty, name=nasty, path=nasty, message=nasty, function=nasty, fingerprint=nasty)
    raw["summary"]["scans"] = [{"directory": nasty, "started": nasty, "name": nasty}]
    Path("old.json").write_text(json.dumps(raw))
    result = scan("--compare", "old.json", "-o", "html=out.html")
    assert told(result)[-1].endswith(": 0 new, 1 fixed, 0 unchanged")
    assert not {"\x1b", "\u202e"} & {*result.stdout}
    assert "\n::error" not in result.stdout
    page = Path("out.html").read_text()
    assert "<img" not in page
    assert not {"\x1b", "\u202e"} & {*page}
