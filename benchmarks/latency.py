"""How long the language server takes for a change, on the files of Python's own library or of directories.

    python benchmarks/latency.py [DIR...] [--files 10] [--slowest 5]

It takes files of four lengths which fdlint analyses. It changes the function at the middle of each, five times, and
measures the processor time of the analysis. The first one, which reads the imports, is not counted. There are two
kinds of edits. A call of an unknown function changes what the function does. Of two comments before the first function,
one after the other, the second is measured.
"""

from __future__ import annotations

import argparse
import ast
import re
import sysconfig
import time
from pathlib import Path
from typing import Any, NamedTuple

from fdlint.catalog import NO_MODELS
from fdlint.scan.live import Live
from fdlint.scan.scan import may_matter

CHANGES = 5
LENGTHS = ((100, 400), (400, 1000), (1000, 2000), (2000, 4000))


def main() -> None:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    library = Path(sysconfig.get_path("stdlib"))
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", default=[library])
    parser.add_argument("--files", type=int, default=10, help="of each length")
    parser.add_argument("--slowest", type=int, default=5, help="files to name")
    asked = parser.parse_args()
    slowest: list[tuple[float, Path]] = []
    print("| lines | files | call: median | 95 of 100 | comment: 95 of 100 |")
    print("|---|---:|---:|---:|---:|")
    for least, most in LENGTHS:
        files = [one for root in asked.directories for one in chosen(root, least, most)]
        files = files[:: max(1, len(files) // asked.files)][: asked.files]
        measured = [analysis(path) for path in files]
        slowest += [(max(one.calls), path) for path, one in zip(files, measured, strict=True)]
        calls, comments = ([second for one in measured for second in one[kind]] for kind in range(2))
        times = (at(calls, 0.5), at(calls, 0.95), at(comments, 0.95))
        print(
            f"| {least:,} to {most:,} | {len(files)} | {' | '.join(f'{one * 1000:.0f}' for one in times)} |", flush=True
        )
    for seconds, path in sorted(slowest, reverse=True)[: asked.slowest]:
        print(f"  slowest: {path.name:24} {seconds * 1000:6.0f} ms")


def chosen(root: Path, least: int, most: int) -> Any:
    """The files of that length below a directory that mention descriptors."""
    for path in sorted(root.rglob("*.py")):
        inside = {"site-packages", "idlelib", "lib2to3"}.isdisjoint(path.parts)
        data = path.read_bytes() if inside else b""
        if least <= data.count(b"\n") <= most and may_matter(data, frozenset(), NO_MODELS) and statement(path):
            yield path


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
