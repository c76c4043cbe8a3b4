"""``--confidence`` and ``--tests``: what is reported of what is found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import sample

from fdlint import api
from fdlint.cli import main
from fdlint.core.checks.confidence import LEVELS, confidence_of
from fdlint.core.domain.assumption import SENTENCES
from fdlint.core.finding import Assumption, AssumptionKind, Confidence, Event, EventKind, Finding, Span
from fdlint.report import gitlab, jsonv1, markdown, sarif, text
from fdlint.report.findings.merging import merged
from fdlint.report.findings.tests import USUAL_TEST_FILES, in_tests
from fdlint.report.reading import read
from fdlint.report.summary import summary

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
"""
HIGH, MEDIUM, LOW = "FD101 high", "FD103 medium", "FD101 low"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "tests" / "b.py").write_text(CODE)
    return tmp_path


def scan(capsys: Captured, *arguments: str, status: int = 1) -> dict[str, list[str]]:
    """``CODE confidence`` of every finding, by its path."""
    assert main(["scan", "--output-format", "json", "-q", "--no-cache", *arguments]) == status
    found: dict[str, list[str]] = {}
    for one in json.loads(capsys.readouterr().out)["findings"]:
        assert one["in_tests"] is one["path"].startswith("tests/")
        found.setdefault(one["path"], []).append(f"{one['code']} {one['confidence']}")
    return found


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH]}),
        (["--confidence", "high"], {"a.py": [HIGH], "tests/b.py": [HIGH]}),
        (["--confidence", "low"], {"a.py": [HIGH, MEDIUM, LOW], "tests/b.py": [HIGH, LOW]}),
        (["--tests", "all"], {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH, MEDIUM]}),
        (["--tests", "none"], {"a.py": [HIGH, MEDIUM]}),
    ],
)
def test_options(tree: Path, capsys: Captured, arguments: list[str], expected: dict[str, list[str]]) -> None:
    assert scan(capsys, *arguments) == expected


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("confidence = 'high'", [], {"a.py": [HIGH], "tests/b.py": [HIGH]}),
        ("confidence = 'high'", ["--confidence", "medium"], {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH]}),
        ("confidence-by-rule.FD103 = 'high'", [], {"a.py": [HIGH], "tests/b.py": [HIGH]}),
        ("confidence-by-rule.never-closed = 'low'", [], {"a.py": [HIGH, MEDIUM, LOW], "tests/b.py": [HIGH, LOW]}),
        (
            "confidence-by-rule = {FD1 = 'low', FD103 = 'high'}",
            ["--tests", "all"],
            {"a.py": [HIGH, LOW], "tests/b.py": [HIGH, LOW]},
        ),
        (
            "confidence-by-rule.FD103 = 'high'",
            ["--confidence", "medium"],
            {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH]},
        ),
        ("tests = 'none'", [], {"a.py": [HIGH, MEDIUM]}),
        ("tests = 'none'", ["--tests", "leaks"], {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH]}),
    ],
)
def test_configuration(
    tree: Path, capsys: Captured, text: str, arguments: list[str], expected: dict[str, list[str]]
) -> None:
    (tree / "fdlint.toml").write_text(text)
    assert scan(capsys, *arguments) == expected


def test_other_test_files(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("test-files = ['a.py']\ntests = 'none'")
    assert main(["scan", "--output-format", "json", "-q", "--no-cache"]) == 1
    assert {one["path"] for one in json.loads(capsys.readouterr().out)["findings"]} == {"tests/b.py"}


def test_an_unknown_code_is_an_error(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("confidence-by-rule.FD999 = 'low'")
    assert main(["scan"]) == 2
    assert "`confidence-by-rule`: there is no rule FD999" in capsys.readouterr().err


def test_what_is_hidden_does_not_fail_the_scan(tree: Path, capsys: Captured) -> None:
    (tree / "a.py").write_text(CODE.replace("os.read(fd, 1)", "os.close(fd)"))
    assert scan(capsys, "a.py", "--confidence", "high", status=0) == {}


def test_a_comment_for_a_hidden_finding_is_used(tree: Path, capsys: Captured) -> None:
    marked = CODE.replace("os.O_RDONLY)\n    lib", "os.O_RDONLY)  # fdlint: ignore[FD101]\n    lib")
    marked = marked.replace("os.O_RDONLY)\n    other", "os.O_RDONLY)  # fdlint: ignore[FD103]\n    other")
    (tree / "tests" / "b.py").write_text(marked)
    assert scan(capsys, "tests") == {"tests/b.py": [HIGH]}
    assert scan(capsys, "tests", "--tests", "all", "--confidence", "low") == {"tests/b.py": [HIGH]}


def test_the_tree_is_told_to_hide(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("confidence = 'high'\ntests = 'none'")
    main(["scan", "--output-format", "json", "-q", "--no-cache"])
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert summary["silencing"]["findings"] == {"confidence": 1, "tests": 1}


def test_a_baseline_has_what_a_scan_reports(tree: Path, capsys: Captured) -> None:
    for arguments, number in (((), 2), (("--confidence", "low"), 3), (("--confidence", "high"), 1)):
        assert main(["baseline", "create", "a.py", "--baseline", f"{number}.json", *arguments]) == 0
        assert f"{number} finding" in capsys.readouterr().out


def test_the_library(tree: Path) -> None:
    levels = [one.confidence for one in api.scan_paths(["a.py"], confidence="low").findings]
    assert levels == [Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW]
    assert [one.code for one in api.scan_source(CODE, "tests/a.py", tests="none").findings] == []
    assert [one.code for one in api.scan_source(CODE, "tests/a.py", tests="all").findings] == ["FD101", "FD103"]
    with pytest.raises(ValueError, match="certain"):
        api.scan_source(CODE, confidence="certain")


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
        assert [(one["rank"], one["properties"]) for one in run["results"]] == [
            (95.0, {"confidence": "high", "inTests": False}),
            (80.0, {"confidence": "medium", "inTests": True}),
        ]

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
        assert kept[0].message.endswith("(and what 1 more call acquired)")

    def test_a_more_certain_one_stays(self) -> None:
        low = self.lost(2, 4, confidence=Confidence.LOW)
        assert merged([self.lost(1, 2, 4), low], [], {"FD103"})[1] == ()

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
    assert scan(capsys, "a.py") == {"a.py": ["FD103 high"]}
    (tree / "a.py").write_text(code.format("  # fdlint: ignore[FD103]"))
    assert scan(capsys, "a.py", status=0) == {}


def test_the_page_lists_each_assumption_with_its_level() -> None:
    page = (Path(__file__).parent.parent / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (high|medium|low) \| ", page, re.MULTILINE)
    assert dict(rows) == {kind.value: level.value for kind, level in LEVELS.items()}


def test_each_kind_has_a_level_and_a_sentence() -> None:
    assert LEVELS.keys() == SENTENCES.keys() == set(AssumptionKind)


def test_the_lowest_level_counts_and_no_assumption_is_high() -> None:
    span = Span("case.py", 1, 1, 1, 2)
    medium, low = (Assumption(kind, "", span) for kind in (AssumptionKind.CONDITION, AssumptionKind.ONLY_USES))
    assert confidence_of([]) is Confidence.HIGH
    assert confidence_of([medium]) is Confidence.MEDIUM
    assert confidence_of([medium, low]) is Confidence.LOW
