"""The labelled data in benchmarks/corpus: its rows, and which of them are kept apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"

FAMILIES = {"double-close": "misuse", "use-after-close": "misuse", "inheritable": "inheritable"}
"""The kind of defect of a pair -> the family of rules that report it. All other kinds are leaks."""

LABELS = ("leak", "path-leak", "exception-leak", "misuse", "ok", "unclear")
"""The labels of a site: it leaks always, on a path, or when something raises; it is misused later; or it is right."""

VERDICTS = ("true", "harmless", "false")


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a repository at one commit."""

    repository: str
    commit: str

    @property
    def directory(self) -> str:
        """The name of the directory for the files: ``owner+name@commit``."""
        return f"{self.repository.replace('/', '+')}@{self.commit}"


@dataclass(frozen=True, slots=True)
class Pair:
    """A commit that fixes a defect: the defect's place before it, and what kind it is.

    ``python2``: today's Python cannot parse the file.
    """

    id: str
    before: Tree
    after: Tree
    path: str
    line: int
    kind: str
    part: str
    python2: bool

    @property
    def family(self) -> str:
        """The family of rules that report this kind."""
        return FAMILIES.get(self.kind, "leak")


@dataclass(frozen=True, slots=True)
class Site:
    """A call that acquires a descriptor, and whether that leaks.

    ``unlikely``: it leaks only if a call fails that hardly ever does.
    """

    tree: Tree
    path: str
    line: int
    label: str
    part: str
    unlikely: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding that somebody read: ``true``, ``harmless`` or ``false``."""

    tree: Tree
    path: str
    line: int
    code: str
    verdict: str
    part: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """All rows."""

    pairs: tuple[Pair, ...]
    sites: tuple[Site, ...]
    verdicts: tuple[Judged, ...]

    def select(self, part: str, language: str, repository: str) -> Corpus:
        """The rows of a part (``all``: of both), a language (``all``: of both) and a repository ("": of all)."""
        suffixes = {"python": (".py",), "go": (".go",), "all": (".py", ".go")}[language]

        def wanted(row: Pair | Site | Judged) -> bool:
            name = (row.before if isinstance(row, Pair) else row.tree).repository
            in_part = part in ("all", row.part)
            return in_part and row.path.endswith(suffixes) and repository in ("", name)

        return Corpus(
            tuple(row for row in self.pairs if wanted(row)),
            tuple(row for row in self.sites if wanted(row)),
            tuple(row for row in self.verdicts if wanted(row)),
        )

    def paths(self) -> dict[Tree, set[str]]:
        """Every tree that a row needs, with the files that rows name."""
        found: dict[Tree, set[str]] = {}
        for pair in self.pairs:
            found.setdefault(pair.before, set()).add(pair.path)
            found.setdefault(pair.after, set()).add(pair.path)
        for row in (*self.sites, *self.verdicts):
            found.setdefault(row.tree, set()).add(row.path)
        return found


def part_of(repository: str) -> str:
    """``held-out`` for about a quarter of all repositories, by a hash of the name, otherwise ``open``."""
    return "held-out" if hashlib.sha256(repository.encode()).digest()[0] < 64 else "open"


def read(directory: Path = CORPUS) -> Corpus:
    """Reads the three files of the corpus."""
    return Corpus(
        tuple(
            Pair(
                row["id"],
                Tree(row["repository"], row["before"]),
                Tree(row["repository"], row["after"]),
                row["path"],
                row["line"],
                row["kind"],
                row["part"],
                row.get("syntax") == "python2",
            )
            for row in rows(directory / "pairs.jsonl")
        ),
        tuple(
            Site(
                Tree(row["repository"], row["commit"]),
                row["path"],
                row["line"],
                row["label"],
                row["part"],
                row.get("raiser") == "unlikely",
            )
            for row in rows(directory / "sites.jsonl")
        ),
        tuple(
            Judged(
                Tree(row["repository"], row["commit"]),
                row["path"],
                row["line"],
                row["code"],
                row["verdict"],
                row["part"],
            )
            for row in rows(directory / "verdicts.jsonl")
        ),
    )


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
