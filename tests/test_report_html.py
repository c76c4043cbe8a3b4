"""The audit report: what stands in it, and that nothing from the code gets out of its place."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
import sample
from py_mini_racer import JSEvalException, MiniRacer

from fdlint.core.finding import Cost, Event, EventKind, Finding, Impact, Severity
from fdlint.report.findings.audited import Audited, Revision
from fdlint.report.findings.finding import Report, Skipped, Summary, Trend, Withheld
from fdlint.report.findings.tests import in_tests
from fdlint.report.html import render
from fdlint.report.html.picture import boxes
from fdlint.report.html.story import code, highlighted
from fdlint.report.rulebook import Entry

RULES = {"FD102": Entry("FD102", "not-closed-on-path", Severity.ERROR, "Finds it", "# FD102\n")}
NASTY = "</script><script>alert('x')</script> <img src=x onerror=alert(1)> \x1b[31m"


class Elements(HTMLParser):
    """Counts start tags and keeps the text."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def data(document: str) -> Any:
    """What the page's script works with."""
    found = re.search(r'<script type="application/json" id="data">(.*)</script>\n', document)
    assert found
    return json.loads(found[1])


def test_what_stands_in_it() -> None:
    report = sample.report(sample.finding(), skipped=(Skipped("bad.py", "cannot be parsed"),))
    page = Elements(render(report, RULES))
    for words in ("FD102", "pkg/mod.py:4", "copy", "returns with `fd` open", "bad.py", "cannot be parsed", "Finds it"):
        assert words in page.text
    assert "1 finding:" in re.sub(r"\s+", " ", page.text)


def test_without_scripts_a_finding_has_its_path() -> None:
    text = " ".join(Elements(render(sample.report(sample.finding()), RULES)).text.split())
    assert "line 4 opened line 5 taken when not path line 6 still open" in text
    assert "3 line 6: returns with fd open medium impact: its callers are outside this project" in text


def test_a_long_path_has_one_box_for_its_middle() -> None:
    steps = tuple(Event(EventKind.BRANCH, sample.span(line, 1, 2), "goes on") for line in range(9))
    shown = boxes(sample.finding(trace=steps))
    assert [one.number for one in shown] == [1, 2, 0, 6, 7, 8, 9]
    assert shown[2].word == "3 more steps"
    assert [one.fatal for one in shown] == [False] * 6 + [True]


def test_needs_nothing_else() -> None:
    document = render(sample.report(sample.finding()), RULES)
    assert not re.search(r"(?:src|href)\s*=\s*[\"']|@import|url\(|https?://(?!www\.w3\.org/2000/svg)", document)


def test_the_policy_allows_the_page_and_nothing_else() -> None:
    document = render(sample.report(sample.finding()), RULES)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', document)
    style, script = (re.search(rf"<{tag}>(.*?)</{tag}>", document, re.DOTALL) for tag in ("style", "script"))
    assert policy and style and script
    hashes = [base64.b64encode(hashlib.sha256(one[1].encode()).digest()).decode() for one in (script, style)]
    rules = policy[1].replace("&#39;", "'")
    assert rules.startswith(f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; ")
    assert "unsafe" not in rules
    assert not re.search(r"<[^>]*\s(?:style|on\w+)=", document)


def test_everything_is_escaped() -> None:
    source = tuple(NASTY if number == 4 else line for number, line in enumerate(sample.SOURCE, start=1))
    found = sample.finding(
        message=NASTY,
        function=NASTY,
        api=NASTY,
        span=sample.span(4, 7, 33, f"a/{NASTY}/b.py"),
        trace=(Event(EventKind.LEAKED, sample.span(4, 7, 33, f"a/{NASTY}/b.py"), NASTY),),
    )
    report = Report(
        (found,),
        (Skipped(NASTY, NASTY),),
        Summary(1, 1, 7, 0.1),
        {found.span.path: source},
        withheld=(Withheld(found, NASTY),),
        scans=(
            Audited(
                NASTY, (NASTY,), (Revision(NASTY, NASTY, NASTY),), NASTY, (NASTY,), (NASTY,), ((NASTY, NASTY),), NASTY
            ),
        ),
        trend=Trend(NASTY, (found,), (found,), (), (found,), (found,), (Audited(started=NASTY),)),
    )
    document = render(report, RULES)
    plain, nasty = Elements(render(sample.report(sample.finding()), RULES)), Elements(document)
    assert nasty.tags.count("script") == plain.tags.count("script") == 2
    assert "img" not in nasty.tags
    assert "onerror" not in nasty.attributes
    assert "\x1b" not in document
    assert document.count("<!--") == 0
    assert data(document)["report"]["findings"][0]["message"] == NASTY


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "\u2028\u2029", "##[error]x", "&lt;", "\ud800", "\0"])
def test_the_data_ends_where_it_should(text: str) -> None:
    document = render(sample.report(sample.finding(function=text)), RULES)
    assert data(document)["report"]["findings"][0]["function"] == text
    inside = document.partition('id="data">')[2].partition("</script>")[0]
    assert inside.isascii()
    assert not set(inside) & set("<>&\n")
    assert "##[" not in document


def test_nothing_found() -> None:
    assert "Nothing was found." in render(sample.report(), {})


def test_what_was_audited() -> None:
    scan = Audited(
        "/src/project",
        ("a dir", "b.py"),
        (Revision("/src/project", "c" * 40, "main"), Revision("/src/project/sub", "d" * 40)),
        "2026-11-22T10:20:30Z",
        ("scan", "a dir", "b.py"),
        ("fdlint.toml",),
        (("fdlint", "9.8"), ("Python", "3.14")),
    )
    text = Elements(render(dataclasses.replace(sample.report(), scans=(scan,)), {})).text
    for words in (
        "/src/project",
        f"{'c' * 40} on main\n",
        f"{'d' * 40} in /src/project/sub\n",
        "2026-11-22 10:20:30 UTC",
        "fdlint scan 'a dir' b.py",
        "Configurationfdlint.toml",
        "fdlint 9.8, Python 3.14",
    ):
        assert words in text
    unknown = Elements(render(sample.report(), {})).text
    for word in ("Directory", "Revision", "Date", "Command", "Configuration", "Versions"):
        assert word in text
        assert word not in unknown


def test_what_is_not_reported_is_listed() -> None:
    report = dataclasses.replace(sample.report(), withheld=(Withheld(sample.finding(), "comments"),))
    text = Elements(render(report, {})).text
    assert "Found, and silenced by comments: 1" in text
    assert "pkg/mod.py:4" in text


def test_the_largest_totals_come_first_and_the_rest_is_folded() -> None:
    paths = [f"d{number}/{one}.py" for number in range(10) for one in range(number + 1)]
    findings = [sample.finding(span=sample.span(1, 1, 2, path)) for path in paths]
    document = render(sample.report(*findings), RULES)
    (table,) = re.findall(r'<table data-kind="directory">(.*?)</table>', document, re.DOTALL)
    assert re.findall(r"<td>(d\d) ", table) == [f"d{number}" for number in range(9, 1, -1)]
    assert re.search(r'class="more scripted" hidden><summary>2 more</summary>', document)


def test_the_trend() -> None:
    gone = sample.finding(span=sample.span(9, 1, 2, "gone.py"))
    report = sample.report(sample.finding(), sample.finding(span=sample.span(6, 1, 2)))
    trend = Trend("old.json", report.findings[1:], (gone,), report.findings[:1], (gone, gone))
    document = render(dataclasses.replace(report, trend=trend), RULES)
    text = Elements(document).text
    assert "1 new, 1 fixed, 1 unchanged" in re.sub(r"\s+", " ", text)
    assert "Fixed: 1" in text
    assert "Still there, and now silenced: 2" in text
    assert "Unknown" not in text
    assert "gone.py:9" in text
    assert [one["state"] for one in data(document)["report"]["findings"]] == ["unchanged", "new"]
    assert "state" not in data(render(report, RULES))["report"]["findings"][0]


def test_errors_come_first_without_scripts_too() -> None:
    minor = sample.finding(severity=Severity.WARNING, span=sample.span(1, 1, 2, "a.py"))
    text = Elements(render(sample.report(minor, sample.finding()), RULES)).text
    assert text.index("pkg/mod.py:4") < text.index("a.py:1")


def test_the_highest_impact_comes_first_without_scripts_too() -> None:
    dear = sample.finding(impact=Impact(Cost.HIGH, "so it is said"), span=sample.span(1, 1, 2, "z.py"), trace=())
    minor = dataclasses.replace(dear, severity=Severity.WARNING, span=sample.span(1, 1, 2, "a.py"))
    text = Elements(render(sample.report(minor, sample.finding(), dear), RULES)).text
    assert text.index("z.py:1") < text.index("a.py:1") < text.index("pkg/mod.py:4")


class TestScript:
    """Read by V8, which is also in Chromium: one mistake anywhere, and the page shows no finding."""

    def problem(self, script: str) -> str:
        engine = MiniRacer()
        try:
            engine.eval(f"new Function({json.dumps(script)}); 0")
        except JSEvalException as error:
            return str(error)
        return ""

    def test_can_be_read(self) -> None:
        document = render(sample.report(sample.finding()), RULES)
        (script,) = re.findall(r"<script>(.*?)</script>", document, re.DOTALL)
        assert "addEventListener" in script
        assert self.problem(script) == ""

    @pytest.mark.parametrize(
        ("script", "why"),
        [
            ("(() => { const seen = 1; function seen() {} })()", "'seen' has already been declared"),
            ("(() => { const a = 1; const a = 2; })()", "'a' has already been declared"),
            ("(() => { const a = {; })()", "Unexpected token"),
        ],
    )
    def test_would_not_be_read_with_a_mistake(self, script: str, why: str) -> None:
        assert why in self.problem(script)


def test_what_to_write_instead() -> None:
    rule = dataclasses.replace(RULES["FD102"], good={"python": "def f():\n    return 1", "go": "func f() {}"})
    instead = data(render(sample.report(sample.finding()), {"FD102": rule}))["rules"]["FD102"]["instead"]
    assert instead == {"python": [["kdef", "  f():"], ["     ", "kreturn", "  1"]], "go": [["kfunc", "  f() {}"]]}


@pytest.mark.parametrize(
    "path", ["tests/a.py", "a/test/b.py", "testing/x.py", "test_a.py", "p/a_test.py", "a_test.go", "conftest.py"]
)
def test_test_files(path: str) -> None:
    assert in_tests(path)


@pytest.mark.parametrize("path", ["a.py", "latest/a.py", "attest_a.py", "test_a.go", "a/conftest.pyx", "tests.py"])
def test_other_files(path: str) -> None:
    assert not in_tests(path)


class TestCode:
    def numbers(self, finding: Finding, source: tuple[str, ...] = sample.SOURCE) -> list[int]:
        return list(code([finding], {"pkg/mod.py": source})["pkg/mod.py"])

    def test_the_lines_round_each_step(self) -> None:
        assert self.numbers(sample.finding()) == [2, 3, 4, 5, 6, 7]

    def test_what_is_far_away_is_left_out(self) -> None:
        trace = (
            Event(EventKind.ACQUIRED, sample.span(10, 1, 5), "here"),
            Event(EventKind.LEAKED, sample.span(90, 1, 5), "there"),
        )
        found = sample.finding(span=sample.span(10, 1, 5), trace=trace)
        assert self.numbers(found, ("x = 1",) * 100) == [8, 9, 10, 11, 12, 88, 89, 90, 91, 92]

    def test_several_findings_share_their_lines(self) -> None:
        found = code([sample.finding(), sample.finding(trace=())], {"pkg/mod.py": sample.SOURCE})
        assert list(found) == ["pkg/mod.py"]
        assert list(found["pkg/mod.py"]) == [2, 3, 4, 5, 6, 7]

    def test_a_file_that_is_not_at_hand_has_none(self) -> None:
        trace = (Event(EventKind.ACQUIRED, sample.span(3, 1, 5, "other.py"), "opened there"),)
        assert list(code([sample.finding(trace=trace)], {"pkg/mod.py": sample.SOURCE})) == ["pkg/mod.py"]
        assert code([sample.finding(span=sample.span(10**9, 1, 2), trace=())], {"pkg/mod.py": sample.SOURCE}) == {}

    def test_a_string_over_several_lines_stays_in_its_lines(self) -> None:
        lines = highlighted(['x = """one', "two", 'three""" # end'], "python")
        assert lines[:3] == [[" x = ", 's"""one'], ["stwo"], ['sthree"""', "  ", "c# end"]]

    def test_a_long_line_is_cut_and_characters_that_act_are_spelled_out(self) -> None:
        (line, *_) = highlighted(["# " + "x" * 500 + "\x1b"], "python")
        assert line == ["c# " + "x" * 398]
        assert highlighted(["\tx = '\u202e'"], "python")[0] == ["     x = ", r"s'\u202e'"]
