"""Which paths .gitignore files leave out, by git's rules: the deepest file decides, and in a file the last match.

A user's global ignore file is not read: what a scan looks at should not depend on whose machine it runs on.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fdlint.git.repository import directories

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILE_NAME = ".gitignore"
_INSIDE = re.compile(r"/\*\*\s*$")


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of one file; ``base`` is the directory that they are relative to, with a slash at its end."""

    base: str
    spec: GitIgnoreSpec
    any_pattern: re.Pattern[str]

    def verdict(self, path: str) -> bool | None:
        """True: ignored, False: brought back by ``!``, None: no pattern matches. A directory's path ends in a slash."""
        relative = path[len(self.base) :]
        if not self.any_pattern.match(relative):
            return None
        return self.spec.check_file(relative).include

    def swallows_everything(self) -> bool:
        """Whether it says nothing but ``*``, as tools write into a directory that should not be committed."""
        return [pattern.pattern for pattern in self.spec.patterns if pattern.regex] == ["*"]


def parse(lines: Iterable[str], base: str) -> IgnoreFile | None:
    """The patterns in ``lines``; a pattern that git would not understand either is passed over."""
    from pathspec import GitIgnoreSpec

    specs = [spec for line in lines if (spec := _pattern(line))]
    patterns = [pattern for spec in specs for pattern in spec.patterns]
    regexes = [pattern.regex.pattern for pattern in patterns if pattern.regex]
    if not regexes:
        return None
    # One search over all patterns at once answers for the great majority of paths, which match none.
    anything = "|".join(re.sub(r"\(\?P<\w+>", "(?:", regex) for regex in regexes)
    return IgnoreFile(base, GitIgnoreSpec(patterns), re.compile(anything))


def _pattern(line: str) -> GitIgnoreSpec | None:
    # `a/**` is what is inside of `a` and not `a` itself, so that `!a/b` can bring something back; so is `a/*`.
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines([_INSIDE.sub("/*", line)])
    except (ValueError, re.error):
        return None


def pattern(line: str) -> str | None:
    """A line as a pattern, or None if it cannot match anything: broken, a comment. ``./x``, which git does not know,
    is ``/x``."""
    line = line.removeprefix(".") if line.startswith("./") else line
    spec = _pattern(line)
    return line if spec is not None and any(pattern.regex for pattern in spec.patterns) else None


def matching(base: str, lines: tuple[str, ...], path: str) -> bool:
    """Whether patterns that are relative to ``base`` match a path (absolute) or a directory above it; what is not
    below ``base`` is not matched."""
    rules = _compiled(base.rstrip("/") + "/", lines)
    return rules is not None and path.startswith(rules.base) and bool(rules.verdict(path))


@functools.lru_cache(maxsize=256)
def _compiled(base: str, lines: tuple[str, ...]) -> IgnoreFile | None:
    return parse(lines, base)


def read(path: str, base: str) -> IgnoreFile | None:
    """The patterns in the file ``path``, or None when there is none that can be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return parse(file.read().split("\n"), base)
    except OSError:
        return None


def is_ignored(rules: Iterable[IgnoreFile], path: str) -> bool:
    """Whether ``rules`` (the outermost first) leave ``path`` out; a directory's path ends in a slash."""
    for rule in reversed(tuple(rules)):
        verdict = rule.verdict(path)
        if verdict is not None:
            return verdict
    return False


def own_rules(directory: str, names: Iterable[str]) -> tuple[IgnoreFile, ...]:
    """What ``directory``, which holds ``names``, adds: its .gitignore and, if it is a repository, info/exclude."""
    base = directory.rstrip("/") + "/"
    found = []
    if ".git" in names:
        found.append(read(os.path.join(directories(directory)[1], "info", "exclude"), base))
    if FILE_NAME in names:
        found.append(read(base + FILE_NAME, base))
    return tuple(rule for rule in found if rule)


def rules_above(directory: str) -> tuple[IgnoreFile, ...]:
    """The rules that the repository round ``directory`` (absolute, resolved) applies to it, its own not included."""
    if os.path.lexists(os.path.join(directory, ".git")):
        return ()
    above: list[str] = []
    for parent in Path(directory).parents:
        above.append(str(parent))
        if os.path.lexists(parent / ".git"):
            break
    else:
        return ()
    rules: tuple[IgnoreFile, ...] = ()
    for parent_name in reversed(above):
        rules += own_rules(parent_name, (FILE_NAME, ".git") if parent_name == above[-1] else (FILE_NAME,))
    return _applying(rules, directory, top=above[-1])


def _applying(rules: tuple[IgnoreFile, ...], directory: str, top: str) -> tuple[IgnoreFile, ...]:
    """``rules``, or none when they ignore ``directory`` itself: whoever names it wants it looked at all the same."""
    path = top.rstrip("/")
    for part in Path(directory).relative_to(top).parts:
        path += "/" + part
        if is_ignored([rule for rule in rules if path.startswith(rule.base)], path + "/"):
            return ()
    return rules
