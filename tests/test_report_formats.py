"""The forms for other programs: each is read back by what reads it."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest
import sample
from click.testing import CliRunner

from fdlint.cli import command
from fdlint.cli.formats import FORMATS, rulebook, shows_skipped
from fdlint.core.finding import Assumption, AssumptionKind, Event, EventKind, Severity
from fdlint.report import concise, github, gitlab, jsonv1, junit, markdown, sarif
from fdlint.report.findings.finding import Report, Skipped, Trend
from fdlint.report.reading import read
from fdlint.report.rulebook import Entry

RULES = {"FD102": Entry("FD102", "not-closed-on-path", Severity.ERROR, "Finds it", "# FD102\n")}
NASTY = "50 % of `x`,\r\nof y: \x1b[31m\ud800 ]]> & <b>"


@pytest.fixture
def report() -> Report:
    return sample.report(sample.finding(), skipped=(Skipped("bad file.py", "cannot be parsed"),))


def test_concise(report: Report) -> None:
    assert concise.render(report, RULES) == "pkg/mod.py:4:7: FD102 `fd` from os.open() is not closed on every path"
    assert concise.render(sample.report(), RULES) == ""


ASSUMED = Assumption(AssumptionKind.CONDITION, "takes it that `not path` can hold", sample.span(5, 2, 14))


class TestGithub:
    def test_annotations(self, report: Report) -> None:
        error, notice = github.render(report, RULES).splitlines()
        head, _, message = error.removeprefix("::").partition("::")
        assert head == "error file=pkg/mod.py,line=4,endLine=4,col=7,endColumn=33,title=FD102 not-closed-on-path"
        assert message.split("%0A")[1:] == [
            "pkg/mod.py:4: `fd` is opened here",
            "pkg/mod.py:5: taken when `not path`",
            "pkg/mod.py:6: returns with `fd` open",
            "medium impact: its callers are outside this project",
        ]
        assert notice == "::notice file=bad file.py,title=fdlint::cannot be parsed"

    def test_a_step_names_its_file(self) -> None:
        elsewhere = Event(EventKind.ACQUIRED, sample.span(38, 1, 2, "pkg/temporary.py"), "`fd` is opened here")
        (line,) = github.render(sample.report(sample.finding(trace=(elsewhere,))), RULES).splitlines()
        assert line.endswith(
            "%0Apkg/temporary.py:38: `fd` is opened here%0Amedium impact: its callers are outside this project"
        )

    def test_what_is_assumed(self) -> None:
        (line,) = github.render(sample.report(sample.finding(trace=(), assumptions=(ASSUMED,))), RULES).splitlines()
        assert "%0Apkg/mod.py:5: takes it that `not path` can hold%0Amedium impact" in line

    def test_escapes(self) -> None:
        span = sample.span(4, 7, 33, "a:b,c.py")
        (line,) = github.render(sample.report(sample.finding(message=NASTY, span=span, trace=())), RULES).splitlines()
        assert "file=a%3Ab%2Cc.py," in line
        assert r"::50 %25 of `x`,\r\nof y: \x1b[31m\ud800" in line


def test_gitlab(report: Report) -> None:
    (entry,) = json.loads(gitlab.render(report, RULES))
    assert entry["severity"] == "major"
    assert entry["check_name"] == "FD102"
    assert entry["fingerprint"] == "0123456789abcdef"
    assert entry["location"]["path"] == "pkg/mod.py"
    assert entry["location"]["positions"]["begin"] == {"line": 4, "column": 7}
    assert json.loads(gitlab.render(sample.report(), RULES)) == []


class TestJunit:
    def test_a_finding_is_a_failure_and_what_was_skipped_an_error(self, report: Report) -> None:
        root = xml.fromstring(junit.render(report, RULES))
        assert [(one.get("name"), one.get("failures"), one.get("errors")) for one in root] == [
            ("pkg/mod.py", "1", "0"),
            ("bad file.py", "0", "1"),
        ]
        failure = root.find("*/*/failure")
        assert failure is not None
        assert (failure.text or "").endswith("medium impact: its callers are outside this project")

    def test_nothing_found_is_a_test_that_passed(self) -> None:
        root = xml.fromstring(junit.render(sample.report(), RULES))
        assert [(case.get("name"), len(case)) for case in root.iter("testcase")] == [("no findings", 0)]

    def test_anything_can_be_said(self) -> None:
        failure = xml.fromstring(junit.render(sample.report(sample.finding(message=NASTY)), RULES)).find("*/*/failure")
        assert failure is not None
        assert "]]> & <b>" in (failure.get("message") or "")


class TestSarif:
    def test_a_result(self, report: Report) -> None:
        log = json.loads(sarif.render(report, RULES))
        assert log["version"] == "2.1.0"
        (run,) = log["runs"]
        (result,) = run["results"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "FD102"
        assert result["level"] == "error"
        assert result["partialFingerprints"] == {"fdlint/v1": "0123456789abcdef"}
        (place,) = result["locations"]
        assert place["logicalLocations"] == [{"fullyQualifiedName": "copy", "kind": "function"}]
        assert place["physicalLocation"]["artifactLocation"] == {"uri": "pkg/mod.py", "uriBaseId": "SRCROOT"}
        assert place["physicalLocation"]["region"]["startColumn"] == 7
        assert place["physicalLocation"]["region"]["snippet"] == {"text": sample.SOURCE[3]}

    def test_what_is_assumed(self) -> None:
        log = json.loads(sarif.render(sample.report(sample.finding(assumptions=(ASSUMED,))), RULES))
        (place,) = log["runs"][0]["results"][0]["relatedLocations"]
        assert place["message"] == {"text": "takes it that `not path` can hold"}
        assert place["physicalLocation"]["region"]["startLine"] == 5
        assert place["properties"] == {"assumption": "condition-not-understood"}

    def test_what_code_scanning_wants_to_know_of_rules(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fdlint.links.HOME", "https://code.example/someone/fdlint")
        (run,) = json.loads(sarif.render(sample.report(), rulebook()))["runs"]
        driver = run["tool"]["driver"]
        assert driver["informationUri"] == "https://code.example/someone/fdlint"
        taxa = run["taxonomies"][0]["taxa"]
        for rule in driver["rules"]:
            assert rule["helpUri"].endswith(f"/{rule['id']}.md")
            assert rule["shortDescription"]["text"].endswith(".")
            assert rule["shortDescription"]["text"] != rule["fullDescription"]["text"]
            assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
            assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
            for relation in rule.get("relationships", ()):
                target = relation["target"]
                assert taxa[target["index"]]["id"] == target["id"]
                assert f"external/cwe/cwe-{target['id']}" in rule["properties"]["tags"]
        related = {rule["id"] for rule in driver["rules"] if "relationships" in rule}
        assert {rule["id"] for rule in driver["rules"]} - related == {"FD900"}

    def test_nothing_links_anywhere_without_a_home(self) -> None:
        text = sarif.render(sample.report(), rulebook())
        assert "OWNER" not in text

    def test_shards_do_not_replace_each_other(self) -> None:
        report = sample.report()
        ids = [
            json.loads(sarif.render(one, {}))["runs"][0]["automationDetails"]["id"]
            for one in (report, dataclasses.replace(report, shard="1/4"), dataclasses.replace(report, shard="2/4"))
        ]
        assert ids == ["fdlint/", "fdlint/1 of 4/", "fdlint/2 of 4/"]

    @pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
    def test_the_revision_that_was_scanned(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
        origin = "https://name:secret@example.org/a"
        steps = (["init", "-qb", "main"], ["remote", "add", "origin", origin], ["commit", "-qm", "a", "--allow-empty"])
        for arguments in steps:
            subprocess.run([*git, *arguments], check=True)
        revision = subprocess.run(
            ["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        ).stdout.strip()
        result = CliRunner().invoke(command, ["scan", "--no-cache", "--output-format", "sarif"])
        (run,) = json.loads(result.stdout)["runs"]
        assert run["versionControlProvenance"] == [
            {
                "repositoryUri": "https://example.org/a",
                "revisionId": revision,
                "branch": "main",
                "mappedTo": {"uriBaseId": "SRCROOT"},
            }
        ]
        assert "secret" not in result.stdout

    def test_the_trace_is_the_code_flow(self, report: Report) -> None:
        (result,) = json.loads(sarif.render(report, RULES))["runs"][0]["results"]
        steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
        assert [step["executionOrder"] for step in steps] == [1, 2, 3]
        assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [4, 5, 6]
        assert steps[0]["kinds"] == ["acquire", "resource"]

    def test_what_was_skipped_is_a_notification(self, report: Report) -> None:
        (invocation,) = json.loads(sarif.render(report, RULES))["runs"][0]["invocations"]
        (said,) = invocation["toolExecutionNotifications"]
        assert said["message"]["text"] == "cannot be parsed"
        assert said["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad%20file.py"

    def test_anything_can_be_said(self) -> None:
        found = sample.finding(message=NASTY, span=sample.span(4, 7, 33, "a \udcff.py"), function=None, trace=())
        (result,) = json.loads(sarif.render(sample.report(found), RULES).encode())["runs"][0]["results"]
        assert "codeFlows" not in result
        assert "logicalLocations" not in result["locations"][0]


class TestOutputs:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        file = tmp_path / "a.py"
        file.write_text("import os\nos.dup(0)\n")
        return file

    def test_several_in_one_run(self, file: Path, tmp_path: Path) -> None:
        outputs = [f"--output={form}={tmp_path / form}" for form in FORMATS]
        result = CliRunner().invoke(command, ["scan", str(file), "--isolated", "-q", *outputs])
        assert "FD107" in result.output
        for form in FORMATS:
            assert "FD107" in (tmp_path / form).read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("value", "answer"), [("yaml=x", "no format 'yaml'"), ("json", "json=FILE"), ("json=", "json=FILE")]
    )
    def test_what_is_not_understood(self, file: Path, value: str, answer: str) -> None:
        result = CliRunner().invoke(command, ["scan", str(file), "--output", value])
        assert result.exit_code == 2
        assert answer in result.output

    @pytest.mark.parametrize(
        ("place", "answer"),
        [("", "Is a directory"), ("nowhere/x.json", "there is no directory"), ("a.py/x.json", "there is no directory")],
    )
    def test_a_file_that_cannot_be_written_is_noticed_before_the_scan(
        self, file: Path, monkeypatch: pytest.MonkeyPatch, place: str, answer: str
    ) -> None:
        monkeypatch.setattr("fdlint.cli.scan.scan_paths", lambda *_, **__: pytest.fail("it was scanned"))
        result = CliRunner().invoke(command, ["scan", str(file), "--output", f"json={file.parent / place}"])
        assert result.exit_code == 2
        assert f"cannot be written: {answer}" in result.output


class TestCompared:
    """``--compare``: each format tells the state of each finding, or standard error the numbers."""

    @pytest.fixture
    def report(self) -> Report:
        places = [("new", 4), ("unchanged", 5), ("gone", 6)]
        new, unchanged, gone = (sample.finding(fingerprint=name, span=sample.span(line, 1, 2)) for name, line in places)
        trend = Trend("old.json", (new,), (gone,), (unchanged,))
        return dataclasses.replace(sample.report(new, unchanged), trend=trend)

    def test_json(self, report: Report) -> None:
        document = json.loads(jsonv1.render(report))
        assert [one["state"] for one in document["findings"]] == ["new", "unchanged"]
        assert [one["fingerprint"] for one in document["gone"]] == ["gone"]
        numbers = {"new": 1, "unchanged": 1, "gone": 1, "silenced": 0, "unknown": 0}
        assert document["summary"]["compared"] == {"with": "old.json", **numbers}
        assert read(json.dumps(document).encode()).findings == read(jsonv1.render(alone(report)).encode()).findings

    def test_json_without(self, report: Report) -> None:
        document = json.loads(jsonv1.render(alone(report)))
        assert "gone" not in document
        assert "compared" not in document["summary"]
        assert not any("state" in one for one in document["findings"])

    def test_sarif(self, report: Report) -> None:
        (run,) = json.loads(sarif.render(report, RULES))["runs"]
        states = {one["partialFingerprints"]["fdlint/v1"]: one["baselineState"] for one in run["results"]}
        assert states == {"new": "new", "unchanged": "unchanged", "gone": "absent"}
        assert run["properties"]["compared"]["gone"] == 1
        assert "baselineState" not in sarif.render(alone(report), RULES)

    def test_github(self, report: Report) -> None:
        lines = github.render(report, RULES).splitlines()
        assert [line.partition("::")[2].partition("title=")[2].partition("::")[0] for line in lines] == [
            "FD102 not-closed-on-path (new)",
            "FD102 not-closed-on-path (unchanged)",
            "fdlint",
        ]
        assert lines[2] == "::notice title=fdlint::Compared with old.json: 1 new, 1 fixed, 1 unchanged"

    def test_concise(self, report: Report) -> None:
        lines = concise.render(report, RULES).splitlines()
        assert [line.partition(" `")[0] for line in lines] == [
            "pkg/mod.py:4:1: FD102 [new]",
            "pkg/mod.py:5:1: FD102 [unchanged]",
        ]

    def test_markdown(self, report: Report) -> None:
        rows = [line for line in markdown.render(report, RULES).splitlines() if line.startswith("|")]
        assert [row.split(" | ")[0] for row in rows] == [
            "| State",
            "|---|---|---|---|---|",
            "| new",
            "| unchanged",
            "| Fixed",
            "|---|---|---|---|",
            "| FD102 not-closed-on-path",
        ]

    def test_junit(self, report: Report) -> None:
        root = xml.fromstring(junit.render(report, RULES))
        assert [one.attrib for one in root.iter("property")] == [
            {"name": "state", "value": "new"},
            {"name": "state", "value": "unchanged"},
        ]
        said = root.findtext("*/*/system-out") or ""
        assert said.startswith("Compared with old.json: 1 new, 1 fixed, 1 unchanged\nfixed pkg/mod.py:6: FD102")

    def test_gitlab(self, report: Report) -> None:
        new, unchanged = (one["description"] for one in json.loads(gitlab.render(report, RULES)))
        assert new.endswith("every path (new)")
        assert unchanged.endswith("every path (unchanged)")


def alone(report: Report) -> Report:
    return dataclasses.replace(report, trend=None)


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_tree_silences_is_said(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the report, or on standard error if its format has no place for that."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import os\nos.open('x', 0)  # fdlint: ignore[FD107] reason\n")
    arguments = ["scan", "--no-cache", "--output-format", form]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    elsewhere = not shows_skipped(form)
    words = {"json": '"comments": 1', "sarif": '"comments": 1', "markdown": "1 finding (comments)"}
    said = words.get(form, "Silenced by the tree: 1 finding (comments)")
    assert (said in result.stdout, said in result.stderr) == (not elsewhere, elsewhere)
