"""The audit report: what stands in it, and that nothing from the code gets out of its place."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import sample

from fdlint.finding import Event, EventKind, Finding, Report, Severity, Skipped, Summary
from fdlint.report.html import render
from fdlint.report.html.story import story
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


def test_what_stands_in_it() -> None:
    report = sample.report(sample.finding(), skipped=(Skipped("bad.py", "cannot be parsed"),))
    page = Elements(render(report, RULES))
    for words in ("FD102", "pkg/mod.py:4", "copy", "returns with fd open", "bad.py", "cannot be parsed", "Finds it"):
        assert words in page.text
    assert "1 finding:" in re.sub(r"\s+", " ", page.text)
    assert page.tags.count("details") == 1


def test_needs_nothing_else() -> None:
    document = render(sample.report(sample.finding()), RULES)
    assert not re.search(r"(src|href)\s*=|@import|url\(", document)


def test_everything_is_escaped() -> None:
    source = tuple(NASTY if number == 4 else line for number, line in enumerate(sample.SOURCE, start=1))
    found = sample.finding(
        message=NASTY,
        function=NASTY,
        api=NASTY,
        span=sample.span(4, 7, 33, f"a/{NASTY}/b.py"),
        trace=(Event(EventKind.LEAKED, sample.span(4, 7, 33, f"a/{NASTY}/b.py"), NASTY),),
    )
    report = Report((found,), (Skipped(NASTY, NASTY),), Summary(1, 1, 7, 0.1), {found.span.path: source})
    plain, nasty = (Elements(render(one, RULES)) for one in (sample.report(sample.finding()), report))
    assert nasty.tags.count("script") == plain.tags.count("script") == 1
    assert "img" not in nasty.tags
    assert "onerror" not in nasty.attributes
    assert "\x1b" not in nasty.text


def test_nothing_found() -> None:
    assert "Nothing was found." in render(sample.report(), {})


class TestStory:
    def lines(self, finding: Finding) -> list[tuple[int, list[int]]]:
        (excerpt, *_) = story(finding, {"pkg/mod.py": sample.SOURCE}).excerpts
        return [(line.number, [step.number for step in line.steps]) for line in excerpt.lines]

    def test_steps_stand_under_their_lines(self) -> None:
        assert self.lines(sample.finding()) == [(2, []), (3, []), (4, [1]), (5, [2]), (6, [3]), (7, [])]

    def test_what_is_far_away_is_left_out(self) -> None:
        source = tuple("x = 1" for _ in range(100))
        trace = (
            Event(EventKind.ACQUIRED, sample.span(10, 1, 5), "here"),
            Event(EventKind.LEAKED, sample.span(90, 1, 5), "there"),
        )
        found = sample.finding(span=sample.span(10, 1, 5), trace=trace)
        (excerpt,) = story(found, {"pkg/mod.py": source}).excerpts
        assert [line.number for line in excerpt.lines] == [8, 9, 10, 11, 12, 88, 89, 90, 91, 92]
        assert [line.number for line in excerpt.lines if line.gap] == [88]

    def test_a_file_that_is_not_at_hand_is_told_in_words(self) -> None:
        trace = (Event(EventKind.ACQUIRED, sample.span(3, 1, 5, "other.py"), "opened there"),)
        own, other = story(sample.finding(trace=trace), {"pkg/mod.py": sample.SOURCE}).excerpts
        assert (own.path, other.path) == ("pkg/mod.py", "other.py")
        assert not other.lines
        assert [step.message for step in other.steps] == ["opened there"]

    def test_a_string_over_several_lines_stays_in_its_lines(self) -> None:
        source = ('x = """one', "two", 'three"""')
        found = sample.finding(span=sample.span(2, 1, 3), trace=())
        (excerpt,) = story(found, {"pkg/mod.py": source}).excerpts
        for line in excerpt.lines:
            assert line.code.count("<span") == line.code.count("</span>")
