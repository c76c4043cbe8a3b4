"""What other tools say of the defects that fdlint's documentation shows.

    python benchmarks/compare.py [--bin DIR]... [--semgrep-rules DIR] [--details]

The cases are pairs: each block that is marked as bad on the pages of the rules and in docs/patterns with the good
one after it, and the buggy and fixed examples. A tool *tells a pair apart* if it says something of the bad half that
it does not say of the good half, whatever that is. All its rules are on. Tools are looked for in the directories
given by --bin, then on the PATH; one that is not there is said not to have been run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from fenced import Block, marked_blocks, page_blocks  # noqa: E402

from fdlint.core.checks import all_rules  # noqa: E402

Said: TypeAlias = Iterator[tuple[str, str]]
"""File name and code of each message."""

# Of the rules that tell pairs apart, those that mean what is wrong with the bad half.
RESOURCES = re.compile(r"FD\d+|SIM115|consider-using-with|open-never-closed|file-object-redefined-before-close")


@dataclass(frozen=True, slots=True)
class Pair:
    """One case: the file names of its halves, and the codes that fdlint promises of the bad one."""

    name: str
    bad: str
    good: str
    language: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One to compare with: its command, and how its output is read.

    ``each``: it is run on each case alone, as what else is there matters to it.
    """

    name: str
    languages: frozenset[str]
    command: tuple[str, ...]
    read: Callable[[str], Said]
    each: bool = False


def main() -> None:
    """Run everything and print the table."""
    options = _options()
    os.environ["PATH"] = os.pathsep.join([*options.bin, os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as directory:
        where = Path(directory)
        pairs = list(_written(where))
        print(f"{len(pairs)} pairs, {sum(pair.language == 'go' for pair in pairs)} of them in Go\n")
        print("| tool | pairs told apart | by rules about resources | by all rules |\n|---|---|---|---|")
        for tool in _tools(options.semgrep_rules):
            program = shutil.which(tool.command[0])
            if program is None:
                print(f"| {tool.name} | not run: not installed | | |")
                continue
            _row(
                tool, _said(program, tool, where), [pair for pair in pairs if pair.language in tool.languages], options
            )


def _row(tool: Tool, said: dict[str, Counter[str]], pairs: list[Pair], options: argparse.Namespace) -> None:
    apart = {pair: said.get(pair.bad, Counter()) - said.get(pair.good, Counter()) for pair in pairs}
    codes = Counter(code for surplus in apart.values() for code in surplus)
    told = sum(bool(surplus) for surplus in apart.values())
    meant = sum(any(RESOURCES.fullmatch(code) for code in surplus) for surplus in apart.values())
    rules = ", ".join(f"{code} {n}" for code, n in codes.most_common())
    print(f"| {tool.name} | {told} of {len(pairs)} | {meant} | {rules} |", flush=True)
    if options.details:
        for pair, surplus in apart.items():
            print(f"    {pair.name}: {', '.join(surplus) or '-'}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What other tools say of the defects in fdlint's documentation.")
    parser.add_argument("--bin", action="append", default=[], metavar="DIR", help="look for the tools here first")
    parser.add_argument("--semgrep-rules", metavar="DIR", help="a checkout of semgrep/semgrep-rules")
    parser.add_argument("--details", action="store_true", help="say which pairs")
    return parser.parse_args()


def _written(where: Path) -> Iterator[Pair]:
    """All pairs, written to files."""
    for loaded in all_rules():
        if loaded.rule.code != "FD900":  # it is about fdlint's own comments
            yield from _pairs(where, loaded.rule.code, page_blocks(loaded.page, loaded.rule.code))
    for page in sorted((ROOT / "docs" / "patterns").glob("*.md")):
        yield from _pairs(where, page.stem, marked_blocks(page.read_text(encoding="utf-8")))
    for bad in sorted((ROOT / "examples").glob("*/buggy*")):
        good = bad.with_name(bad.name.replace("buggy", "fixed"))
        name = f"{bad.parent.name}_{bad.stem}_{bad.suffix[1:]}"
        yield _pair(where, name, (bad.read_text("utf-8"), good.read_text("utf-8")), bad.suffix)


def _pairs(where: Path, name: str, blocks: list[Block]) -> Iterator[Pair]:
    for bad, good in itertools.pairwise(blocks):
        if bad.rule and good.rule is None:
            yield _pair(where, f"{name}_{bad.line}", (bad.text, good.text), ".py")


def _pair(where: Path, name: str, texts: tuple[str, str], suffix: str) -> Pair:
    files = []
    for half, text in zip(("bad", "good"), texts, strict=True):
        file = where / f"{name}_{half}" / f"case{suffix}"
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
        files.append(f"{file.parent.name}/{file.name}")
    return Pair(name, files[0], files[1], "go" if suffix == ".go" else "python")


def _said(program: str, tool: Tool, where: Path) -> dict[str, Counter[str]]:
    environment = {**os.environ, "SEMGREP_SEND_METRICS": "off", "SEMGREP_ENABLE_VERSION_CHECK": "0"}
    said: dict[str, Counter[str]] = {}
    for place in sorted(where.iterdir()) if tool.each else [where]:
        arguments = [program, *tool.command[1:]]
        done = subprocess.run(arguments, cwd=place, env=environment, capture_output=True, text=True, check=False)
        for file, code in tool.read(done.stdout):
            said.setdefault(Path(os.path.relpath(place / file, where)).as_posix(), Counter())[code] += 1
    return said


def _tools(semgrep_rules: str | None) -> Iterable[Tool]:
    python = frozenset({"python"})
    both = python | {"go"}
    yield Tool("fdlint", both, ("fdlint", "scan", "--isolated", "--output-format", "json"), _fdlint, each=True)
    yield Tool(
        "ruff",
        python,
        ("ruff", "check", "--isolated", "--select=ALL", "--preview", "--no-cache", "--output-format=json", "."),
        lambda out: ((one["filename"], one["code"] or "syntax") for one in json.loads(out)),
    )
    yield Tool(
        "pylint",
        python,
        ("pylint", "--enable=all", "--disable=duplicate-code", "--recursive=y", "--output-format=json2", "."),
        lambda out: ((one["path"], one["symbol"]) for one in json.loads(out)["messages"]),
    )
    yield Tool(
        "flake8 with flake8-bugbear",
        python,
        ("flake8", "--isolated", "--select=B,C,E,F,W", "--max-complexity=10", "--format=%(path)s\t%(code)s", "."),
        lambda out: (tuple(line.split("\t")) for line in out.splitlines()),  # type: ignore[misc]
    )
    if semgrep_rules:
        rules = [f"--config={Path(semgrep_rules).resolve() / language}" for language in sorted(both)]
        yield Tool(
            "Semgrep with semgrep-rules",
            both,
            ("semgrep", "scan", *rules, "--json", "--no-git-ignore", "--metrics=off", "--disable-version-check", "."),
            lambda out: ((one["path"], one["check_id"].rpartition(".")[2]) for one in json.loads(out)["results"]),
        )


def _fdlint(out: str) -> Said:
    return ((one["path"], one["code"]) for one in json.loads(out)["findings"])


if __name__ == "__main__":
    main()
