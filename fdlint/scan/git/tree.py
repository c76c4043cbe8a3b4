"""Writes the files of a commit into an empty directory, without a checkout of git's: no filter, hook, attribute, link
or submodule of the repository has an effect, and every file stays below the directory.

Beside the files there is a ``.git`` with the commit and its branch, and the list of all files: what a scan
asks of a repository.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from fdlint.scan.git.fetch import Tip, is_ref
from fdlint.scan.git.private import Private
from fdlint.scan.git.run import GitError, running
from fdlint.scan.reading import intake

_LARGEST = intake.SOURCE
_SCRIPT, _LINK, _SUBMODULE = "100755", "120000", "160000"
_FULL = (errno.ENOSPC, errno.EDQUOT)
_NEVER = frozenset({"", ".", "..", ".git"})


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How many files, and how many bytes of them, one commit may have."""

    files: int
    size: int


class _Blob(NamedTuple):
    object: str
    size: int
    path: bytes
    mode: str


def write_tree(own: Private, tip: Tip, into: Path, limits: TreeLimits) -> list[tuple[str, str]]:
    """Writes the files of a commit below ``into``, which it empties first.
    Returns the paths that it left out, each with the reason. Raises ``GitError`` and ``OSError``."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    left_out: list[tuple[str, str]] = []
    blobs = list(_chosen(_listed(own, tip.commit), left_out))
    size = sum(one.size for one in blobs)
    if len(blobs) > limits.files:
        raise GitError(f"it has {len(blobs):,} files, the limit is {limits.files:,}")
    if size > limits.size:
        raise GitError(f"it has {size:,} bytes, the limit is {limits.size:,}")
    _mark(own, tip, into)
    names = b"".join(f"{one.object}\n".encode() for one in blobs)
    with running(own.directory, "cat-file", "--batch", "--buffer", given=names) as stream:
        for blob in blobs:
            if (why := _write(blob, stream, into)) is not None:
                left_out.append((os.fsdecode(blob.path), why))
        stream.read()
    return left_out


def _listed(own: Private, commit: str) -> Iterator[_Blob]:
    """Yields the entries of a commit that are no directories."""
    for line in own.git("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split(b"\0"):
        what, tab, path = line.partition(b"\t")
        if tab:
            mode, _, name, size = what.decode("ascii").split()
            yield _Blob(name, int(size) if size.isdigit() else 0, path, mode)


def _chosen(entries: Iterator[_Blob], left_out: list[tuple[str, str]]) -> Iterator[_Blob]:
    """Yields the regular files with a name that is safe and a size that a scan reads."""
    for blob in entries:
        name = os.fsdecode(blob.path)
        if blob.mode == _SUBMODULE:
            left_out.append((name, "a submodule: it is not fetched"))
        elif any(part.lower() in _NEVER or "\\" in part for part in name.split("/")):
            left_out.append((name, "its name is not safe"))
        elif blob.size > _LARGEST:
            left_out.append((name, str(intake.too_large(blob.size, _LARGEST))))
        elif blob.mode != _LINK:  # the target of a link is scanned under its own name
            yield blob


def _write(blob: _Blob, stream: IO[bytes], into: Path) -> str | None:
    """Writes the next object of the stream. Returns the reason if it is not there, or there is no such file."""
    name, *more = stream.readline().split()
    if name.decode("ascii", "replace") != blob.object or len(more) != 2:
        return "it is not in the repository"
    data = stream.read(int(more[1]))
    stream.read(1)
    place = os.path.join(os.fsencode(into), *blob.path.split(b"/"))
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "xb", opener=lambda path, flags: os.open(path, flags, _mode(blob))) as file:
            file.write(data)
    except FileExistsError:
        return "another file has this name"
    except OSError as error:
        if error.errno in _FULL:
            raise
        return f"cannot be written: {error.strerror}"
    return None


def _mode(blob: _Blob) -> int:
    return 0o700 if blob.mode == _SCRIPT else 0o600


def _mark(own: Private, tip: Tip, into: Path) -> None:
    """Writes the ``.git``."""
    git = into / ".git"
    (git / "objects").mkdir(parents=True)
    (git / "refs" / "heads").mkdir(parents=True)
    with contextlib.suppress(GitError):  # git refuses names that are not safe
        own.git("read-tree", "--empty")
        own.git("read-tree", tip.commit)
        shutil.copyfile(os.path.join(own.directory, "index"), git / "index")
    (git / "config").write_text("", encoding="utf-8")
    head = tip.commit
    if is_ref(tip.branch):
        head = f"ref: refs/heads/{tip.branch}"
        place = git / "refs" / "heads" / tip.branch
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{tip.commit}\n", encoding="utf-8")
    (git / "HEAD").write_text(f"{head}\n", encoding="utf-8")
