"""How quickly the HTML audit opens, searches and groups in a browser, by the number of findings.

    python benchmarks/audit.py [--findings 500,5000] [--runs N]

The findings are made up: five in a file of 120 lines, each with a path of three steps. Times are the fastest of the
runs, in a headless Chromium: until the page has loaded and is painted; from typing a word until the answer is painted;
until the findings are grouped by directory.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import browser

from fdlint.cli.formats import rendered
from fdlint.core.finding import Confidence, Event, EventKind, Finding, Severity, Span
from fdlint.report.findings.finding import Report, Summary

PAINTED = "await new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
OPENED = f"(async () => {{ {PAINTED}; return performance.now(); }})()"
ANSWERED = """(async () => {{
  const field = document.getElementById("{field}"), started = performance.now();
  field.value = "{value}";
  field.dispatchEvent(new Event("input"));
  {painted};
  return performance.now() - started;
}})()"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time the HTML audit in a browser.")
    parser.add_argument("--findings", default="500,5000", metavar="NUMBERS", help="how many findings (500,5000)")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of each (3)")
    options = parser.parse_args()
    if browser.executable() is None:
        parser.error("there is no Chromium")
    print("| findings | size | written in | opens in | search | group |\n|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        for number in map(int, options.findings.split(",")):
            file = Path(scratch, f"{number}.html")
            started = time.perf_counter()
            file.write_text(rendered("html", report(number)), encoding="utf-8")
            written = time.perf_counter() - started
            opened, search, group = (min(times) for times in zip(*timed(file, options.runs), strict=True))
            size = file.stat().st_size / 1e6
            print(f"| {number:,} | {size:.1f} MB | {written:.1f} s | {opened:.2f} s | {search:.2f} s | {group:.2f} s |")


def report(number: int) -> Report:
    """A report with so many findings."""
    findings = tuple(finding(index) for index in range(number))
    text = tuple(f"    value_{line} = call(descriptor, 'some text', {line})  # line {line}" for line in range(1, 121))
    sources = {one.span.path: text for one in findings}
    return Report(findings, (), Summary(len(sources), len(sources), 120 * len(sources), 1.0), sources)


def finding(index: int) -> Finding:
    """One of them; every fifth is in another file."""
    path = f"src/package{index // 100}/module{index // 5}.py"
    line = 10 + index % 5 * 20
    steps = ((EventKind.ACQUIRED, 0, "acquired by os.open()"), (EventKind.RAISED, 3, "`call()` can raise"))
    events = (*steps, (EventKind.LEAKED, 6, "still open when the exception leaves the function"))
    trace = tuple(Event(kind, Span(path, line + at, 5, line + at, 20), said) for kind, at, said in events)
    return Finding(
        code=("FD101", "FD102", "FD103")[index % 3],
        name=("never-closed", "not-closed-on-path", "not-closed-on-exception")[index % 3],
        severity=Severity.WARNING if index % 3 == 2 else Severity.ERROR,
        span=Span(path, line, 5, line, 20),
        message=f"`fd{index}` from os.open() stays open if something raises before it is closed or handed over",
        function=f"Class{index % 7}.method{index}",
        api="os.open",
        fingerprint=f"{index:016x}",
        trace=trace,
        language="python",
        confidence=Confidence.HIGH,
    )


def timed(file: Path, runs: int) -> Iterator[tuple[float, float, float]]:
    """Seconds until a page is open, until a search is answered, until the findings are in groups; for each run."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser.opened(Path(profile)) as page:
        for _ in range(runs):
            page.open(file)
            opened = page.run(OPENED)
            search = page.run(ANSWERED.format(field="search", value="method4", painted=PAINTED))
            page.run(ANSWERED.format(field="search", value="", painted=PAINTED))
            group = page.run(ANSWERED.format(field="group", value="directory", painted=PAINTED))
            page.run("history.replaceState(null, '', location.href.split('#')[0])")
            yield opened / 1000, search / 1000, group / 1000


if __name__ == "__main__":
    main()
