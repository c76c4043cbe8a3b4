"""Precision and recall of fdlint, or of another tool, on the labelled code in benchmarks/corpus.

    python benchmarks/accuracy.py --repositories DIR [--fetch https://github.com/{}.git]
    python benchmarks/accuracy.py --repositories DIR --command 'tool --sarif-to-stdout .'
    python benchmarks/accuracy.py --repositories DIR --calibrate
    python benchmarks/accuracy.py --repositories DIR --export TREES
    python benchmarks/accuracy.py --sarif FILE

The first form scans every labelled commit with fdlint and prints the tables of docs/accuracy.md; `--write` puts them
into that page. The second runs another command in each tree; it must print SARIF, or JSON as fdlint does. The third
counts how often findings with each kind of assumption were right (`fdlint/core/checks/confidence.py`). The fourth only
writes the trees, for a tool that runs by itself; the fifth scores a SARIF log of a run over these trees.
benchmarks/corpus/README.md describes the labels and how findings are matched with them.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import scoring
from labels import Corpus, Tree, read
from sources import Repositories

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "accuracy.md"
FDLINT = f"{shlex.quote(sys.executable)} -m fdlint scan --isolated --no-cache --output-format json"
EVERYTHING = {"--persona": "auditor", "--tests": "all", "--confidence": "low"}
"""Options that show all findings, as far as the command has them: an older one may be measured. The labels cover tests,
and failures that hardly ever happen."""

GENERATED = {"python": ("functions", "calls", "classes", "misuse"), "go": ("go",)}
"""The kinds of generated programs of each language."""


def main() -> int:
    """Runs one of the five forms. The status is 0, or 2 if nothing could be scored."""
    options = _options()
    corpus = read(options.corpus).select(options.part, options.language, options.repository)
    if options.calibrate:
        corpus = replace(corpus, pairs=())  # a fix says nothing about the findings beside it
    if options.export:
        _exported(corpus, options)
        return 0
    found = _from_log(corpus, options.sarif) if options.sarif else _scanned(corpus, options)
    if not found:
        print("no repository of the corpus is there: see --repositories and --fetch", file=sys.stderr)
        return 2
    scores = scoring.score(corpus, found)
    if options.calibrate:
        print(scoring.calibration_table(scores))
        return 0
    text = "\n".join(_sections(corpus, scores, len(found), options))
    print(text)
    if options.details:
        options.details.write_text("\n".join(scores.details) + "\n", encoding="utf-8")
    if options.write:
        _write(text, options.language)
    return 0


def _sections(corpus: Corpus, scores: scoring.Scores, trees: int, options: argparse.Namespace) -> Iterator[str]:
    yield f"{trees} of {len(corpus.paths())} trees scanned; part: {options.part}; language: {options.language}.\n"
    if scores.pairs:
        yield "### Fixed defects\n\n" + scoring.pair_table(scores) + "\n"
    if scores.sites:
        yield "### Labelled sites\n\n" + scoring.site_table(scores) + "\n"
        yield "Findings at labelled sites:\n\n" + _precision(scores.at_sites) + "\n"
    if scores.reported:
        yield "### Findings that were read\n\n" + scoring.reported_table(scores) + "\n"
        yield _precision(scores.verdicts) + "\n"
    if options.generated:
        kinds = [kind for name, own in GENERATED.items() if options.language in ("all", name) for kind in own]
        yield "### Generated programs\n\n" + _generated(kinds, options.generated, options.seed) + "\n"


def _precision(counts: dict[str, Counter[str]]) -> str:
    kinds: tuple[Callable[[str], bool], ...] = (
        lambda name: not name.startswith(("confidence", "severity", scoring.ASSUMES)),
        lambda name: name.startswith("confidence"),
        lambda name: name.startswith("severity"),
    )
    shown = [kind for kind in kinds if any(map(kind, counts))]
    return "\n\n".join(scoring.precision_table(counts, kind) for kind in shown)


def _scanned(corpus: Corpus, options: argparse.Namespace) -> scoring.Found:
    """Runs the command in each tree."""
    repositories = Repositories(options.repositories, options.fetch)
    whole = options.command or FDLINT + "".join(f" {option}" for option in _everything())
    paths = corpus.paths()
    for repository in {tree.repository for tree in paths}:
        repositories.git(repository)  # clone now, so that no two scans clone the same
    start = time.perf_counter()

    def scan(tree: Tree) -> list[scoring.Finding] | None:
        with tempfile.TemporaryDirectory() as directory:
            if repositories.write(tree, Path(directory), paths[tree] if options.only_files else None):
                places = _beside(Path(directory), paths[tree]) if options.only_directories else ["."]
                command = whole if options.command else shlex.join([*shlex.split(whole), *places])
                return _run(command, Path(directory), options.timeout)
        print(f"{tree.repository} at {tree.commit[:12]}: not there", file=sys.stderr)
        return None

    with ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(paths, pool.map(scan, paths), strict=True))
    found = {tree: findings for tree, findings in results.items() if findings is not None}
    print(f"{len(found)} trees in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return found


def _beside(where: Path, paths: set[str]) -> list[str]:
    """Returns the source files in the directories of some files, but not in the directories below them. Tests in Go are
    left out, unless they are among the files: each is a package of its own."""
    places = {(where / path).parent for path in paths}
    found = (file for place in places if place.is_dir() for file in place.iterdir())
    names = (str(file.relative_to(where)) for file in found if file.suffix in (".py", ".go"))
    return sorted(name for name in names if name in paths or not name.endswith("_test.go"))


def _everything() -> Iterator[str]:
    usage = subprocess.run([*shlex.split(FDLINT), "--help"], check=False, capture_output=True, text=True).stdout
    return (f"{option} {value}" for option, value in EVERYTHING.items() if option in usage)


def _run(command: str, where: Path, timeout: float) -> list[scoring.Finding] | None:
    try:
        done = subprocess.run(
            shlex.split(command), check=False, cwd=where, capture_output=True, text=True, timeout=timeout
        )
        return scoring.report(done.stdout, str(where))
    except subprocess.TimeoutExpired:
        print(f"more than {timeout:.0f} s in {where}", file=sys.stderr)
    except (ValueError, KeyError) as error:
        print(f"no report ({error!r}): {done.stderr[-300:]}", file=sys.stderr)
    return None


def _from_log(corpus: Corpus, file: Path) -> scoring.Found:
    findings = scoring.report(file.read_text(encoding="utf-8"))
    return scoring.by_tree(findings, corpus.paths())


def _exported(corpus: Corpus, options: argparse.Namespace) -> None:
    repositories = Repositories(options.repositories, options.fetch)
    for tree, paths in corpus.paths().items():
        there = repositories.write(tree, options.export / tree.directory, paths if options.only_files else None)
        print(f"{tree.directory}: {'written' if there else 'not there'}", file=sys.stderr)


def _generated(kinds: Iterable[str], count: int, seed: int) -> str:
    lines = []
    for kind in kinds:
        command = [sys.executable, "-m", "tests.differential", f"--kind={kind}", f"--count={count}", f"--seed={seed}"]
        done = subprocess.run([*command, "--show=0"], check=False, cwd=ROOT, capture_output=True, text=True)
        places = re.search(r"(\d+) places", done.stdout)
        exact = re.search(r"exact code: recall ([\d.]+)%, precision ([\d.]+)%", done.stdout)
        if places and exact:
            recall, precision = (f"{float(number):.1f} %" for number in exact.groups())
            lines.append((f"`{kind}`", count, places[1], recall, precision))
    return scoring.table(("kind", "programs", "places", "recall", "precision"), lines)


def _write(text: str, language: str) -> None:
    """Puts the tables into the page, between the two marks of their language. Those of Go stand apart."""
    of = ": go" if language == "go" else ""
    before, start, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- measured{of} -->\n")
    _, end, after = rest.partition(f"<!-- end of measured{of} -->")
    PAGE.write_text(f"{before}{start}\n{text}\n{end}{after}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Precision and recall on the labelled code in benchmarks/corpus.")
    parser.add_argument("--repositories", type=Path, default=Path("repositories"), help="git directories or clones")
    parser.add_argument("--fetch", default="", metavar="ADDRESS", help="clone what is not there; {} is owner/name")
    parser.add_argument("--command", default="", help="the tool, run in each tree; it prints SARIF or fdlint's JSON")
    parser.add_argument("--sarif", type=Path, metavar="FILE", help="score this log of a run over exported trees")
    parser.add_argument("--export", type=Path, metavar="DIR", help="write the trees and stop")
    parser.add_argument("--part", choices=("all", "open", "held-out"), default="all", help="which repositories")
    parser.add_argument("--language", choices=("all", "python", "go"), default="all", help="which files")
    parser.add_argument("--repository", default="", metavar="OWNER/NAME", help="only this one")
    parser.add_argument("--only-files", action="store_true", help="scan only the files that rows name: quick")
    parser.add_argument(
        "--only-directories", action="store_true", help="scan only their directories; the rest is there for callees"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="scan so many trees at a time")
    parser.add_argument("--timeout", type=float, default=900, metavar="SECONDS", help="for one tree")
    parser.add_argument("--calibrate", action="store_true", help="print how often each kind of assumption was right")
    parser.add_argument("--details", type=Path, metavar="FILE", help="write the outcome of each row")
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="also N generated programs of each kind")
    parser.add_argument("--seed", type=int, default=1, help="of the generated programs")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/accuracy.md")
    parser.add_argument("--corpus", type=Path, default=Path(__file__).parent / "corpus", help="another corpus")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
