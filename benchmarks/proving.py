"""How often `fdlint prove --run` proves findings of high confidence in wheels, and wrong claims about correct calls.

    python benchmarks/proving.py DIR [--claims] [--details FILE]

It EXECUTES code of the wheels in DIR: run it as a user without rights, with a Python that has what the wheels need. A
finding is right, or wrong, if benchmarks/corpus has a verdict on it: of the same rule, in
the same file, at most 50 lines away. A wrong claim is FD101 at a call that has no finding, in a function with a
call of the same name that the corpus labels as correct.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parent / "corpus"
sys.path.insert(0, str(CORPUS.parent.parent))

from fdlint.api import scan_paths  # noqa: E402
from fdlint.core.finding import Confidence, Event, EventKind, Finding, Severity, Span  # noqa: E402
from fdlint.runtime.proof import running  # noqa: E402
from fdlint.runtime.proof.target import NoProofError, Sources, defect_of  # noqa: E402

NEAR = 50
LABELS = {"true": "right", "harmless": "right", "false": "wrong"}


def main() -> int:
    """Runs the proofs, and prints a table. The status is 0, or 2 for root."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--claims", action="store_true", help="try wrong claims instead of findings")
    parser.add_argument("--details", type=Path, metavar="FILE", help="write each verdict there, a line of JSON each")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    if os.geteuid() == 0:
        print("it executes code of others: run it as a user without rights", file=sys.stderr)
        return 2
    running.SECONDS *= 5  # the machine may do other work; a search has its own limit
    wheels = sorted(asked.directory.resolve().glob("*.whl"))
    with ProcessPoolExecutor(asked.jobs) as processes:
        rows = [row for found in processes.map(_proved, wheels, repeat(asked.claims)) for row in found]
    if asked.details:
        asked.details.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    print(_table(rows))
    return 0


def _table(rows: list[dict[str, Any]]) -> str:
    counts = Counter((row["label"], row["verdict"]) for row in rows)
    lines = ["| what | findings | proved | not reached, or no test | refuted |", "|---|---|---|---|---|"]
    for label in dict.fromkeys(sorted(row["label"] for row in rows)):
        total = sum(number for (one, _), number in counts.items() if one == label)
        proved, refuted = counts[label, "proved"], counts[label, "refuted"]
        share = f"{proved} ({100 * proved / total:.0f} %)"
        lines.append(f"| {label} | {total} | {share} | {total - proved - refuted} | {refuted} |")
    return "\n".join(lines)


def _proved(wheel: Path, asks_claims: bool) -> list[dict[str, Any]]:
    """Unpacks a wheel, scans it, and proves what is found."""
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(work)
        report = scan_paths(["."], isolated=True, persona="auditor", tests="all", suppressions=False, jobs=1)
        known = {(one.span.path, one.span.line) for one in report.findings}
        claims = [one for one in _wrong_claims(_rows("sites")) if (one.span.path, one.span.line) not in known]
        findings = [one for one in report.findings if one.confidence is Confidence.HIGH]
        sources, rows = Sources(), []
        with running.prepared(work) as place:
            for finding in claims if asks_claims else findings:
                row = {"wheel": wheel.name, "path": finding.span.path, "line": finding.span.line}
                row["label"] = "wrong claims" if asks_claims else _label(finding, _rows("verdicts"))
                row |= {"code": finding.code, "function": finding.function}
                try:
                    found = running.run(finding, defect_of(finding, sources), place)
                    row |= {"verdict": found.verdict, "reason": found.reason, "premises": found.premises}
                except NoProofError as error:
                    row |= {"verdict": "no test", "reason": str(error)}
                rows.append(row)
                print(json.dumps(row), file=sys.stderr, flush=True)
    return rows


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _label(finding: Finding, verdicts: list[dict[str, Any]]) -> str:
    rows = [one for one in verdicts if one["path"].endswith(finding.span.path) and one["code"] == finding.code]
    distance, verdict = min(((abs(r["line"] - finding.span.line), r["verdict"]) for r in rows), default=(NEAR + 1, ""))
    return LABELS[verdict] if distance <= NEAR else "not read"


def _wrong_claims(sites: list[dict[str, Any]]) -> Iterator[Finding]:
    """Yields a claim for each call of this directory that is labelled as correct."""
    seen = set()
    for site in sites:
        path = next((str(one) for one in _shorter(Path(site["path"])) if one.is_file()), "")
        if site["label"] != "ok" or not path.endswith(".py") or site["function"] is None:
            continue
        for line in _calls(Path(path), site["function"].split(".")[-1], site["api"].split(".")[-1]):
            if (path, line) not in seen:
                seen.add((path, line))
                span = Span(path, line, 1, line, 2)
                step = Event(EventKind.ACQUIRED, span, "acquired here")
                name, api = "never-closed", site["api"]
                values = "FD101", name, Severity.ERROR, span, "a wrong claim", site["function"], api, f"{line}", (step,)
                yield Finding(*values, confidence=Confidence.HIGH)


def _shorter(path: Path) -> Iterator[Path]:
    """Yields a path without the folders above its packages: a wheel lacks `src` or `lib`."""
    for at in range(min(2, len(path.parts) - 1)):
        yield Path(*path.parts[at:])


def _calls(path: Path, function: str, name: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function:
            for one in ast.walk(node):
                if isinstance(one, ast.Call) and name in (getattr(one.func, "attr", ""), getattr(one.func, "id", "")):
                    yield one.lineno


if __name__ == "__main__":
    sys.exit(main())
