"""How long the language server takes for a change, on the files of Python's own library or of directories.

    python benchmarks/latency.py [DIR...] [--files 60] [--slowest 5]

It takes files of up to 4,000 lines as chance has it, and changes the function at the middle of each five times. It
measures the processor time of each analysis but the first, which reads the imports. A call of an unknown function
changes what the function does. Of two comments before the first function, one after the other, the second is measured.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import re
import sysconfig
import time
from pathlib import Path
from typing import NamedTuple

from fdlint.catalog import NO_MODELS
from fdlint.scan.live import Live
from fdlint.scan.scan import may_matter

CHANGES = 5
LINES = range(20, 4001)


def main() -> None:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    library = Path(sysconfig.get_path("stdlib"))
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", default=[library])
    parser.add_argument("--files", type=int, default=60, help="of each directory")
    parser.add_argument("--slowest", type=int, default=5, help="files to name")
    asked = parser.parse_args()
    measured = [(path, analysis(path)) for root in asked.directories for path in chosen(root, asked.files)]
    print("| files | number | call: median | 95 of 100 | comment: 95 of 100 |")
    print("|---|---:|---:|---:|---:|")
    shown("as chance has them", [one for _, one in measured])
    shown("of these, those that mention descriptors", [one for path, one in measured if mentions(path)])
    for seconds, path in sorted(((max(one.calls), path) for path, one in measured), reverse=True)[: asked.slowest]:
        print(f"  slowest: {path.name:24} {seconds * 1000:6.0f} ms")


def shown(name: str, measured: list[Seconds]) -> None:
    """Prints the row of these files."""
    calls, comments = ([second for one in measured for second in one[kind]] for kind in range(2))
    times = (at(calls, 0.5), at(calls, 0.95), at(comments, 0.95))
    print(f"| {name} | {len(measured)} | {' | '.join(f'{one * 1000:.0f}' for one in times)} |", flush=True)


def chosen(root: Path, number: int) -> list[Path]:
    """Files below a directory that have a function, in an order that does not depend on where the directory is."""
    files = [one for one in root.rglob("*.py") if {"site-packages", "idlelib", "lib2to3"}.isdisjoint(one.parts)]
    by_chance = sorted(files, key=lambda one: hashlib.sha256(str(one.relative_to(root)).encode()).digest())
    return [one for one in by_chance if one.read_bytes().count(b"\n") in LINES and statement(one)][:number]


def mentions(path: Path) -> bool:
    """Whether a file mentions descriptors."""
    return may_matter(path.read_bytes(), frozenset(), NO_MODELS)


def statement(path: Path) -> ast.stmt | None:
    """The statement of a function that is nearest to the middle of a file."""
    try:
        text = path.read_text(encoding="utf-8")
        functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError):
        return None
    middle = text.count("\n") // 2
    inside = [node for one in functions for node in one.body]
    return min(inside, key=lambda node: abs(node.lineno - middle), default=None)


def changed(path: Path, number: int) -> str:
    """The text with a call in the function at its middle."""
    lines = path.read_text(encoding="utf-8").split("\n")
    there = statement(path)
    assert there is not None
    new = f"{' ' * there.col_offset}changed({number})"
    return "\n".join([*lines[: there.lineno - 1], new, *lines[there.lineno - 1 :]])


class Seconds(NamedTuple):
    """The seconds for each warm analysis, by the kinds of edits."""

    calls: list[float]
    comments: list[float]


def analysis(path: Path) -> Seconds:
    """Measures the edits of one file. Each one changes the text before it."""
    live = Live()
    seconds = Seconds([], [])
    for number in range(CHANGES + 1):
        text = changed(path, number)
        seconds.calls.append(timed(live, text, path))
        timed(live, commented(text, "a word"), path)
        seconds.comments.append(timed(live, commented(text, "another"), path))
        timed(live, text, path)
    return Seconds(*(one[1:] for one in seconds))


def timed(live: Live, text: str, path: Path) -> float:
    """The seconds of processor time for one text."""
    data = text.encode()
    started = time.process_time()
    live.look(data, path)
    return time.process_time() - started


def commented(text: str, words: str) -> str:
    """The text with a comment before its first function."""
    return re.sub(r"(?m)^((?:@|def |class ))", rf"# {words}\n\1", text, count=1)


def at(seconds: list[float], share: float) -> float:
    """The time within which this share of the edits is done."""
    found = sorted(seconds)
    return found[min(len(found) - 1, int(len(found) * share))] if found else 0.0


if __name__ == "__main__":
    main()
