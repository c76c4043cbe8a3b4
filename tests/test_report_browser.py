"""The audit report in a real browser: opened from the disk, searched, filtered, light and dark, printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
import sample

from fdlint.finding import Event, EventKind, Finding, Report, Severity, Summary
from fdlint.report.html import render
from fdlint.report.rulebook import Entry

pytestmark = pytest.mark.skipif(browser.executable() is None, reason="there is no Chromium")

RULES = {
    code: Entry(code, name, severity, f"Finds `{name}` code", f"# {code}\n")
    for code, name, severity in (
        ("FD101", "never-closed", Severity.ERROR),
        ("FD103", "not-closed-on-exception", Severity.WARNING),
    )
}
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


def test_the_totals_are_filters(page: browser.Page) -> None:
    click = 'document.querySelector("{}").click()'
    page.run(click.format("button[data-directory='src/net']"))
    assert (page.run(COUNT), page.run(VISIBLE)) == ("3 of 7 in src/net", 3)
    page.run(click.format("button[data-directory='src/net']"))
    page.run(click.format("button[data-code=FD101]"))
    assert (page.run(COUNT), page.run(VISIBLE)) == ("4 of 7", 4)


def test_all_can_be_opened_and_closed(page: browser.Page) -> None:
    opened = 'document.querySelectorAll("details[open]").length'
    assert page.run(opened) == 1
    page.run('document.getElementById("open").click()')
    assert page.run(opened) == 7
    page.run('document.getElementById("close").click()')
    assert page.run(opened) == 0


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


def test_prints(page: browser.Page) -> None:
    assert page.printed().startswith(b"%PDF")


def test_nothing_in_the_code_is_run(only_browser: browser.Page, tmp_path: Path) -> None:
    nasty = "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 1'>"
    span = sample.span(4, 7, 33, f"a/{nasty}.py")
    found = sample.finding(
        message=f"`{nasty}`", function=nasty, span=span, trace=(Event(EventKind.LEAKED, span, f"`{nasty}`"),)
    )
    source = {span.path: tuple(nasty for _ in range(7))}
    (tmp_path / "nasty.html").write_text(render(Report((found,), (), Summary(1, 1, 7, 0.1), source), RULES), "utf-8")
    only_browser.open(tmp_path / "nasty.html")
    assert only_browser.complaints == []
    assert only_browser.run("document.images.length") == 0
    assert only_browser.run("window.owned") is None
    assert only_browser.run(COUNT) == "1 of 1"
