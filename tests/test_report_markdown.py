"""The Markdown report: a table that says what was found, and nothing that the tree says is more than text."""

from __future__ import annotations

import dataclasses
import html
import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from sample import finding, report, span

from fdlint.core.finding import Cost, Impact, Severity
from fdlint.report import markdown
from fdlint.report.findings.finding import Report, Skipped, Trend
from fdlint.report.printable import printable

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LIMIT = 1 << 20
PLAIN = {"text", "html_inline", "softbreak"}
OWN_HTML = {"<code>", "</code>", "<!-- -->"}


def cells(text: str) -> list[list[str]]:
    """The cells of all tables as a reader sees them, row by row; checks that there is nothing but text in them."""
    rows: list[list[str]] = []
    for token in PARSER.parse(text):
        assert token.type != "html_block"
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline":
            children = token.children or []
            assert {child.type for child in children} <= PLAIN
            assert {child.content for child in children if child.type == "html_inline"} <= OWN_HTML
            if rows and token.level > 3:
                rows[-1].append("".join(child.content for child in children if child.type == "text"))
    return rows


def test_a_finding_is_a_row() -> None:
    text = markdown.render(report(finding()), {})
    assert text.startswith("### fdlint: 1 finding\n\n37 of 1,102 files use descriptors, 1 finding (1 error) in 0.8 s\n")
    assert cells(text) == [
        ["Rule", "Severity", "Where", "Finding"],
        ["FD102 not-closed-on-path", "error", "pkg/mod.py:4", "fd from os.open() is not closed on every path"],
    ]
    assert "<code>fd</code> from" in text


def test_nothing_is_said_to_be_nothing() -> None:
    assert markdown.render(report(), {}).splitlines()[0] == "### fdlint: no findings"
    assert cells(markdown.render(report(), {})) == []


def test_errors_come_first_and_skipped_files_last() -> None:
    warning = finding(severity=Severity.WARNING, message="a hazard")
    text = markdown.render(report(warning, finding(), skipped=(Skipped("b|.py", "nested too deeply"),)), {})
    rows = cells(text)
    assert [row[1] for row in rows[1:3]] == ["error", "warning"]
    assert rows[3:] == [["Not checked in full", "Why"], ["b|.py", "nested too deeply"]]


def test_the_highest_impact_comes_first_and_new_findings_before_all() -> None:
    dear = finding(impact=Impact(Cost.HIGH, "so it is said"), severity=Severity.WARNING)
    cheap, plain = finding(impact=Impact(Cost.LOW, "so it is said")), finding()
    rows = cells(markdown.render(report(cheap, plain, dear), {}))
    assert [row[1] for row in rows[1:]] == ["warning, high impact", "error", "error, low impact"]
    compared = dataclasses.replace(report(cheap, plain, dear), trend=Trend("old.json", (cheap,), (), (plain, dear)))
    rows = cells(markdown.render(compared, {}))
    assert [row[0] for row in rows[1:4]] == ["new", "unchanged", "unchanged"]


HOSTILE = [
    "![x](https://example.org/x.png)",
    "[click](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "</code></table><script>alert(1)</script>",
    "a | b ` c `` d",
    "`</code>`|`",
    "@octocat #1 owner/name#2 https://example.org www.example.org",
    "\\| &lt; &#60; $x$ ~~x~~ **x** _x_ __init__",
    "\n\n# heading\n| a |\n|---|",
    "\u202e\x1b[31m::error::",
]


def shown(text: str) -> str:
    """White space as a reader sees it."""
    return " ".join(printable(text).split())


def test_what_the_tree_says_is_text() -> None:
    for text in HOSTILE:
        where = dataclasses.replace(span(4, 7, 33), path=text)
        out = markdown.render(report(finding(span=where, message=text), skipped=(Skipped(text, text),)), {})
        rows = cells(out)
        assert len(rows) == 4
        assert shown(rows[1][2]) == shown(f"{printable(text)}:4")
        assert shown(rows[1][3]).replace("`", "") == shown(text).replace("`", "")
        assert shown(rows[3][0]) == shown(text)
        visible = html.unescape(re.sub(r"<!-- -->|</?code>", "\0", out))
        assert not re.search(r"[@#][\w]", visible.replace("### fdlint", ""))


@given(st.text(), st.text())
def test_any_text_is_text(path: str, message: str) -> None:
    where = dataclasses.replace(span(4, 7, 33), path=path)
    rows = cells(markdown.render(report(finding(span=where, message=message)), {}))
    assert [len(row) for row in rows] == [4, 4]
    assert shown(rows[1][3]).replace("`", "") == shown(message).replace("`", "")


def many(number: int, text: str) -> Report:
    return report(*[finding(message=text)] * number, skipped=(Skipped("a" * 100, "why"),) * 20_000)


def test_the_size_has_a_limit() -> None:
    text = markdown.render(many(20_000, "|" * 100), {})
    assert 800_000 < len(text.encode()) < LIMIT
    found = re.search(r"([\d,]+) findings more than fit here", text)
    assert found
    rows = len(re.findall("^\\| FD102", text, re.MULTILINE))
    assert rows + int(found[1].replace(",", "")) == 20_000
    assert re.search(r"^[\d,]+ files more than fit", text, re.MULTILINE)


def test_one_finding_that_is_too_large() -> None:
    text = markdown.render(many(1, "x" * LIMIT), {})
    assert len(text.encode()) < LIMIT
    assert "1 finding more than fit here" in text
