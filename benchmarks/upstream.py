"""Writes the patches of bugs that are ready to be sent, one for each row of ``corpus/upstream.jsonl``.

    python benchmarks/upstream.py --repositories DIR [--fetch https://github.com/{}.git] [--rows FILE] OUT

For each row the project's files at its commit are scanned as `fdlint scan --diff` does, and the fix of the finding is
written below OUT as a mail for `git am`. ``git apply --check`` tries each patch on the same files. Nothing of a project
is run, and nothing is sent. Before a person sends one, the person reads it, runs the project's tests, and makes it the
person's own (``git commit --amend --reset-author``).
"""

from __future__ import annotations

import argparse
import difflib
import email.utils
import json
import re
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

from labels import Tree
from sources import Repositories

from fdlint.fixes.alignment import applied
from fdlint.report.findings.fix import Edit, Fix
from fdlint.scan.reading.lines import with_ends

HERE = Path(__file__).parent
COMMAND = (sys.executable, "-m", "fdlint", "scan", "--isolated", "--no-cache", "--diff", "--persona=auditor")
WRITTEN = "written"


def main() -> int:
    """Writes the patches and prints a table of their states. The status is 0 if all are written."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    repositories = Repositories(options.repositories, options.fetch)
    rows = [json.loads(line) for line in options.rows.read_text(encoding="utf-8").splitlines()]
    states: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        with tempfile.TemporaryDirectory() as directory:
            state, mail = _made(repositories, row, Path(directory))
        if mail:
            (options.out / f"{number:04}-{_slug(row)}.patch").write_text(mail, encoding="utf-8")
        states[state] += 1
        print(f"{state:22} {row['repository']} {row['path']}:{row['line']} {row['code']}", flush=True)
    for state, count in states.most_common():
        print(f"{count:5} {state}")
    return 0 if set(states) == {WRITTEN} else 1


def _made(repositories: Repositories, row: dict[str, Any], root: Path) -> tuple[str, str]:
    """Returns what became of a row, and its mail."""
    if not repositories.write(Tree(row["repository"], row["commit"]), root, None):
        return "not fetched", ""
    command = [*COMMAND, "--output-format=json", row["path"]]
    done = subprocess.run(command, check=False, cwd=root, capture_output=True, text=True)
    place = row["path"], row["line"], row["code"]
    found = [one for one in json.loads(done.stdout)["findings"] if (one["path"], one["line"], one["code"]) == place]
    if not found:
        return "not reported", ""
    if "fix" not in found[0]:
        return "no fix", ""
    diff = _diff(root, row["path"], found[0]["fix"])
    checked = subprocess.run(
        ["git", "apply", "--check", "-"], check=False, cwd=root, input=diff, capture_output=True, text=True
    )
    return WRITTEN if checked.returncode == 0 else "does not apply", _mail(row, found[0], diff)


def _diff(root: Path, path: str, fix: dict[str, Any]) -> str:
    before = with_ends((root / path).read_bytes().decode("utf-8"))
    edits = tuple(Edit(one["line"], one["end_line"], one["text"]) for one in fix["edits"])
    after = with_ends("".join(applied(before, Fix("", True, edits))))
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return f"diff --git a/{path} b/{path}\n{''.join(lines)}"


def _mail(row: dict[str, Any], finding: dict[str, Any], diff: str) -> str:
    """Returns a mail as `git format-patch` writes it."""
    told = [row["text"], f"How to see it: {row['see']}", f"Found by fdlint: {finding['code']} {finding['name']}."]
    body = "\n\n".join(textwrap.fill(one, 72, break_long_words=False, break_on_hyphens=False) for one in told)
    head = [
        f"From {row['commit']} Mon Sep 17 00:00:00 2001",
        "From: fdlint <fdlint@localhost>",
        f"Date: {email.utils.formatdate()}",
        f"Subject: [PATCH] {row['title']}",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=UTF-8",
        "Content-Transfer-Encoding: 8bit",
    ]
    return "\n".join([*head, "", body, "---", diff]) + "-- \nfdlint\n"


def _slug(row: dict[str, Any]) -> str:
    return re.sub(r"\W+", "-", f"{row['repository'].rpartition('/')[2]} {row['title']}").strip("-").lower()[:60]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Patches of bugs that are ready to be sent.")
    parser.add_argument("out", type=Path, metavar="OUT", help="the directory for the patches")
    parser.add_argument("--rows", type=Path, default=HERE / "corpus" / "upstream.jsonl", metavar="FILE")
    parser.add_argument("--repositories", type=Path, default=Path("repositories"), help="git directories or clones")
    parser.add_argument("--fetch", default="", metavar="ADDRESS", help="clone what is not there; {} is owner/name")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
