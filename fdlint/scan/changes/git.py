"""Finds the changes since a revision: new lines of files in the working tree, and places of deleted lines.

fdlint itself reads the files of the working tree, and gives git their contents under numbers as names. So no filter,
attribute or configuration of the tree has an effect, and no file name has a meaning for git.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fdlint.languages.registry import SUFFIXES
from fdlint.scan.git.private import Private, private
from fdlint.scan.git.repository import Repository, at, enclosing
from fdlint.scan.git.run import GitError, Refused
from fdlint.scan.reading.intake import SOURCE

_HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
_LONE = re.compile(rb"\r(?!\n)")
_FILE, _SUBMODULE = "100644", "160000"
_DIFF = (
    *("diff-tree", "-p", "--text", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--unified=0"),
    *("--ignore-cr-at-eol", "--src-prefix=a/", "--dst-prefix=b/"),
)


@dataclass(frozen=True, slots=True)
class Change:
    """Lines ``first`` to ``last`` of a file are new. If there are none, lines after ``last`` were deleted; the first of
    these had the indentation ``indent``."""

    first: int
    last: int
    indent: int = 0


NEW = Change(1, 10**9)
"""The whole file is new."""


def roots(paths: Iterable[str]) -> tuple[Repository, ...]:
    """Returns the repositories around the paths of a command line. Raises ``GitError`` for a path outside of any."""
    found = {}
    for path in paths:
        directory = path if os.path.isdir(path) else os.path.dirname(path) or "."
        repository = enclosing(directory)
        if repository is None:
            raise GitError(f"{directory} is not in a git repository")
        found[repository.top] = repository
    return tuple(found.values())


def check(revision: str, paths: Iterable[str]) -> None:
    """Raises ``GitError`` unless each path is in a repository that has the revision."""
    for repository in roots(paths):
        with private(repository, history=True) as git:
            _commit(revision, repository, git)


def changes(revision: str, repository: Repository, contents: Mapping[str, bytes]) -> Mapping[str, Sequence[Change]]:
    """Returns the changes in files of a work tree since a revision, by path. ``contents``: the files, by their paths
    (absolute, resolved). A file in a submodule is compared with the submodule's commit in the revision. Raises
    ``GitError``."""
    names = {repository.name(path): path for path in contents}
    inside: dict[str, dict[str, bytes]] = defaultdict(dict)
    with private(repository, history=True) as git:
        commit = _commit(revision, repository, git)
        try:
            old = _Old.of(git, commit)
            for name, path in names.items():
                inside[old.submodule(name)][path] = contents[path]
            own = {repository.name(path): data for path, data in inside.pop("", {}).items()}
            found = {names[name]: changed for name, changed in _compared(git, repository, old, own).items()}
        except Refused as error:
            missing = f"{repository.top} has not all of {revision!r} (is it a partial clone?)"
            raise GitError(f"{missing}, and fdlint fetches nothing: {error}") from None
    for name, below in inside.items():
        found |= _in_submodule(old.submodules[name], os.path.join(repository.top, name), below)
    return found


def _in_submodule(commit: str, top: str, contents: Mapping[str, bytes]) -> Mapping[str, Sequence[Change]]:
    repository = at(os.path.realpath(top))
    try:
        if repository is not None:
            return changes(commit, repository, contents)
    except Refused:  # the submodule's repository lacks that commit
        pass
    return dict.fromkeys(contents, (NEW,))


def _commit(revision: str, repository: Repository, git: Private) -> str:
    failure = Refused(f"unknown git revision {revision!r} in {repository.top}")
    if not revision or revision.startswith("-"):
        raise failure
    try:
        return git.git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except Refused:
        raise failure from None


@dataclass(frozen=True, slots=True)
class _Old:
    """The contents of a commit: the objects of its regular files, and the commits of its submodules, by their names."""

    files: Mapping[str, str]
    submodules: Mapping[str, str]

    @classmethod
    def of(cls, git: Private, commit: str) -> _Old:
        files, submodules = {}, {}
        for line in os.fsdecode(git.git("ls-tree", "-r", "-z", "--full-tree", commit)).split("\0"):
            head, _, name = line.partition("\t")
            mode, _, rest = head.partition(" ")
            if mode == _SUBMODULE:
                submodules[name] = rest.rpartition(" ")[2]
            elif mode.startswith("100"):
                files[name] = rest.rpartition(" ")[2]
        return cls(files, submodules)

    def submodule(self, name: str) -> str:
        """Returns the submodule that contains a file, or an empty string."""
        while name and name not in self.submodules:
            name = name.rpartition("/")[0]
        return name


def _compared(
    git: Private, repository: Repository, old: _Old, contents: Mapping[str, bytes]
) -> Mapping[str, Sequence[Change]]:
    """Returns the changes by the names of files. In the trees that git compares, files have numbers as names."""
    touched = [name for name, data in contents.items() if old.files.get(name) != git.name_of("blob", data)]
    # git counts lines by \n alone: where Python sees others, git's numbers are wrong.
    found: dict[str, list[Change]] = {name: [NEW] if _LONE.search(contents[name]) else [] for name in touched}
    compared = [name for name in touched if not found[name]]
    before = {str(number): old.files[name] for number, name in enumerate(compared) if name in old.files}
    after = {str(number): git.store("blob", contents[name]) for number, name in enumerate(compared)}
    if len(before) < len(after):
        before |= {f"gone-{number}": blob for number, blob in enumerate(_gone(repository, old))}
    for number in _too_large(git, before) if before else ():
        del before[number]
        if number in after:
            del after[number]
            found[compared[int(number)]] = [NEW]
    patch = git.git(*_DIFF, _tree(git, before), _tree(git, after)).decode("utf-8", "surrogateescape") if after else ""
    for number, change in parse(patch):
        found[compared[int(number)]].append(change)
    return found


def _too_large(git: Private, blobs: Mapping[str, str]) -> Iterator[str]:
    """Yields the names of the blobs that are larger than source files: git would print all of them."""
    for line in git.git("ls-tree", "-l", "-z", _tree(git, blobs)).decode().split("\0"):
        head, _, name = line.partition("\t")
        size = head.rpartition(" ")[2]
        if size.isdecimal() and int(size) > SOURCE:
            yield name


def _gone(repository: Repository, old: _Old) -> Iterator[str]:
    """Yields the objects of source files that no longer exist: new files may be renamed ones."""
    if os.path.lexists(os.path.join(repository.directory, "info", "sparse-checkout")):
        return  # most missing files were never checked out
    for name, blob in sorted(old.files.items()):
        if name.endswith(SUFFIXES) and not os.path.lexists(os.path.join(repository.top, name)):
            yield blob


def _tree(git: Private, blobs: Mapping[str, str]) -> str:
    """Creates a tree of files. Raises ``GitError``."""
    entries = (f"{_FILE} {name}\0".encode() + bytes.fromhex(blobs[name]) for name in sorted(blobs))
    return git.store("tree", b"".join(entries))


def parse(patch: str) -> Iterator[tuple[str, Change]]:
    """Yields the changes in a patch without context, each with the file's name, which git did not have to quote."""
    path: str | None = None
    lines = iter(patch.split("\n"))
    for line in lines:
        if line.startswith("+++ "):
            path = line[4:].removeprefix("b/") if line != "+++ /dev/null" else None
        hunk = _HUNK.match(line)
        if hunk is None:
            continue
        gone, new, start = int(hunk["old"] or 1), int(hunk["new"] or 1), int(hunk["start"])
        removed = [text[1:] for text in _take(lines, gone)]
        _take(lines, new)
        if path is not None:
            yield path, Change(start, start + new - 1) if new else Change(start + 1, start, _indent(removed))


def _take(lines: Iterator[str], number: int) -> list[str]:
    """Returns the next lines of a hunk, without the note that a line has no newline at its end."""
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
