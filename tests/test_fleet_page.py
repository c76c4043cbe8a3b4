"""The page about a fleet, its summary and its tables, from a store that no scan has filled."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest

from fdlint.cli.formats import rulebook
from fdlint.fleet.exports import as_csv, file_names
from fdlint.fleet.job import Job, Outcome, State
from fdlint.fleet.manifest import Listed
from fdlint.fleet.overview import overview
from fdlint.fleet.page import render
from fdlint.fleet.store import Store, opened
from fdlint.fleet.summary import summary
from fdlint.scan.git.fetch import Tip

PAGE = (Path(__file__).parent.parent / "docs" / "fleet-store.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
HOSTILE = "<img src=x onerror=alert(1)>\u202e\x1b[31m</script>.py"
EMPTY: dict[str, Any] = {
    "files": 1,
    "lines": 9,
    "seconds": 0.5,
    "silencing": {"findings": {"comments": 1}},
    "hidden": {},
}


def finding(number: int, path: str = "a.py", impact: str = "medium") -> dict[str, Any]:
    step = {"event": "acquired", "path": path, "line": 2, "column": 1, "message": "opened by `os.open()`"}
    return {
        "code": "FD101", "name": "never-closed", "severity": "error", "language": "python", "path": path, "line": 2,
        "column": 1, "end_line": 2, "end_column": 9, "message": f"`fd{number}` is never closed", "function": "f",
        "api": "os.open", "fingerprint": f"{number:016x}", "confidence": "high", "in_tests": False, "trace": [step],
        "impact": {"level": impact, "reason": "in a loop"}, "assumptions": [], "owners": ["@team"],
    }  # fmt: skip


def scanned(store: Store, name: str, commit: str, findings: list[dict[str, Any]]) -> None:
    report = {"findings": findings, "skipped": [{"path": "b.py", "reason": "too large"}], "summary": EMPTY}
    code = {one["path"]: {"1": "def f():", "2": "    fd = os.open(p, 0)"} for one in findings}
    tip = Tip(commit, "main", "https://github.example.org/team/api.git")
    store.record(Job(Listed(name, path=f"/{name}"), ""), Outcome(State.SCANNED, tip, report=report, code=code))


FLEET = [Listed("api", path="/api"), Listed("web", path="/web"), Listed("late", path="/late")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two runs: in the second, `api` has a new leak and one less, `web` is new, and `late` cannot be fetched."""
    with opened(tmp_path, write=True) as store:
        store.begin(FLEET[:1])
        scanned(store, "api", "a" * 40, [finding(1), finding(2, HOSTILE)])
        store.finish()
        store.begin(FLEET)
        scanned(store, "api", "b" * 40, [finding(2, HOSTILE), finding(3, impact="high")])
        scanned(store, "web", "c" * 40, [finding(number) for number in range(40)])
        store.record(Job(FLEET[2], ""), Outcome(State.FAILED, reason="git fetch: no route to host"))
        store.finish()
        yield store


def test_new_leaks_and_new_repositories_are_apart(store: Store) -> None:
    found = overview(store)
    assert [(one.repository, one.fingerprint) for one in found.new_leaks] == [("api", f"{3:016x}")]
    assert found.new_repositories == ("web",)
    assert [one.name for one in found.not_scanned] == ["late"]
    assert found.findings[0].impact == "high"
    assert [(one.findings, one.new, one.gone) for one in found.runs] == [(2, 0, 0), (42, 1, 1)]


def test_a_new_fdlint_is_the_cause_of_what_it_finds_in_the_same_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, write=True) as store:
        with monkeypatch.context() as older:
            older.setattr("fdlint.fleet.store.__version__", "0.0.1")
            store.begin(FLEET[:1])
            scanned(store, "api", "a" * 40, [finding(1)])
            store.finish()
        assert store.known(FLEET[0]) == ""
        store.begin(FLEET[:1])
        scanned(store, "api", "a" * 40, [finding(1), finding(2)])
        store.finish()
        assert store.known(FLEET[0]) == "a" * 40
        found = overview(store)
    assert not found.new_leaks
    assert [(one.fingerprint, one.state) for one in found.findings] == [
        (f"{2:016x}", "upgrade"),
        (f"{1:016x}", "known"),
    ]


def test_the_summary_fits_into_a_chat(store: Store) -> None:
    text = summary(overview(store))
    assert len(text) < 4_000
    assert "42 findings in 3 repositories" in text
    assert "1 new leak and 1 gone" in text
    assert "no route to host" in text
    assert "\x1b" not in text


def test_a_spreadsheet_takes_no_cell_for_a_formula(store: Store) -> None:
    scanned(store, "web", "d" * 40, [finding(1, "=HYPERLINK(1).py")])
    cells = [row["path"] for row in csv.DictReader(io.StringIO(as_csv(overview(store))))]
    assert "'=HYPERLINK(1).py" in cells


def test_file_names_of_repositories_differ() -> None:
    assert file_names(["a/b", "a_b", "A_B", "..", "ok"]) == {
        "..": "_", "A_B": "A_B", "a/b": "a_b~2", "a_b": "a_b~3", "ok": "ok",
    }  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_the_questions_of_the_documentation_have_answers(query: str, store: Store) -> None:
    scanned(store, "late", "e" * 40, [])
    store.begin(FLEET)
    with store._transaction():  # as if an older fdlint had scanned the same commit
        store.database.execute("UPDATE scan SET version = '0.0.1'")
        store.database.execute("UPDATE run SET started = '2020-01-01T00:00:00Z' WHERE id < 3")
    scanned(store, "web", "c" * 40, [finding(77)])
    store.record(Job(FLEET[0], ""), Outcome(State.FAILED, reason="gone"))
    assert store.rows(query)


@pytest.mark.skipif(browser.executable() is None, reason="there is no Chromium")
def test_the_page_in_a_browser(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "fleet.html"
    file.write_text(render(overview(store), rulebook()), encoding="utf-8")
    with browser.opened(tmp_path / "profile") as page:
        page.open(file)
        assert page.run('document.getElementById("count").textContent') == "42 of 42"
        page.run("document.querySelector('td button[data-value=\"api\"]').click()")
        assert page.run('document.getElementById("count").textContent') == "2 of 42"
        assert page.run("location.hash") == "#repository=api"
        chosen = 'document.querySelector("#detail h3")?.textContent'
        page.run('document.querySelectorAll(".row button")[1].click()')
        wait = (
            f"(async () => {{ while (!{chosen}) await new Promise(done => setTimeout(done, 10)); return {chosen}; }})()"
        )
        assert page.run(wait) == "FD101 never-closed"
        assert "fd = os.open(p, 0)" in page.run('document.getElementById("detail").textContent')
        link = page.run('document.querySelector("#detail a").href')
        assert link.startswith(f"https://github.example.org/team/api/blob/{'b' * 40}/%3Cimg")
        page.open(file, "#state=new leak")
        assert page.run('document.getElementById("count").textContent') == "1 of 42"
        for width in (390, 820, 1400):
            page.width(width)
            assert page.run("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.complaints == []
        assert [address for address in page.requests if not address.startswith(("file:", "about:", "blob:"))] == []
        assert page.run("document.images.length") == 0
        page.script(False)
        page.open(file)
        assert page.run('document.querySelectorAll("noscript li").length') == 42
