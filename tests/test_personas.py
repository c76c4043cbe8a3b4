"""``--persona`` and what refines it: what is shown of what is found, how much is hidden, and on which faces."""

from __future__ import annotations

import argparse
import ast
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import sample

from fdlint import api
from fdlint.cli import main
from fdlint.core.finding import Confidence, Cost, Event, EventKind, Finding, Impact, Severity
from fdlint.editor import protocol
from fdlint.flake8 import Plugin
from fdlint.report import gitlab, jsonv1, markdown, sarif, text
from fdlint.report.findings.finding import FileResult
from fdlint.report.findings.hidden import Hidden
from fdlint.report.findings.merging import merged
from fdlint.report.findings.persona import Hiding, Levels, Persona
from fdlint.report.findings.tests import USUAL_TEST_FILES, Tests, in_tests
from fdlint.report.reading import read
from fdlint.report.summary import hidden, summary
from fdlint.scan import selection
from fdlint.scan.config import Config
from fdlint.scan.levels import hiding, narrowed
from fdlint.scan.live import Live

CODE = """\
import os


def certain(path):
    fd = os.open(path, os.O_RDONLY)
    os.read(fd, 1)


def assumed(path, other):
    fd = os.open(path, os.O_RDONLY)
    other.work()
    os.close(fd)


def doubtful(path, library):
    fd = os.open(path, os.O_RDONLY)
    library.work(fd)


def cheap(path):
    fd = os.open(path, os.O_RDONLY)
    os.read(fd, 1)


def dear(path):
    fd = os.open(path, os.O_RDONLY)
    os.read(fd, 1)


def pedant(path):
    fd = os.open(path, os.O_RDONLY) if path else None
    if fd:
        os.close(fd)
"""
REGULAR = ["assumed", "certain", "dear"]
PEDANTIC = ["assumed", "certain", "cheap", "dear", "pedant"]
AUDITOR = ["assumed", "certain", "cheap", "dear", "doubtful", "pedant"]
IN_TESTS = {"regular": ["certain", "dear"], "pedantic": ["certain", "cheap", "dear", "pedant"], "auditor": AUDITOR}
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose function ``cheap`` has low impact, and ``dear`` high impact. Without the others' FD101."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "tests" / "b.py").write_text(CODE)
    marked, costs = selection._in_tests, {"cheap": Cost.LOW, "dear": Cost.HIGH}

    def rated(result: FileResult, config: Config) -> FileResult:
        found = marked(result, config)
        cost = (Impact(costs.get(str(one.function), Cost.MEDIUM), "so it is said") for one in found.findings)
        return replace(found, findings=tuple(map(_with_impact, found.findings, cost)))

    monkeypatch.setattr(selection, "_in_tests", rated)
    return tmp_path


def _with_impact(finding: Finding, impact: Impact) -> Finding:
    return replace(finding, impact=impact)


def scan(capsys: Captured, *arguments: str, status: int = 1) -> dict[str, list[str]]:
    """The functions with a finding, by path."""
    assert main(["scan", "--output-format", "json", "-q", "--no-cache", *arguments]) == status
    found: dict[str, list[str]] = {}
    for one in json.loads(capsys.readouterr().out)["findings"]:
        assert one["in_tests"] is one["path"].startswith("tests/")
        found.setdefault(one["path"], []).append(one["function"])
    return {path: sorted(names) for path, names in found.items()}


def document(capsys: Captured, *arguments: str) -> dict[str, Any]:
    main(["scan", "--output-format", "json", "-q", "--no-cache", *arguments])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


CONFIDENCES = {"regular": ("high", "medium"), "pedantic": ("high", "medium"), "auditor": ("high", "medium", "low")}
COSTS = {"regular": ("high", "medium"), "pedantic": ("high", "medium", "low"), "auditor": ("high", "medium", "low")}


@pytest.mark.parametrize("persona", Persona)
@pytest.mark.parametrize(("confidence", "cost"), itertools.product(Confidence, Cost))
def test_the_table(persona: Persona, confidence: Confidence, cost: Cost) -> None:
    finding = sample.finding(confidence=confidence, impact=Impact(cost, "so it is said"))
    shown = confidence.value in CONFIDENCES[persona.value] and cost.value in COSTS[persona.value]
    for severity in Severity:
        assert (hiding(Levels(persona), finding, severity) is None) is shown
    pedantic = replace(finding, code="FD205")
    assert (hiding(Levels(persona), pedantic, Severity.WARNING) is None) is (shown and persona is not Persona.REGULAR)
    late = replace(finding, code="FD103", in_tests=True)
    assert (hiding(Levels(persona), late, Severity.WARNING) is None) is (shown and persona is Persona.AUDITOR)
    leak = replace(finding, in_tests=True)
    assert (hiding(Levels(persona), leak, Severity.WARNING) is None) is shown


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (Levels(min_confidence=Confidence.HIGH), Hiding.MEDIUM_CONFIDENCE),
        (Levels(min_impact=Cost.HIGH), Hiding.MEDIUM_IMPACT),
        (Levels(min_severity=Severity.ERROR), Hiding.WARNING),
        (Levels(tests=Tests.NONE), Hiding.TEST),
        (Levels(Persona.AUDITOR, tests=Tests.LEAKS), None),
    ],
)
def test_a_refinement_alone(levels: Levels, expected: Hiding | None) -> None:
    finding = sample.finding(confidence=Confidence.MEDIUM, in_tests=True)
    assert hiding(levels, finding, Severity.WARNING) is expected


@pytest.mark.parametrize(
    ("arguments", "here", "there"),
    [
        ([], REGULAR, IN_TESTS["regular"]),
        (["--persona", "regular"], REGULAR, IN_TESTS["regular"]),
        (["--persona", "pedantic"], PEDANTIC, IN_TESTS["pedantic"]),
        (["--persona", "auditor"], AUDITOR, AUDITOR),
        (["--persona", "pedantic", "--min-impact", "medium"], ["assumed", "certain", "dear", "pedant"], None),
        (["--persona", "auditor", "--min-confidence", "high"], ["certain", "cheap", "dear"], None),
        (["--persona", "auditor", "--tests", "none"], AUDITOR, []),
        (["--persona", "auditor", "--min-severity", "error"], ["certain", "cheap", "dear", "doubtful"], None),
        (["--min-impact", "high"], ["dear"], ["dear"]),
        (["--min-impact", "low"], ["assumed", "certain", "cheap", "dear"], ["certain", "cheap", "dear"]),
        (["--min-confidence", "high"], ["certain", "dear"], ["certain", "dear"]),
        (["--min-confidence", "low"], ["assumed", "certain", "dear", "doubtful"], ["certain", "dear", "doubtful"]),
        (["--min-severity", "error"], ["certain", "dear"], ["certain", "dear"]),
        (["--tests", "all"], REGULAR, REGULAR),
        (["--tests", "none"], REGULAR, []),
        (["--select", "FD205"], ["pedant"], ["pedant"]),
        (["--select", "truthiness-test"], ["pedant"], ["pedant"]),
        (["--select", "FD205,FD103"], ["assumed", "pedant"], ["pedant"]),
        (["--select", "FD"], REGULAR, IN_TESTS["regular"]),
    ],
)
def test_options(tree: Path, capsys: Captured, arguments: list[str], here: list[str], there: list[str] | None) -> None:
    found = scan(capsys, *arguments)
    assert found["a.py"] == here
    assert there is None or found.get("tests/b.py", []) == there


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("persona = 'pedantic'", [], PEDANTIC),
        ("persona = 'auditor'\nmin-confidence = 'medium'", [], PEDANTIC),
        ("min-confidence = 'high'", [], ["certain", "dear"]),
        ("min-confidence = 'high'", ["--min-confidence", "medium"], REGULAR),
        ("min-confidence = 'high'", ["--min-impact", "high"], ["dear"]),
        ("min-confidence = 'high'\nmin-impact = 'high'", ["--persona", "regular"], REGULAR),
        ("min-confidence = 'high'\nmin-impact = 'high'", ["--persona", "pedantic"], PEDANTIC),
        ("persona = 'pedantic'", ["--min-impact", "high"], ["dear"]),
        ("min-severity = 'error'", [], ["certain", "dear"]),
        ("min-severity = 'error'\nseverity.FD103 = 'error'\nseverity.FD101 = 'warning'", [], ["assumed"]),
        ("select = ['FD205']", [], ["pedant"]),
        ("select = ['FD205', 'FD101']", [], ["certain", "dear", "pedant"]),
    ],
)
def test_configuration(tree: Path, capsys: Captured, text: str, arguments: list[str], expected: list[str]) -> None:
    (tree / "fdlint.toml").write_text(text)
    assert scan(capsys, "a.py", *arguments) == {"a.py": expected}


def test_tests_in_the_configuration(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("tests = 'none'")
    assert scan(capsys) == {"a.py": REGULAR}
    assert scan(capsys, "--tests", "leaks") == {"a.py": REGULAR, "tests/b.py": ["certain", "dear"]}
    (tree / "fdlint.toml").write_text("test-files = ['a.py']\ntests = 'none'")
    assert main(["scan", "--output-format", "json", "-q", "--no-cache"]) == 1
    assert {one["path"] for one in json.loads(capsys.readouterr().out)["findings"]} == {"tests/b.py"}


class TestHidden:
    """The numbers of hidden findings, and the options that show them."""

    @pytest.mark.parametrize(
        ("arguments", "counts", "options"),
        [
            (["a.py"], {"low-confidence": 1, "low-impact": 1, "pedantic-rule": 1}, {"--persona": "auditor"}),
            (
                ["a.py", "--select", "FD101,FD103", "--ignore", "FD103", "--min-confidence", "high"],
                {"low-confidence": 1, "low-impact": 1},
                {"--persona": "pedantic", "--min-confidence": "low"},
            ),
            (["a.py", "--persona", "pedantic"], {"low-confidence": 1}, {"--persona": "auditor"}),
            (["a.py", "--persona", "auditor"], {}, {}),
            (
                ["a.py", "--persona", "auditor", "--min-impact", "high"],
                {"low-impact": 1, "medium-impact": 4},
                {"--min-impact": "low"},
            ),
            (["a.py", "--min-severity", "error", "--select", "FD103"], {"warning": 1}, {"--min-severity": "warning"}),
            (["tests", "--tests", "none", "--select", "FD101", "--persona", "pedantic"], None, {"--tests": "leaks"}),
            (["tests", "--select", "FD103"], {"test": 1}, {"--persona": "auditor"}),
        ],
    )
    def test_counts(
        self,
        tree: Path,
        capsys: Captured,
        arguments: list[str],
        counts: dict[str, int] | None,
        options: dict[str, str],
    ) -> None:
        found = document(capsys, *arguments)["summary"]
        assert counts is None or found["hidden"] == counts
        said = {**options, **({"--persona": "auditor"} if counts is None else {})}
        assert found["show_hidden"] == said
        assert document(capsys, *_with(arguments, said))["summary"]["hidden"] == {}

    def test_the_persona(self, tree: Path, capsys: Captured) -> None:
        assert document(capsys)["summary"]["persona"] == "regular"
        assert document(capsys, "--persona", "pedantic")["summary"]["persona"] == "pedantic"
        (tree / "tests" / "fdlint.toml").write_text("persona = 'auditor'")
        assert document(capsys, "a.py", "tests")["summary"]["persona"] is None
        assert document(capsys, "tests")["summary"]["persona"] == "auditor"

    def test_what_else_hides_a_finding_is_not_counted(self, tree: Path, capsys: Captured) -> None:
        marked = CODE.replace("O_RDONLY)\n    library", "O_RDONLY)  # fdlint: ignore[FD101]\n    library")
        (tree / "a.py").write_text(marked)
        assert document(capsys, "a.py")["summary"]["hidden"] == {"low-impact": 1, "pedantic-rule": 1}
        assert main(["baseline", "create", "a.py", "--persona", "pedantic"]) == 0
        capsys.readouterr()
        found = document(capsys, "a.py", "--baseline", "fdlint-baseline.json")["summary"]
        assert (found["baselined"], found["hidden"]) == (3, {})
        found = document(capsys, "a.py", "--ignore", "FD205")["summary"]
        assert found["hidden"] == {"low-impact": 1}

    def test_the_last_line(self, tree: Path, capsys: Captured) -> None:
        last = "3 findings, 3 hidden: 1 of low confidence, 1 of low impact, 1 of a pedantic rule; --persona auditor"
        main(["scan", "a.py", "--no-cache", "-o", "markdown=a.md", "-o", "html=a.html", "-o", "text=a.txt"])
        assert capsys.readouterr().out.splitlines()[-1] == last
        assert Path("a.txt").read_text().splitlines()[-1] == last
        plain = Path("a.md").read_text().splitlines()[-1].replace("&#58;", ":").replace("&#45;", "-")
        assert plain.replace("&#44;", ",") == last
        assert f'<p id="hidden">{last}</p>' in Path("a.html").read_text()
        main(["scan", "a.py", "--no-cache", "--output-format", "concise"])
        shown = capsys.readouterr()
        assert shown.err.splitlines()[-1] == last
        assert len(shown.out.splitlines()) == 3
        main(["scan", "a.py", "--no-cache", "--output-format", "concise", "--quiet"])
        assert capsys.readouterr().err == ""
        (tree / "a.py").write_text("import os\n\n\ndef cheap(path):\n    fd = os.open(path, 0)\n    print(fd)\n")
        assert main(["scan", "a.py", "--no-cache"]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "0 findings, 1 hidden: 1 of low impact; --persona pedantic"

    def test_many(self) -> None:
        counts = {Hiding.LOW_CONFIDENCE: 2, Hiding.LOW_IMPACT: 1005}
        report = replace(sample.report(sample.finding()), hidden=Hidden(counts, {"--persona": "auditor"}))
        assert hidden(report) == (
            "1 finding, 1,007 hidden: 1,005 of low impact, 2 of low confidence; --persona auditor"
        )
        assert hidden(sample.report()) == ""
        assert jsonv1.render(read(jsonv1.render(report).encode())) == jsonv1.render(report)

    def test_a_change_counts_alone(self, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        import subprocess

        (tree / ".git").rmdir()
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "all"]):
            subprocess.run(["git", *command], cwd=tree, check=True)
        (tree / "a.py").write_text(CODE.replace("def cheap(path):\n", "def cheap(path):\n    print()\n"))
        found = document(capsys, "a.py", "--changed-since", "HEAD")
        assert (found["findings"], found["summary"]["hidden"]) == ([], {"low-impact": 1})

    def test_a_merged_report(self, tree: Path, capsys: Captured) -> None:
        main(["scan", "a.py", "--no-cache", "-q", "-o", "json=a.json", "--persona", "pedantic"])
        main(["scan", "tests", "--no-cache", "-q", "-o", "json=b.json", "--tests", "none"])
        capsys.readouterr()
        main(["merge", "a.json", "b.json", "--output-format", "json", "--min-impact", "medium"])
        found = json.loads(capsys.readouterr().out)
        assert sorted(one["function"] for one in found["findings"]) == ["assumed", "certain", "dear", "pedant"]
        assert found["summary"]["persona"] is None
        assert found["summary"]["hidden"]["low-impact"] == 2
        assert found["summary"]["show_hidden"] == {"--persona": "auditor", "--tests": "all", "--min-impact": "low"}


def _with(arguments: list[str], options: dict[str, str]) -> list[str]:
    """Arguments in which options have other values."""
    found = list(arguments)
    for name, value in options.items():
        if name in found:
            found[found.index(name) + 1] = value
        else:
            found += [name, value]
    return found


def test_a_report_is_narrowed() -> None:
    low = sample.finding(impact=Impact(Cost.LOW, "so it is said"), confidence=Confidence.LOW)
    assert narrowed((low, sample.finding()), Levels()) == ((low, sample.finding()), ())
    shown, screens = narrowed((low, sample.finding()), Levels(min_impact=Cost.MEDIUM))
    assert (shown, [one.hiding for one in screens]) == ((sample.finding(),), [Hiding.LOW_IMPACT])


class TestFaces:
    """One finding of each level, on each face."""

    EXPECTED = ((["--persona", "regular"], REGULAR), (["--persona", "pedantic"], PEDANTIC),
                (["--persona", "auditor"], AUDITOR), (["--min-impact", "high"], ["dear"]),
                (["--min-confidence", "high"], ["certain", "dear"]))  # fmt: skip
    LINES: ClassVar = {5: "certain", 10: "assumed", 16: "doubtful", 21: "cheap", 26: "dear", 32: "pedant"}

    def names(self, lines: list[int]) -> list[str]:
        return sorted(self.LINES[line] for line in lines)

    @pytest.mark.parametrize(("arguments", "expected"), EXPECTED)
    def test_reports(self, tree: Path, capsys: Captured, arguments: list[str], expected: list[str]) -> None:
        files = {form: f"out.{form}" for form in ("concise", "github", "sarif", "html", "gitlab", "junit", "markdown")}
        outputs = [f"-o{form}={file}" for form, file in files.items()]
        assert scan(capsys, "a.py", *outputs, *arguments) == {"a.py": expected}
        written = {form: Path(file).read_text() for form, file in files.items()}
        places = [one["locations"][0]["physicalLocation"] for one in json.loads(written["sarif"])["runs"][0]["results"]]
        assert self.names([one["region"]["startLine"] for one in places]) == expected
        lines = [int(one.split(":")[1]) for one in written["concise"].splitlines()]
        assert self.names(lines) == expected
        lines = [int(one.partition(",line=")[2].partition(",")[0]) for one in written["github"].splitlines()]
        assert self.names(lines) == expected
        lines = [one["location"]["positions"]["begin"]["line"] for one in json.loads(written["gitlab"])]
        assert self.names(lines) == expected
        listed = written["html"].count('<details class="finding"')
        assert listed == written["junit"].count("<failure") == len(expected)
        assert written["markdown"].count("a.py") == len(expected)

    @pytest.mark.parametrize(("arguments", "expected"), EXPECTED)
    def test_flake8(
        self, tree: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: list[str]
    ) -> None:
        parser = argparse.ArgumentParser()

        class Manager:
            def add_option(
                self, name: str, *, parse_from_config: bool, normalize_paths: bool = False, **rest: Any
            ) -> None:
                assert parse_from_config
                parser.add_argument(name, **rest)

        for name in ("_config", "_options"):
            monkeypatch.setattr(Plugin, name, vars(Plugin)[name])
        Plugin.add_options(Manager())
        Plugin.parse_options(parser.parse_args([part.replace("--", "--fdlint-") for part in arguments]))
        found = [line for line, *_ in Plugin(ast.parse(CODE), "a.py", CODE.splitlines(keepends=True)).run()]
        assert self.names(found) == expected

    @pytest.mark.parametrize(("arguments", "expected"), EXPECTED)
    def test_the_server(self, tree: Path, arguments: list[str], expected: list[str]) -> None:
        settings = {"--persona": "persona", "--min-impact": "minImpact", "--min-confidence": "minConfidence"}
        options = protocol._options({settings[arguments[0]]: arguments[1]})
        seen = Live().look(CODE.encode(), tree / "a.py", options=options)
        assert self.names([one.span.line for one in seen.report.findings]) == expected

    @pytest.mark.parametrize(("arguments", "expected"), EXPECTED)
    def test_the_library(self, tree: Path, arguments: list[str], expected: list[str]) -> None:
        words = {arguments[0].removeprefix("--").replace("-", "_"): arguments[1]}
        for found in (api.scan_paths(["a.py"], **words), api.scan_source(CODE, "a.py", **words)):
            assert self.names([one.span.line for one in found.findings]) == expected

    def test_unknown_words(self) -> None:
        with pytest.raises(ValueError, match="certain"):
            api.scan_source(CODE, min_confidence="certain")
        with pytest.raises(ValueError, match="cheap"):
            protocol._options({"minImpact": "cheap"})

    @pytest.mark.parametrize(("arguments", "expected"), EXPECTED)
    def test_a_baseline_has_what_a_scan_shows(
        self, tree: Path, capsys: Captured, arguments: list[str], expected: list[str]
    ) -> None:
        assert main(["baseline", "create", "a.py", "--baseline", "known.json", *arguments]) == 0
        capsys.readouterr()
        entries = json.loads(Path("known.json").read_text())["findings"]
        assert sorted(one["function"] for one in entries) == expected
        assert scan(capsys, "a.py", "--baseline", "known.json", *arguments, status=0) == {}


@pytest.mark.parametrize(
    ("line", "text", "reason"),
    [
        (16, "", "its confidence is low: `--persona auditor` shows it"),
        (21, "", "its impact is low: `--persona pedantic` shows it"),
        (32, "", "its rule is for pedants: `--persona pedantic` shows it"),
        (32, "persona = 'pedantic'", None),
        (
            5,
            "min-impact = 'high'",
            "its impact is medium, and the configuration hides that (`min-impact`): `--persona regular` shows it",
        ),
        (
            10,
            "min-severity = 'error'",
            "it is a warning, and the configuration hides that (`min-severity`): `--persona regular` shows it",
        ),
    ],
)
def test_explanations(tree: Path, capsys: Captured, line: int, text: str, reason: str | None) -> None:
    (tree / "fdlint.toml").write_text(text)
    for command in ("explain", "why-not"):
        assert main([command, f"a.py:{line}"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert (f"found, but not reported: {reason}" in said or f"reported: no: {reason}" in said) is (
            reason is not None
        ), said


def test_explanation_in_a_test_file(tree: Path, capsys: Captured) -> None:
    assert main(["why-not", "tests/b.py:10"]) == 0
    assert "it is in a test file: `--persona auditor` shows it" in " ".join(capsys.readouterr().out.split())


def test_what_is_hidden_does_not_fail_the_scan(tree: Path, capsys: Captured) -> None:
    (tree / "a.py").write_text(CODE.partition("def dear")[0].replace("os.read(fd, 1)", "os.close(fd)", 1))
    assert scan(capsys, "a.py", "--min-confidence", "high", status=0) == {}


def test_a_comment_for_a_hidden_finding_is_used(tree: Path, capsys: Captured) -> None:
    marked = CODE.replace("os.O_RDONLY)\n    lib", "os.O_RDONLY)  # fdlint: ignore[FD101]\n    lib")
    marked = marked.replace("os.O_RDONLY)\n    other", "os.O_RDONLY)  # fdlint: ignore[FD103]\n    other")
    (tree / "tests" / "b.py").write_text(marked)
    assert scan(capsys, "tests") == {"tests/b.py": ["certain", "dear"]}
    assert scan(capsys, "tests", "--persona", "auditor") == {"tests/b.py": ["certain", "cheap", "dear", "pedant"]}


def test_the_tree_is_told_to_hide(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("min-confidence = 'high'\nmin-impact = 'high'\ntests = 'none'")
    found = document(capsys)["summary"]
    assert found["silencing"]["findings"] == {"min-confidence": 1, "min-impact": 2, "tests": 1}


@pytest.mark.parametrize(
    "path", ["tests/a.py", "a/test/b.py", "testing/x/y.go", "test_a.py", "a/a_test.py", "a_test.go", "conftest.py"]
)
def test_the_usual_test_files(path: str) -> None:
    from fdlint.scan.config.model import Patterns

    assert in_tests(path)
    assert Patterns("/project", USUAL_TEST_FILES).match(f"/project/{path}")


@pytest.mark.parametrize("path", ["a.py", "contest.py", "latest/a.py", "a_test/b.py", "testament.py"])
def test_other_files(path: str) -> None:
    from fdlint.scan.config.model import Patterns

    assert not in_tests(path)
    assert not Patterns("/project", USUAL_TEST_FILES).match(f"/project/{path}")


class TestReports:
    """The formats that show the confidence, and whether a finding is in tests."""

    MEDIUM = sample.finding(confidence=Confidence.MEDIUM, span=sample.span(4, 7, 33, "tests/a.py"))
    REPORT = sample.report(sample.finding(), MEDIUM)

    def test_text(self) -> None:
        heads = [line.plain for line in text.render(self.REPORT) if "FD102" in line.plain]
        assert [head.endswith(" (medium confidence)") for head in heads] == [False, True]

    def test_summary(self) -> None:
        assert "2 findings (2 errors; 1 in tests)" in summary(self.REPORT)

    def test_sarif(self) -> None:
        run = json.loads(sarif.render(self.REPORT, {}))["runs"][0]
        impact = {"impact": "medium", "impactReason": "its callers are outside this project"}
        assert [(one["rank"], one["properties"]) for one in run["results"]] == [
            (76.0, {"confidence": "high", **impact, "inTests": False}),
            (64.0, {"confidence": "medium", **impact, "inTests": True}),
        ]

    @pytest.mark.parametrize("better", Confidence)
    def test_the_rank_grows_with_confidence_and_impact(self, better: Confidence) -> None:
        found = [sample.finding(confidence=better, impact=Impact(cost, "so it is said")) for cost in Cost]
        ranks = [one["rank"] for one in json.loads(sarif.render(sample.report(*found), {}))["runs"][0]["results"]]
        assert ranks == sorted(ranks, reverse=True)
        assert len(set(ranks)) == 3

    def test_markdown_and_gitlab(self) -> None:
        assert "| error, medium confidence |" in markdown.render(self.REPORT, {})
        described = [one["description"] for one in json.loads(gitlab.render(self.REPORT, {}))]
        assert [one.endswith("(medium confidence)") for one in described] == [False, True]

    def test_json_is_read_back(self) -> None:
        found = read(jsonv1.render(self.REPORT).encode()).findings
        assert [(one.confidence, one.in_tests) for one in found] == [
            (Confidence.HIGH, False),
            (Confidence.MEDIUM, True),
        ]

    def test_a_report_of_an_older_version_is_read(self) -> None:
        document = jsonv1.document(self.REPORT)
        for one in document["findings"]:
            del one["confidence"], one["in_tests"]
        found = read(json.dumps(document).encode()).findings
        assert [(one.confidence, one.in_tests) for one in found] == [
            (Confidence.MEDIUM, False),
            (Confidence.MEDIUM, True),
        ]


class TestMerging:
    """Several findings of one exception."""

    @staticmethod
    def lost(line: int, *causes: int, **changes: object) -> Finding:
        """A finding of FD103 in this line. The exceptions of other lines leave it open, too."""
        shown, *_ = causes
        trace = (
            Event(EventKind.ACQUIRED, sample.span(line, 1, 9), "acquired"),
            Event(EventKind.RAISED, sample.span(shown, 1, 9), "can raise"),
        )
        spans = tuple(sample.span(cause, 1, 9) for cause in causes)
        fields = {"code": "FD103", "span": sample.span(line, 1, 9), "trace": trace, "causes": spans}
        return sample.finding(**{**fields, **changes})

    def test_the_exception_that_leaves_most_open_counts(self) -> None:
        first, second, third = self.lost(1, 2, 4), self.lost(2, 4), self.lost(3, 9)
        kept, absorbed = merged([first, second, third], [], {"FD103"})
        assert [one.span.line for one in kept] == [2, 3]
        assert absorbed == (first,)
        assert [event.span.line for event in kept[0].trace] == [2, 1, 4]
        assert kept[0].message.endswith("(what 1 more call opened leaks with it)")

    def test_a_more_certain_one_stays(self) -> None:
        low = self.lost(2, 4, confidence=Confidence.LOW)
        assert merged([self.lost(1, 2, 4), low], [], {"FD103"})[1] == ()

    def test_one_that_costs_more_stays(self) -> None:
        cheap = self.lost(2, 4, impact=Impact(Cost.LOW, "so it is said"))
        assert merged([self.lost(1, 2, 4), cheap], [], {"FD103"})[1] == ()

    def test_other_functions_and_rules_stay(self) -> None:
        apart = [self.lost(1, 4), self.lost(2, 4, function="other"), self.lost(3, 4, code="FD104")]
        assert merged(apart, [], {"FD103"}) == (tuple(apart), ())

    def test_a_comment_silences_what_the_finding_stands_for(self) -> None:
        first, second = self.lost(1, 2, 4), self.lost(2, 4)
        assert merged([first], [second], {"FD103"}) == ((), (first,))
        assert merged([second], [first], {"FD103"}) == ((second,), ())


def test_one_comment_silences_one_exception(tree: Path, capsys: Captured) -> None:
    lines = ["a = os.open(p, 0)", "b = os.open(p, 0){}", "os.read(b, 1)", "os.close(a)", "os.close(b)"]
    code = "import os\n\n\ndef f(p):\n" + "".join(f"    {line}\n" for line in lines)
    (tree / "a.py").write_text(code.format(""))
    assert scan(capsys, "a.py") == {"a.py": ["f"]}
    (tree / "a.py").write_text(code.format("  # fdlint: ignore[FD103]"))
    assert scan(capsys, "a.py", status=0) == {}
