"""Source files of public repositories at given commits, from git directories on this machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labels import Tree

SUFFIXES = (".py", ".go", "go.mod")


@dataclass(frozen=True, slots=True)
class Repositories:
    """A directory with git directories or clones.

    The repository ``owner/name`` is searched for in ``owner+name``, ``owner+name/repo``, ``owner/name`` and
    ``owner/name.git``. ``address`` is where to clone it from (``{}``: its name), or "" if it may not be cloned.
    """

    directory: Path
    address: str = ""

    def git(self, repository: str) -> Path | None:
        """The git directory of a repository, or None."""
        flat = repository.replace("/", "+")
        for name in (flat, f"{flat}/repo", repository, f"{repository}.git"):
            for found in (self.directory / name / ".git", self.directory / name):
                if (found / "objects").is_dir() and (found / "HEAD").is_file():
                    return found
        return self._cloned(repository, self.directory / flat) if self.address else None

    def write(self, tree: Tree, to: Path, only: set[str] | None) -> bool:
        """Writes a tree's Python and Go files (or only some paths) below a directory; False: it is not there."""
        git = self.git(tree.repository)
        if git is None:
            return False
        blobs = dict(_blobs(git, tree.commit, only))
        for path, text in _texts(git, blobs):
            file = to / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
        return bool(blobs)

    def _cloned(self, repository: str, to: Path) -> Path | None:
        command = ["git", "clone", "--quiet", "--bare", self.address.format(repository), str(to)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f"{repository}: {done.stderr.strip()}", file=sys.stderr)
            return None
        return to


def _blobs(git: Path, commit: str, only: set[str] | None) -> Iterator[tuple[str, str]]:
    """Path and blob of each source file. Links and submodules are left out."""
    command = ["git", f"--git-dir={git}", "ls-tree", "-r", "-z", commit]
    done = subprocess.run(command, check=False, capture_output=True)
    for entry in done.stdout.decode(errors="surrogateescape").split("\0"):
        meta, _, path = entry.partition("\t")
        if meta.startswith("100") and path.endswith(SUFFIXES) and (only is None or path in only):
            yield path, meta.split()[2]


def _texts(git: Path, blobs: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """Path and contents of each file whose blob is there; a mirror may lack some."""
    request = "".join(f"{blob}\n" for blob in blobs.values()).encode()
    command = ["git", f"--git-dir={git}", "cat-file", "--batch"]
    answer = subprocess.run(command, input=request, check=True, capture_output=True).stdout
    at = 0
    for path in blobs:
        end = answer.index(b"\n", at)
        head, at = answer[at:end].split(), end + 1
        if head[-1] != b"missing":
            size = int(head[2])
            yield path, answer[at : at + size]
            at += size + 1
