"""Counts the fixes that fdlint offers in real code: rules x fixes, and how many of them are proved safe.

    python benchmarks/fixes.py DIR...
    python benchmarks/fixes.py --pairs FILE --repositories DIR [--language go] [--fetch https://github.com/{}.git]

The first form scans each directory as `fdlint scan --diff` does. The second scans the files that a list of fixed
defects names (`corpus/pairs.jsonl`, or JSON lines with `repo`, `parent`, `fix`, `path` and `buggy_line`), each in its
tree before the repair, applies each fix to a copy, and compares it with what the maintainers did. A Go file is scanned
with its directory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labels import Tree
from resemblance import Likeness, likeness
from sources import Repositories

from fdlint.fixes.alignment import applied
from fdlint.report.findings.fix import Edit, Fix
from fdlint.scan.reading.lines import with_ends

COMMAND = (sys.executable, "-m", "fdlint", "scan", "--isolated", "--no-cache", "--diff", "--output-format=json")
STATES = ("safe", "unsafe", "none")
SUFFIX = {"python": (".py",), "go": (".go",), "all": (".py", ".go")}


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
    if options.details and not options.pairs:
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


@dataclass(frozen=True, slots=True)
class Row:
    """A defect that a project fixed."""

    name: str
    before: Tree
    after: Tree
    path: str
    line: int

    @classmethod
    def of(cls, row: dict[str, Any]) -> Row:
        """Reads either form of a list."""
        repository = row.get("repository") or row["repo"]
        before, after = row.get("before") or row["parent"], row.get("after") or row.get("fix", "")
        line = row.get("line") or row["buggy_line"]
        return cls(row["id"], Tree(repository, before), Tree(repository, after), row["path"], line)


def _pairs(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    repositories = Repositories(options.repositories, options.fetch)
    counts: Counter[str] = Counter()
    lines = options.pairs.read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(Row.of, map(json.loads, lines)) if row.path.endswith(SUFFIX[options.language])]
    for row in rows:
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            if not repositories.write(row.before, root, None) or not (root / row.path).is_file():
                counts["not there"] += 1
                continue
            where = row.path if row.path.endswith(".py") else str(Path(row.path).parent)
            found = [
                one
                for one in _scan(root, "--persona=auditor", where)
                if one["path"] == row.path and one["line"] <= row.line <= one["end_line"]
            ]
            said = _compared(repositories, row, root, found)
        counts[said] += 1
        if options.details:
            with options.details.open("a", encoding="utf-8") as file:
                file.write(f"{row.name} {said}\n" + "".join(f"    {_detail(one)}\n" for one in found))
        yield from found
    _print_likeness(counts, len(rows))


def _compared(repositories: Repositories, row: Row, root: Path, found: list[dict[str, Any]]) -> str:
    """What became of a defect: the likeness of its best fix, or why there is none."""
    if not found:
        return "not reported"
    fixes = [one["fix"] for one in found if "fix" in one]
    if not fixes:
        return "no fix"
    before = (root / row.path).read_text(encoding="utf-8", errors="replace")
    with tempfile.TemporaryDirectory() as directory:
        if not repositories.write(row.after, Path(directory), {row.path}):
            return "not there after"
        theirs = (Path(directory) / row.path).read_text(encoding="utf-8", errors="replace")
    found_in = [likeness(row.path, before, _applied(before, fix), theirs) for fix in fixes]
    return min(found_in, key=list(Likeness).index).value


def _applied(text: str, fix: dict[str, Any]) -> str:
    edits = tuple(Edit(one["line"], one["end_line"], one["text"]) for one in fix["edits"])
    return "".join(applied(with_ends(text), Fix("", True, edits)))


def _print_likeness(counts: Counter[str], total: int) -> None:
    print(f"{total} fixed defects:")
    for name in (*(one.value for one in Likeness), "no fix", "not reported", "not there", "not there after"):
        print(f"{counts[name]:5} {name}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fixes on real code, by rule.")
    parser.add_argument("directories", nargs="*", type=Path, help="the trees to scan")
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="a list of fixed defects")
    parser.add_argument("--language", choices=SUFFIX, default="all", help="those of one language")
    parser.add_argument("--repositories", type=Path, default=Path("repositories"), help="git directories or clones")
    parser.add_argument("--fetch", default="", metavar="ADDRESS", help="clone what is not there; {} is owner/name")
    parser.add_argument("--details", type=Path, metavar="FILE", help="write each finding and its fix")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
