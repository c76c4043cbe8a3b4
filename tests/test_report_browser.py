"""The audit report in a real browser: opened from the disk, searched, filtered, light and dark, printed."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
import sample

from fdlint.core.finding import Confidence, Cost, Event, EventKind, Finding, Impact, Severity
from fdlint.report import jsonv1
from fdlint.report.findings.audited import Audited, Revision
from fdlint.report.findings.finding import Report, Skipped, Summary, Trend, Withheld
from fdlint.report.html import render
from fdlint.report.merged import below, merged
from fdlint.report.reading import read
from fdlint.report.rulebook import Entry

pytestmark = pytest.mark.skipif(browser.executable() is None, reason="there is no Chromium")

RULES = {
    code: Entry(code, name, severity, f"Finds `{name}` code", f"# {code}\n")
    for code, name, severity in (
        ("FD101", "never-closed", Severity.ERROR),
        ("FD103", "not-closed-on-exception", Severity.WARNING),
    )
}
# Where `npm install` puts it: beside the programs, whose directory is on the PATH.
_PLACES = (Path(place).parent / "axe-core/axe.min.js" for place in os.get_exec_path() if place.endswith(".bin"))
AXE = next((place for place in _PLACES if place.is_file()), None)
SETTLED = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
COUNT = 'document.getElementById("count").textContent'
VISIBLE = '[...document.querySelectorAll("details.finding")].filter(one => one.checkVisibility()).length'
# The words that stand out too little from what is behind them: a contrast of less than 4.5 to 1.
PALE = """
(() => {
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => numbers(colour).slice(0, 3)
    .map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = one => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if ((numbers(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const words = [...document.querySelectorAll("body *")].filter(one => one.checkVisibility()
    && [...one.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.textContent.trim()));
  return words.map(one => {
    const [low, high] = [light(getComputedStyle(one).color), light(ground(one))].sort((a, b) => a - b);
    return [(high + 0.05) / (low + 0.05), one.outerHTML.slice(0, 80)];
  }).filter(([contrast]) => contrast < 4.5);
})()
"""


def findings() -> Iterator[Finding]:
    """Seven: four errors in one directory, three warnings in another."""
    for number in range(7):
        code = "FD103" if number > 3 else "FD101"
        path = f"src/{'net' if number > 3 else 'disk'}/file{number}.py"
        span = sample.span(4, 2, 33, path)
        yield sample.finding(
            code=code,
            name=RULES[code].name,
            severity=RULES[code].severity,
            span=span,
            function=f"Kind{number}.copy",
            fingerprint=f"{number:016}",
            trace=(Event(EventKind.ACQUIRED, span, "`fd` is opened here"),),
        )


def written(directory: Path, report: Report) -> Path:
    path = directory / "report.html"
    path.write_text(render(report, RULES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report."""
    path = tmp_path_factory.mktemp("report") / "fdlint audit.html"
    path.write_text(render(sample.report(*findings()), RULES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def only_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Page]:
    """One for all tests."""
    with browser.opened(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(only_browser: browser.Page, file: Path) -> Iterator[browser.Page]:
    """The report, just opened. Whatever is done with it, the console stays empty."""
    only_browser.open(file)
    yield only_browser
    assert only_browser.complaints == []


def type_in(page: browser.Page, field: str, value: str) -> str:
    """What is said of the number of findings after something is typed or chosen."""
    it = f'document.getElementById("{field}")'
    page.run(f'{it}.value = "{value}"; {it}.dispatchEvent(new Event("input"))')
    assert page.run(COUNT).startswith(f"{page.run(VISIBLE)} of 7")
    return str(page.run(COUNT))


def test_opens_from_the_disk_and_asks_for_nothing_else(page: browser.Page, file: Path) -> None:
    assert page.run("document.title") == "fdlint: 7 findings"
    assert (page.run(COUNT), page.run(VISIBLE)) == ("7 of 7", 7)
    assert set(page.requests) == {file.as_uri()}


def test_search_and_filters_narrow_and_widen(page: browser.Page) -> None:
    assert type_in(page, "search", "kind2") == "1 of 7"
    assert type_in(page, "search", "net copy") == "3 of 7"
    assert type_in(page, "search", "nowhere") == "0 of 7"
    assert type_in(page, "search", "") == "7 of 7"
    assert type_in(page, "severity", "warning") == "3 of 7"
    assert type_in(page, "code", "FD101") == "0 of 7"
    assert type_in(page, "severity", "") == "4 of 7"


def press_total(page: browser.Page, kind: str, value: str) -> None:
    page.run(f"document.querySelector('button[data-kind={kind}][data-value=\"{value}\"]').click()")


def test_the_totals_are_filters(page: browser.Page) -> None:
    press_total(page, "directory", "src/net")
    assert (page.run(COUNT), page.run(VISIBLE)) == ("3 of 7 in src/net", 3)
    assert page.run("document.querySelectorAll('button[aria-pressed=true]').length") == 1
    press_total(page, "directory", "src/net")
    press_total(page, "code", "FD101")
    assert (page.run(COUNT), page.run(VISIBLE)) == ("4 of 7", 4)


def test_the_rest_of_a_list_unfolds(only_browser: browser.Page, tmp_path: Path) -> None:
    many = [sample.finding(span=sample.span(1, 1, 2, f"d{one}/x.py"), fingerprint=str(one)) for one in range(20)]
    only_browser.open(written(tmp_path, sample.report(*many)))
    rows = "document.querySelector('table[data-kind=directory]').parentElement.querySelectorAll('button').length"
    assert only_browser.run(rows) == 8
    only_browser.run("document.querySelector('table[data-kind=directory]').nextElementSibling.open = true")
    only_browser.run(SETTLED)
    assert only_browser.run(rows) == 20
    press_total(only_browser, "directory", "d9")
    assert only_browser.run(COUNT) == "1 of 20 in d9"


def test_all_can_be_opened_and_closed(page: browser.Page) -> None:
    opened = 'document.querySelectorAll("details.finding[open]").length'
    assert page.run(opened) == 1
    page.run('document.getElementById("open").click()')
    assert page.run(opened) == 7
    page.run('document.getElementById("close").click()')
    assert page.run(opened) == 0


def test_code_is_rendered_when_a_finding_is_opened(page: browser.Page) -> None:
    assert page.run("document.querySelectorAll('.finding .code').length") == 1
    page.run("document.querySelectorAll('.finding')[3].open = true")
    page.run(SETTLED)
    text = page.run("document.querySelectorAll('.finding')[3].innerText")
    for words in ("fd = os.open(path, os.O_RDONLY)", "1 fd is opened here", "# fdlint: ignore[FD101] reason"):
        assert words in text
    assert page.run("document.querySelectorAll('.finding')[3].querySelector('.points .line').textContent") == "4"


def test_the_suppression_can_be_copied(page: browser.Page) -> None:
    page.allow_copying()
    page.run("document.querySelector('.finding .actions button').click()")
    page.run(SETTLED)
    assert page.run("document.getElementById('told').textContent") == "Copied"
    assert page.run("navigator.clipboard.readText()") == "# fdlint: ignore[FD101] reason"


@pytest.mark.parametrize(
    ("language", "line"),
    [("python", "# fdlint: ignore[FD102] reason"), ("go", "//nolint:fdlint // FD102: reason")],
)
def test_the_suppression_is_that_of_the_language(
    only_browser: browser.Page, tmp_path: Path, language: str, line: str
) -> None:
    only_browser.open(written(tmp_path, sample.report(sample.finding(language=language))))
    assert only_browser.run("document.querySelector('.finding .actions code').textContent") == line


class TestAddress:
    def test_keeps_what_is_chosen(self, page: browser.Page, file: Path) -> None:
        type_in(page, "search", "copy & paste")
        type_in(page, "search", "kind")
        type_in(page, "code", "FD103")
        type_in(page, "group", "function")
        press_total(page, "directory", "src/net")
        fragment = page.run("location.hash")
        assert fragment == "#search=kind&code=FD103&group=function&directory=src%2Fnet"
        page.open(file, fragment)
        assert page.run(COUNT) == "3 of 7 in src/net"
        assert page.run("document.getElementById('search').value") == "kind"
        assert page.run("document.querySelectorAll('#findings h3').length") == 3
        page.run("document.getElementById('reset').click()")
        assert (page.run(COUNT), page.run("location.hash")) == ("7 of 7", "")

    def test_leads_to_a_finding(self, page: browser.Page, file: Path) -> None:
        page.run("document.querySelectorAll('.finding')[5].open = true")
        page.run(SETTLED)
        fragment = page.run("document.querySelectorAll('.finding')[5].querySelector('a').getAttribute('href')")
        assert fragment == f"#finding={5:016}"
        page.open(file, fragment)
        assert page.run("document.activeElement.closest('.finding').id") == f"finding-{5:016}"
        assert page.run("document.activeElement.parentElement.open")
        assert page.run("document.querySelectorAll('.finding[open]').length") == 1

    @pytest.mark.parametrize(
        "fragment",
        ["#finding=none", "#code=FD999&sort=x&group=__proto__", "#%E0%A4%A", "#search=<img src=x onerror=alert(1)>"],
    )
    def test_with_nonsense_in_it(self, page: browser.Page, file: Path, fragment: str) -> None:
        page.open(file, fragment)
        assert page.run(COUNT).endswith(" of 7")
        assert page.run("document.images.length") == 0

    def test_tells_the_same_finding_twice_apart(self, only_browser: browser.Page, tmp_path: Path) -> None:
        twice = [sample.finding(), sample.finding(span=sample.span(4, 40, 50))]
        only_browser.open(written(tmp_path, sample.report(*twice)), "#finding=0123456789abcdef.2")
        assert only_browser.run("[...document.querySelectorAll('.finding')].map(one => one.open)") == [False, True]


class TestKeys:
    FOCUS = "document.activeElement.closest('.finding')?.id ?? document.activeElement.id"

    def test_move_between_findings_and_to_the_search(self, page: browser.Page) -> None:
        page.press("j")
        page.press("j")
        assert page.run(self.FOCUS) == f"finding-{1:016}"
        page.press("k")
        assert page.run(self.FOCUS) == f"finding-{0:016}"
        page.press("k")
        assert page.run(self.FOCUS) == f"finding-{0:016}"
        page.press("j")
        page.press("Enter")
        page.run(SETTLED)
        assert page.run("document.querySelectorAll('.finding[open]').length") == 2
        page.press("/")
        assert page.run(self.FOCUS) == "search"
        assert page.run("document.getElementById('search').value") == ""

    def test_are_letters_where_one_types(self, page: browser.Page) -> None:
        page.press("/")
        for key in "k/j":
            page.press(key)
        assert page.run("document.getElementById('search').value") == "k/j"
        page.press("Escape")
        assert page.run("document.activeElement === document.body")

    def test_reach_all_that_can_be_used(self, page: browser.Page) -> None:
        reached = set()
        for _ in range(40):
            page.press("Tab")
            reached.add(page.run("document.activeElement.id || document.activeElement.tagName"))
        assert {
            "theme",
            "search",
            "severity",
            "code",
            "group",
            "sort",
            "open",
            "csv",
            "json",
            "SUMMARY",
            "A",
        } <= reached


class TestOrder:
    NAMES = "[...document.querySelectorAll('.finding')].map(one => Number(one.id.slice(-1)))"
    HEADS = "[...document.querySelectorAll('#findings h3')].map(one => one.textContent)"

    def test_sorting(self, only_browser: browser.Page, tmp_path: Path) -> None:
        mixed = sorted(findings(), key=lambda one: one.fingerprint, reverse=True)
        only_browser.open(written(tmp_path, sample.report(*mixed)))
        assert only_browser.run(self.NAMES) == [3, 2, 1, 0, 6, 5, 4]
        for order, names in (("place", [6, 5, 4, 3, 2, 1, 0]), ("rule", [3, 2, 1, 0, 6, 5, 4])):
            type_in(only_browser, "sort", order)
            assert only_browser.run(self.NAMES) == names

    def test_impact(self, only_browser: browser.Page, tmp_path: Path) -> None:
        costs = {5: Cost.HIGH, 0: Cost.LOW}
        rated = [
            dataclasses.replace(one, impact=Impact(costs.get(number, Cost.MEDIUM), "so it is said"))
            for number, one in enumerate(findings())
        ]
        only_browser.open(written(tmp_path, sample.report(*rated)))
        assert only_browser.run(self.NAMES) == [5, 1, 2, 3, 4, 6, 0]
        badges = "[...document.querySelectorAll('.finding summary .badge')].map(one => one.textContent)"
        assert only_browser.run(badges) == ["high impact", "low impact"]
        type_in(only_browser, "sort", "severity")
        assert only_browser.run(self.NAMES) == [0, 1, 2, 3, 4, 5, 6]
        type_in(only_browser, "group", "impact")
        assert only_browser.run(self.HEADS) == ["medium 5", "high 1", "low 1"]
        assert type_in(only_browser, "impact", "high") == "1 of 7"
        type_in(only_browser, "impact", "")

    def test_grouping(self, only_browser: browser.Page, tmp_path: Path) -> None:
        found = [*findings()]
        found[0] = dataclasses.replace(
            found[0],
            confidence=Confidence.LOW,
            span=sample.span(1, 1, 2, "tests/a.py"),
            in_tests=True,
            function=None,
        )
        report = dataclasses.replace(
            sample.report(*found),
            trend=Trend("old.json", (found[1],), (), (found[0], *found[2:])),
        )
        only_browser.open(written(tmp_path, report))
        expected = {
            "rule": ["FD101 never-closed 4", "FD103 not-closed-on-exception 3"],
            "directory": ["src/disk 3", "src/net 3", "tests 1"],
            "confidence": ["high 6", "low 1"],
            "tests": ["production code 6", "tests 1"],
            "status": ["unchanged 6", "new 1"],
        }
        for group, heads in expected.items():
            type_in(only_browser, "group", group)
            assert only_browser.run(self.HEADS) == heads
        type_in(only_browser, "group", "function")
        assert "tests/a.py: (no function) 1" in only_browser.run(self.HEADS)
        assert type_in(only_browser, "tests", "tests") == "1 of 7"
        type_in(only_browser, "tests", "")
        assert type_in(only_browser, "status", "new") == "1 of 7"
        assert only_browser.run("document.querySelector('.finding summary .badge').textContent") == "new"
        type_in(only_browser, "status", "")


class TestSaving:
    def saved(self, page: browser.Page, name: str, directory: Path) -> str:
        page.save_to(directory)
        page.run(f"document.getElementById('{name}').click()")
        file = directory / f"fdlint.{name}"
        deadline = time.monotonic() + 30
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        return file.read_bytes().decode()

    def test_json_is_a_report_with_what_is_shown(self, page: browser.Page, tmp_path: Path) -> None:
        type_in(page, "code", "FD103")
        report = read(self.saved(page, "json", tmp_path).encode())
        assert [one.fingerprint for one in report.findings] == [f"{number:016}" for number in (4, 5, 6)]
        assert json.loads((tmp_path / "fdlint.json").read_text())["summary"]["counts"] == {"FD103": 3}

    def test_csv_has_no_formulas(self, only_browser: browser.Page, tmp_path: Path) -> None:
        names = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", 'a "b", c', "x\r\ny"]
        many = [sample.finding(function=name, fingerprint=str(one)) for one, name in enumerate(names)]
        only_browser.open(written(tmp_path, sample.report(*many)))
        rows = [*csv.DictReader(io.StringIO(self.saved(only_browser, "csv", tmp_path), newline=""))]
        assert [row["function"] for row in rows] == [*(f"'{name}" for name in names[:6]), *names[6:]]
        assert (rows[0]["path"], rows[0]["line"], rows[0]["in_tests"]) == ("pkg/mod.py", "4", "false")


def test_without_scripts_all_findings_are_there(page: browser.Page, file: Path) -> None:
    page.script(enabled=False)
    try:
        page.open(file)
        page.script(enabled=True)
        assert page.run("document.querySelectorAll('.finding .plain .steps').length") == 7
        assert page.run("[...document.querySelectorAll('.scripted')].every(one => one.hidden)")
    finally:
        page.script(enabled=True)


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_can_be_read_in_light_and_dark(page: browser.Page, scheme: str, dark: bool, tmp_path: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page.prefer(scheme)
    assert (page.run(ground) != "rgb(255, 255, 255)") == dark
    assert page.run(PALE) == []
    page.run('document.getElementById("theme").click()')
    assert (page.run(ground) == "rgb(255, 255, 255)") == dark
    assert page.run(PALE) == []
    page.screenshot(tmp_path / f"{scheme}.png")
    assert (tmp_path / f"{scheme}.png").stat().st_size > 10_000


def test_prints_what_is_shown_open_and_light(page: browser.Page) -> None:
    type_in(page, "code", "FD103")
    page.prefer("dark")
    page.run("document.documentElement.dataset.theme = 'dark'")
    page.run("dispatchEvent(new Event('beforeprint'))")
    page.medium("print")
    assert page.run("document.querySelectorAll('.finding[open] .story').length") == 3
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.run("document.querySelector('.controls').checkVisibility()")
    page.medium("")
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run("document.querySelectorAll('.finding[open]').length") == 0
    assert page.printed().startswith(b"%PDF")


def test_no_other_script_runs(only_browser: browser.Page, file: Path) -> None:
    only_browser.open(file)
    only_browser.run(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.owned = 1'}))"
    )
    only_browser.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.owned = 1\">')")
    only_browser.run(SETTLED)
    assert only_browser.run("window.owned") is None
    assert any("Content Security Policy" in one for one in only_browser.complaints)
    only_browser.forget()


def test_a_merged_report_has_line_numbers(only_browser: browser.Page, tmp_path: Path) -> None:
    """It has no code, and so the numbers stand beside the steps."""
    only_browser.open(written(tmp_path, dataclasses.replace(sample.report(sample.finding()), sources={})))
    only_browser.run(SETTLED)
    text = only_browser.run("document.querySelector('.story > .steps').innerText")
    assert [" ".join(line.split()) for line in text.split("\n") if line] == [
        "line 4 1 fd is opened here",
        "line 5 2 taken when not path",
        "line 6 3 returns with fd open",
    ]


@pytest.mark.parametrize("with_code", [True, False])
def test_steps_are_in_order_across_files(only_browser: browser.Page, tmp_path: Path, with_code: bool) -> None:
    """Also in a merged report, which has no code."""
    places = [("b.py", 2), ("pkg/mod.py", 4), ("pkg/mod.py", 5), ("b.py", 3), ("pkg/mod.py", 6)]
    trace = tuple(Event(EventKind.BRANCH, sample.span(line, 1, 2, path), f"at {path}") for path, line in places)
    report = sample.report(sample.finding(trace=trace))
    sources = {path: sample.SOURCE for path, _ in places} if with_code else {}
    only_browser.open(written(tmp_path, dataclasses.replace(report, sources=sources)))
    only_browser.run(SETTLED)
    numbers = "[...document.querySelectorAll('.story b.nr')].map(one => one.textContent).join(' ')"
    assert only_browser.run(numbers) == "1 2 3 4 5"
    assert only_browser.run("document.querySelectorAll('.points').length") == int(with_code)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_a_phone(only_browser: browser.Page, tmp_path: Path, scheme: str) -> None:
    """No line is wider than the screen, except in code, which scrolls. No step is beside the screen."""
    long = "".join(f"directory{number}/" for number in range(9)) + "module.py"
    words = "the descriptor that `os.open(path, os.O_RDONLY)` returns stays open on this path, until the process ends"
    span = sample.span(4, 7, 33, long)
    found = sample.finding(
        span=span, message=words, api="example.org/a/b/" + "c" * 60, trace=(Event(EventKind.LEAKED, span, words),)
    )
    source = {long: (*sample.SOURCE[:3], f"    fd = os.open({'path' * 40})", *sample.SOURCE[4:])}
    only_browser.prefer(scheme)
    only_browser.open(written(tmp_path, dataclasses.replace(sample.report(found), sources=source)))
    only_browser.width(390)
    try:
        only_browser.run(SETTLED)
        assert only_browser.run("document.documentElement.scrollWidth") <= 390
        right = "document.querySelector('.step span > span').getBoundingClientRect().right"
        assert only_browser.run(right) <= 390
        assert only_browser.run(VISIBLE) == 1
        assert only_browser.complaints == []
    finally:
        only_browser.width(None)


def test_a_code_stays_on_one_line(page: browser.Page) -> None:
    heights = "[...document.querySelectorAll('td > b')].map(one => one.getClientRects().length)"
    assert set(page.run(heights)) == {1}


def test_compared(only_browser: browser.Page, tmp_path: Path) -> None:
    found = [*findings()]
    gone = sample.finding(fingerprint="gone", span=sample.span(9, 1, 2, "gone.py"))
    trend = Trend("old.json", tuple(found[:2]), (gone,), tuple(found[2:]))
    only_browser.open(written(tmp_path, dataclasses.replace(sample.report(*found), trend=trend)))
    assert type_in(only_browser, "status", "new") == "2 of 7"
    assert type_in(only_browser, "status", "unchanged") == "5 of 7"
    text = only_browser.run("document.body.textContent")
    assert "2 new, 1 fixed, 5 unchanged" in " ".join(text.split())
    assert "gone.py:9" in text
    only_browser.save_to(tmp_path)
    saved = json.loads(TestSaving().saved(only_browser, "json", tmp_path))
    assert {one["state"] for one in saved["findings"]} == {"unchanged"}
    assert saved["summary"]["compared"]["unchanged"] == 5
    assert saved["summary"]["compared"]["new"] == 0
    assert only_browser.complaints == []


def test_merged(only_browser: browser.Page, tmp_path: Path) -> None:
    parts = [read(jsonv1.render(sample.report(*findings())).encode()) for _ in range(2)]
    report = merged([below("api", parts[0]), below("web", parts[1])])
    only_browser.open(written(tmp_path, report))
    only_browser.run(SETTLED)
    assert (only_browser.run(COUNT), only_browser.run(VISIBLE)) == ("14 of 14", 14)
    assert only_browser.run("document.querySelectorAll('.finding[open] .code').length") == 1
    press_total(only_browser, "directory", "web/src/net")
    assert only_browser.run(COUNT) == "3 of 14 in web/src/net"
    assert only_browser.complaints == []


@pytest.mark.skipif(AXE is None, reason="axe-core is not beside a node_modules/.bin on the PATH: npm install axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(only_browser: browser.Page, tmp_path: Path, scheme: str) -> None:
    assert AXE is not None
    found = [*findings()]
    scan = Audited("/src", ("a",), (Revision("/src", "c" * 40, "main"),), "2026-01-01T00:00:00Z", ("scan",))
    report = dataclasses.replace(
        sample.report(*found, skipped=(Skipped("a.py", "too large"),)),
        scans=(scan,),
        withheld=(Withheld(found[0], "comments"),),
        trend=Trend("old.json", tuple(found[:2]), (found[0],), tuple(found[2:])),
    )
    only_browser.prefer(scheme)
    only_browser.open(written(tmp_path, report), "#group=rule")
    only_browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    only_browser.run(SETTLED)
    only_browser.run(f"{AXE.read_text(encoding='utf-8')};0")
    violations = "axe.run().then(found => found.violations.map(one => [one.id, one.nodes[0].html]))"
    assert only_browser.run(violations) == []
    assert only_browser.run("axe.run().then(found => found.passes.length)") > 20


def test_thousands_of_findings_are_quick(only_browser: browser.Page, tmp_path: Path) -> None:
    """Two seconds and a fifth of one on a machine at rest; here there may be others at work."""
    line = ("    value = call(descriptor)  # a line of code",)
    many = [
        dataclasses.replace(one, fingerprint=f"{number:x}", function=f"method{number}", span=sample.span(5, 1, 9, path))
        for number in range(2000)
        for one, path in [(sample.finding(), f"src/d{number // 100}/f{number // 5}.py")]
    ]
    report = dataclasses.replace(sample.report(*many), sources={one.span.path: line * 9 for one in many})
    only_browser.open(written(tmp_path, report))
    opened = only_browser.run(f"(async () => {{ await {SETTLED}; return performance.now() }})()")
    type_in_and_wait = f"""(async () => {{
      const field = document.getElementById("search"), started = performance.now();
      field.value = "method4";
      field.dispatchEvent(new Event("input"));
      await {SETTLED};
      return performance.now() - started;
    }})()"""
    answered = only_browser.run(type_in_and_wait)
    assert only_browser.run(COUNT) == "111 of 2000"
    assert opened < 8000
    assert answered < 1000


def test_nothing_in_the_code_is_run(only_browser: browser.Page, tmp_path: Path) -> None:
    nasty = (
        "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 1'>\x1b[31m\u202e\ud83d\n\u2028"
    )
    span = sample.span(4, 7, 33, f"a/{nasty}.py")
    found = sample.finding(
        message=f"`{nasty}`", function=nasty, span=span, trace=(Event(EventKind.LEAKED, span, f"`{nasty}`"),)
    )
    source = {span.path: tuple(nasty for _ in range(7))}
    report = Report((found,), (), Summary(1, 1, 7, 0.1), source)
    only_browser.open(written(tmp_path, report), "#group=function")
    shown = only_browser.run("document.querySelector('#findings').textContent")
    assert r"\x1b[31m\u202e\ud83d\n\u2028" in shown
    assert not set(shown) & set("\x1b\u202e\u2028")
    assert only_browser.complaints == []
    assert only_browser.run("document.images.length") == 0
    assert only_browser.run("window.owned") is None
    assert only_browser.run(COUNT) == "1 of 1"


@pytest.mark.parametrize("name", ["constructor", "__proto__", "toString", "hasOwnProperty"])
def test_names_that_mean_something_to_scripts(only_browser: browser.Page, tmp_path: Path, name: str) -> None:
    found = sample.finding(code=name, function=name, fingerprint=name, span=sample.span(4, 1, 2, name), trace=())
    only_browser.open(written(tmp_path, dataclasses.replace(sample.report(found), sources={})), "#group=function")
    assert only_browser.complaints == []
    assert only_browser.run(COUNT) == "1 of 1"
