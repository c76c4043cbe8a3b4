"""Reads who owns which files: the CODEOWNERS of a repository, as GitHub and GitLab read it.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
https://docs.gitlab.com/user/project/codeowners/reference/

The file belongs to a tree that nobody trusts. It is read as text, up to a limit, and a pattern takes time that is
linear in the length of a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fdlint.scan.reading import intake
from fdlint.scan.reading.globs import Glob, is_meant, parse
from fdlint.scan.reading.lines import split

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where the file can be, the first one that counts first."""
_LIMIT, _MOST_RULES, _MOST_OWNERS, _LONGEST = 1_000_000, 1_000, 10, 100
_SECTION = re.compile(r"\^?\[(?P<name>[^\]]+)\](?:\[\d+\])?(?P<owners>.*)")
_OWNER = re.compile(r"@@?[\w./-]+|[\w.+-]+@[\w.-]+")
_SPACE = re.compile(r"(?<!\\)\s+")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern and its owners. ``flat``: it means the files in a directory, not those further down."""

    glob: Glob
    owners: tuple[str, ...]
    flat: bool

    def matches(self, names: tuple[str, ...]) -> bool:
        """Whether the pattern means a file, given the names of its path."""
        last = len(names) - 1
        states = self.glob.start()
        for number, name in enumerate(names):
            whole = number == last
            if (whole or not self.flat) and not (whole and self.glob.directories):
                part = self.glob.parts[0]
                if self.glob.ends(states, name) if self.glob.anchored else is_meant(part, name):
                    return True
            states = self.glob.after(states, name)
        return False


@dataclass(slots=True)
class Owners:
    """The rules of one file, by section. In each section the last rule that matches counts."""

    sections: dict[str, list[_Rule]] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Owners:
        """Reads the text of a file. What is no rule counts as none."""
        found, section, usual = cls(), "", tuple[str, ...]()
        rules = 0
        for line in split(text):
            bare = line.strip()
            head = _SECTION.fullmatch(bare)
            if head is not None:
                section, usual = head["name"].strip().casefold(), _owners(head["owners"].split())
            elif bare and not bare.startswith(("#", "!")) and rules < _MOST_RULES:
                pattern, *words = _SPACE.split(bare)
                rule = _rule(pattern, _owners(words) or usual)
                if rule is not None:
                    found.sections.setdefault(section, []).append(rule)
                    rules += 1
        return found

    def of(self, path: str) -> tuple[str, ...]:
        """Returns the owners of a file, by its path from the top of the repository."""
        names = tuple(path.split("/"))
        owners = (rule.owners for rules in self.sections.values() for rule in _last(rules, names))
        return tuple(dict.fromkeys(one for some in owners for one in some))


def owners_of(paths: Iterable[str], top: Path | None) -> dict[str, tuple[str, ...]]:
    """Returns the owners of files, by the paths that a report shows. ``top``: that of the repository."""
    owners = _of_repository(top) if top is not None else None
    if top is None or owners is None:
        return {}
    found = {}
    for path in dict.fromkeys(paths):
        inside = os.path.relpath(os.path.abspath(path), top).replace(os.sep, "/")
        own = owners.of(inside) if not inside.startswith("../") else ()
        if own:
            found[path] = own
    return found


def _of_repository(top: Path) -> Owners | None:
    for place in PLACES:
        data = intake.content(top / place, _LIMIT)
        if data is not None:
            return Owners.read(data.decode("utf-8", "replace"))
    return None


def _last(rules: list[_Rule], names: tuple[str, ...]) -> Iterator[_Rule]:
    found = next((rule for rule in reversed(rules) if rule.matches(names)), None)
    if found is not None:
        yield found


def _rule(pattern: str, owners: tuple[str, ...]) -> _Rule | None:
    glob = parse(pattern)
    return _Rule(glob, owners, pattern.endswith("/*")) if glob is not None else None


def _owners(words: Iterable[str]) -> tuple[str, ...]:
    """Returns the owners among the words of a line, up to a comment."""
    found = []
    for word in words:
        if word.startswith("#"):
            break
        if len(word) <= _LONGEST and _OWNER.fullmatch(word):
            found.append(word)
    return tuple(found[:_MOST_OWNERS])
