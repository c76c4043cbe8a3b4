"""Counts the fixes that fdlint offers in real code: rules x fixes, and how many of them are proved safe.

    python benchmarks/fixes.py DIR...
    python benchmarks/fixes.py --pairs FILE --repositories DIR [--fetch https://github.com/{}.git]

The first form scans each directory as `fdlint scan --show-fixes` does. The second scans the files that a list of fixed
defects names (JSON lines with `repo`, `parent`, `path` and `buggy_line`), each in its tree before the repair.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labels import Tree
from sources import Repositories

COMMAND = (sys.executable, "-m", "fdlint", "scan", "--isolated", "--no-cache", "--show-fixes", "--output-format=json")
STATES = ("safe", "unsafe", "none")


def main() -> int:
    """Prints the table. The status is 0, or 2 if nothing was found."""
    options = _options()
    found = list(_pairs(options) if options.pairs else _directories(options))
    counts = Counter((one["code"], one.get("fix", {}).get("applicability", "none")) for one in found)
    print("| rule | findings | safe | unsafe | none |\n|---|---|---|---|---|")
    for code in sorted({code for code, _ in counts}):
        numbers = [counts[code, state] for state in STATES]
        print(f"| {code} | {sum(numbers)} | {' | '.join(map(str, numbers))} |")
    total = [sum(counts[code, state] for code in {code for code, _ in counts}) for state in STATES]
    print(f"| all | {sum(total)} | {' | '.join(map(str, total))} |")
    for title, number in Counter(_kind(one["fix"]["title"]) for one in found if "fix" in one).most_common():
        print(f"{number:5} {title}")
    if options.details:
        options.details.write_text("\n".join(map(_detail, found)) + "\n", encoding="utf-8")
    return 0 if found else 2


def _kind(title: str) -> str:
    """Returns a title without its names."""
    return "`…`".join(title.split("`")[::2])


def _detail(one: dict[str, Any]) -> str:
    fix = one.get("fix")
    said = f"{fix['applicability']}: {fix['title']}" if fix else "none"
    return f"{one['path']}:{one['line']} {one['code']} {one['confidence']} {said} | {one['message']}"


def _scan(where: Path, *options: str) -> list[dict[str, Any]]:
    done = subprocess.run([*COMMAND, *options], check=False, cwd=where, capture_output=True, text=True)
    try:
        return list(json.loads(done.stdout)["findings"])
    except ValueError:
        print(f"{where}: no report: {done.stderr[-300:]}", file=sys.stderr)
        return []


def _directories(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for directory in options.directories:
        yield from _scan(directory, ".")


def _pairs(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    repositories = Repositories(options.repositories, options.fetch)
    for line in options.pairs.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        tree = Tree(row["repo"], row["parent"])
        with tempfile.TemporaryDirectory() as directory:
            if not repositories.write(tree, Path(directory), None):
                print(f"{row['repo']} at {row['parent'][:12]}: not there", file=sys.stderr)
                continue
            found = _scan(Path(directory), "--tests=all", "--confidence=low", row["path"])
        yield from (one for one in found if one["line"] <= row["buggy_line"] <= one["end_line"])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fixes on real code, by rule.")
    parser.add_argument("directories", nargs="*", type=Path, help="the trees to scan")
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="a list of fixed defects")
    parser.add_argument("--repositories", type=Path, default=Path("repositories"), help="git directories or clones")
    parser.add_argument("--fetch", default="", metavar="ADDRESS", help="clone what is not there; {} is owner/name")
    parser.add_argument("--details", type=Path, metavar="FILE", help="write each finding and its fix")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
