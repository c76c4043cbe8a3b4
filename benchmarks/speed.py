"""How long fdlint and other tools take on the same files, and how much memory.

    python benchmarks/speed.py ROOT [--runs N] [--tools fdlint,ruff] [--pylint-path DIR] [--json FILE] [--profile]

Times are hyperfine's (https://github.com/sharkdp/hyperfine), the fastest of the runs: whatever else a machine does only
adds to them. Peak memory is that of all of a tool's processes, in one more run, and wants psutil. Ratios are to ruff.
The tools do different work: ruff and pylint look at calls that open files, Semgrep at one pattern, ripgrep for the
words that make fdlint look at a file. Go is left out. Tools that are not on the PATH, or beside this Python, are named
as skipped.
pylint is slow and is run only on the files below --pylint-path, so it has no ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from fdlint.catalog import default_catalog

RULE = "rules: [{id: os-open, languages: [python], severity: WARNING, message: opened, pattern: os.open(...)}]\n"
FDLINT = (sys.executable, "-m", "fdlint", "scan", "--isolated", "--quiet", "--exit-zero", "--exclude=*.go")
HYPERFINE = "hyperfine is not installed: apt install hyperfine, brew install hyperfine, or cargo install hyperfine"
TO = "ruff"


@dataclass(frozen=True, slots=True)
class Tool:
    """One to time. ``first`` makes ready what it finds when it is run; ``root``: it reads the same files as the
    others."""

    name: str
    command: tuple[str, ...]
    first: str | None = None
    root: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool took: seconds (the fastest run, the median) and bytes."""

    name: str
    fastest: float
    median: float
    memory: int | None
    root: bool


def main() -> None:
    """Run everything and print the tables."""
    options = _options()
    hyperfine = shutil.which("hyperfine")
    if hyperfine is None:
        sys.exit(HYPERFINE)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled, and so is what is measured
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as scratch:
        results = []
        for tool in tools(options.root, Path(scratch), options.pylint_path):
            if options.tools and tool.name.split()[0] not in options.tools.split(","):
                continue
            if shutil.which(tool.command[0]) is None:
                print(f"{tool.name}: skipped, as it is not installed", file=sys.stderr)
                continue
            results.append(_timed(hyperfine, tool, options.runs, Path(scratch)))
    print("\n".join(table(results)))
    stages = _stages(options.root) if options.profile else {}
    if options.json:
        document = {"results": [asdict(one) for one in results], "stages": stages}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare the speed of fdlint with that of other tools.")
    parser.add_argument("root", type=Path, metavar="ROOT", help="the directory that is scanned")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each tool (5)")
    parser.add_argument("--tools", metavar="NAMES", help="only these: fdlint,ruff,semgrep,pylint,ripgrep")
    parser.add_argument("--pylint-path", type=Path, metavar="DIR", help="what pylint is run on")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file, too")
    parser.add_argument("--profile", action="store_true", help="say where fdlint's time goes, in one more run")
    return parser.parse_args()


def tools(root: Path, scratch: Path, pylint_path: Path | None) -> Iterator[Tool]:
    """All there are, with what they need written to ``scratch``."""
    place = str(root.resolve())
    if has_cache():
        yield Tool("fdlint cold", (*FDLINT, "--no-cache", place))
        yield Tool("fdlint warm", (*FDLINT, place), first=shlex.join((*FDLINT, place)))
    else:
        yield Tool("fdlint", (*FDLINT, place))
    yield Tool("ruff", ("ruff", "check", "--isolated", "--select=SIM115", "--no-cache", "--quiet", "-e", place))
    rule, words = scratch / "rule.yaml", scratch / "words.txt"
    rule.write_text(RULE, encoding="utf-8")
    words.write_bytes(b"\n".join(default_catalog().prefilter.words()) + b"\n")
    quiet = ("--quiet", "--metrics=off", "--disable-version-check")
    yield Tool("semgrep", ("semgrep", "scan", "--config", str(rule), "--no-git-ignore", *quiet, place))
    yield Tool("ripgrep", ("rg", "--files-with-matches", "--fixed-strings", "-f", str(words), "-g*.py", place))
    if pylint_path is not None:
        only = ("--disable=all", "--enable=R1732", "--recursive=y", "--exit-zero")
        yield Tool("pylint", ("pylint", *only, str(pylint_path.resolve())), root=False)


def has_cache() -> bool:
    """Whether this fdlint keeps what it has found out."""
    done = subprocess.run([*FDLINT, "--help"], capture_output=True, text=True, check=False)
    return "--no-cache" in done.stdout


def _timed(hyperfine: str, tool: Tool, runs: int, scratch: Path) -> Result:
    export = scratch / "times.json"
    first = ["--setup", tool.first] if tool.first else []
    measuring = [hyperfine, "-N", "--ignore-failure", "--style=none", f"--runs={runs}", *first]
    command = [*measuring, f"--export-json={export}", shlex.join(tool.command)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (measured,) = json.loads(export.read_text(encoding="utf-8"))["results"]
    return Result(tool.name, measured["min"], measured["median"], _memory(tool.command), tool.root)


def _memory(command: Sequence[str]) -> int | None:
    try:
        from memory import peak_memory  # noqa: PLC0415 - it needs psutil
    except ModuleNotFoundError:
        return None
    return peak_memory(command)


def shown_memory(command: Sequence[str]) -> str:
    """The most that a command and all its processes held, in one more run."""
    return _shown(_memory(command))


def _shown(size: int | None) -> str:
    return f"{size / 1e6:,.0f} MB" if size is not None else "not measured"


def table(results: list[Result]) -> Iterator[str]:
    """The results in Markdown."""
    to = next((one.fastest for one in results if one.name == TO), None)
    yield f"| tool | fastest | median | times {TO} | peak memory |"
    yield "|---|---:|---:|---:|---:|"
    for one in results:
        ratio = f"{one.fastest / to:.1f}" if to and one.root else ""
        yield f"| {one.name} | {one.fastest:.2f} s | {one.median:.2f} s | {ratio} | {_shown(one.memory)} |"


def _stages(root: Path) -> dict[str, float]:
    from stages import by_stage  # noqa: PLC0415 - it changes fdlint, so it comes last

    seconds = by_stage(root)
    total = sum(seconds.values())
    print("\n| stage | time | share |\n|---|---:|---:|")
    for stage, spent in seconds.items():
        print(f"| {stage} | {spent:.2f} s | {spent / total:.0%} |")
    return seconds


if __name__ == "__main__":
    main()
