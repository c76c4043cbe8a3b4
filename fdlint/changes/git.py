"""What git says has changed since a revision: lines of files in the working tree, and places where lines have gone."""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}
_SUFFIXES = ("py", "pyw", "pyi", "go")
_DIFF = (
    *("-c", "core.quotePath=false", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative"),
    *("--find-renames", "--unified=0", "--ignore-submodules", "--src-prefix=a/", "--dst-prefix=b/"),
)


class GitError(Exception):
    """What git cannot tell, and why."""


@dataclass(frozen=True, slots=True)
class Change:
    """Lines ``first`` to ``last`` of a file are new. If there are none, lines after ``last`` have gone, the first of
    which was indented by ``indent``."""

    first: int
    last: int
    indent: int = 0


def check(revision: str, directory: str) -> None:
    """Raises ``GitError`` unless a directory is in a repository that has the revision."""
    _commit(revision, top(directory))


def top(directory: str) -> str:
    """The top directory of the repository round a directory."""
    try:
        found = _git(directory, "rev-parse", "--show-toplevel")
    except GitError as error:
        if "not a git repository" in str(error):
            raise GitError(f"{directory} is not in a git repository") from None
        raise
    return os.path.realpath(found.rstrip("\n"))


def changes(revision: str, root: str, files: Iterable[str]) -> Mapping[str, Sequence[Change]]:
    """By path (absolute, resolved) the changes since a revision. What git does not know is new from its first line to
    its last. ``files``: the paths in the repository at ``root`` that are asked about."""
    commit = _commit(revision, root)
    asked = {os.path.relpath(file, root).replace(os.sep, "/") for file in files}
    scripts = [f":(top,literal){name}" for name in sorted(asked) if name.rpartition(".")[2] not in _SUFFIXES]
    patterns = [f":(top,glob)**/*.{suffix}" for suffix in _SUFFIXES]
    found: dict[str, list[Change]] = defaultdict(list)
    for path, change in parse(_git(root, *_DIFF, commit, "--", *patterns, *scripts)):
        found[path].append(change)
    unknown = set(_git(root, "ls-files", "--others", "-z", "--", *patterns, *scripts).split("\0"))
    for name in asked & unknown:
        found[name] = [Change(1, 10**9)]
    return {os.path.join(root, name): said for name, said in found.items()}


def _commit(revision: str, directory: str) -> str:
    failure = GitError(f"git knows no revision {revision!r} in {directory}")
    if not revision or revision.startswith("-"):
        raise failure
    try:
        return _git(directory, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
    except GitError:
        raise failure from None


def parse(patch: str) -> Iterator[tuple[str, Change]]:
    """The changes in a patch without context, each with its path in the repository."""
    path: str | None = None
    lines = iter(patch.split("\n"))
    for line in lines:
        if line.startswith("+++ "):
            path = _path(line[4:])
        hunk = _HUNK.match(line)
        if hunk is None:
            continue
        gone, new, start = int(hunk["old"] or 1), int(hunk["new"] or 1), int(hunk["start"])
        removed = [text[1:] for text in _take(lines, gone)]
        _take(lines, new)
        if path is not None:
            yield path, Change(start, start + new - 1) if new else Change(start + 1, start, _indent(removed))


def _take(lines: Iterator[str], number: int) -> list[str]:
    """The next lines of a hunk; that a line has no newline at its end is none."""
    taken: list[str] = []
    while len(taken) < number:
        line = next(lines, None)
        if line is None:
            break
        if not line.startswith("\\"):
            taken.append(line)
    return taken


def _indent(removed: Iterable[str]) -> int:
    return next((len(line) - len(line.lstrip()) for line in removed if line.strip()), 0)


def _path(text: str) -> str | None:
    """What stands behind ``+++``; None for a file that has gone."""
    text = text.rstrip("\t\r")
    if text.startswith('"'):
        raw = _ESCAPE.sub(_unescaped, text[1:-1].encode("utf-8", "surrogateescape"))
        text = raw.decode("utf-8", "surrogateescape")
    return text.removeprefix("b/") if text != "/dev/null" else None


def _unescaped(match: re.Match[bytes]) -> bytes:
    said = match.group(1)
    return _ESCAPES[said] if said in _ESCAPES else bytes([int(said, 8) & 0xFF])


def _git(directory: str, *arguments: str) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", directory, *arguments],
            capture_output=True,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        raise GitError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode("utf-8", "surrogateescape")
