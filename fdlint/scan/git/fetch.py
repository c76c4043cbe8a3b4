"""Finds the commit of a repository elsewhere, and brings it into a private git directory: the files of that commit and
nothing else, no history, tag or submodule."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fdlint.scan.git.head import public, revision
from fdlint.scan.git.private import Private, kept, private
from fdlint.scan.git.repository import Repository, at
from fdlint.scan.git.run import GitError, Remote

HEAD = "HEAD"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REF = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))[\w][\w./+@#=-]*(?<![./])")
_FETCHED = "refs/fdlint/fetched"
_MOST_PACKS = 20  # each fetch adds one


class Tip(NamedTuple):
    """A commit, the branch that it is the last one of, and the address of its repository without credentials; empty if
    there is none."""

    commit: str
    branch: str = ""
    address: str = ""


NO_TIP = Tip("")


def is_ref(text: str) -> bool:
    """Whether a text can name a branch, a tag or a commit."""
    return _REF.fullmatch(text) is not None


def remote_tip(url: str, ref: str, seconds: float, home: Path) -> Tip:
    """Asks another repository for the commit of a ref. ``home``: a private git directory, which need not exist. Raises
    ``GitError``."""
    if _COMMIT.fullmatch(ref):
        return Tip(ref, address=public(url))
    asked = [ref, f"{ref}^{{}}"] if ref != HEAD else [HEAD]
    output = kept(home).git("ls-remote", "--symref", "--", url, *asked, remote=Remote(seconds, 0))
    found, branch = {}, ""
    for line in output.decode("utf-8", "replace").split("\n"):
        what, _, name = line.partition("\t")
        if what.startswith("ref: refs/heads/") and name == HEAD:
            branch = what.removeprefix("ref: refs/heads/")
        elif _COMMIT.fullmatch(what):
            found[name] = what
    order = [HEAD] if ref == HEAD else [f"refs/heads/{ref}", f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}", ref]
    name = next((one for one in order if one in found), "")
    if not name:
        raise GitError(f"there is no {ref} in this repository")
    return Tip(found[name], branch if name == HEAD else ref if name.startswith("refs/heads/") else "", public(url))


def local_tip(place: str, ref: str) -> Tip:
    """Finds the commit of a ref in a repository on this machine. Raises ``GitError``."""
    repository = _repository(place)
    head = revision(repository)
    if ref == HEAD and head is not None:
        return Tip(head.commit, head.branch, head.repository)
    with private(repository, history=True) as own:
        commit = own.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
        full = own.git("rev-parse", "--symbolic-full-name", ref).decode("utf-8", "replace").strip()
    branch = full.removeprefix("refs/heads/") if full.startswith("refs/heads/") else ""
    return Tip(commit, branch, head.repository if head is not None else "")


@contextlib.contextmanager
def with_commit(url: str | None, place: str | None, commit: str, limits: Remote, home: Path) -> Iterator[Private]:
    """Yields a private git directory that has a commit: of the repository at ``url``, fetched into ``home``, or of the
    one at ``place`` on this machine. No other process may work in ``home``. Raises ``GitError``."""
    if url is None:
        assert place is not None
        with private(_repository(place), history=True) as own:
            yield own
        return
    if len(list(home.glob("objects/pack/*.pack"))) > _MOST_PACKS:
        shutil.rmtree(home)
    own = kept(home)
    if not _has(own, commit):
        for lock in home.rglob("*.lock"):  # a fetch that was killed has left it
            lock.unlink()
        options = ("--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--quiet", "--force")
        own.git("fetch", *options, "--", url, f"{commit}:{_FETCHED}", remote=limits)
    yield own


def _has(own: Private, commit: str) -> bool:
    try:
        own.git("cat-file", "-e", f"{commit}^{{tree}}")
    except GitError:
        return False
    return True


def _repository(place: str) -> Repository:
    """Returns the repository that the user names: a work tree, or a bare repository."""
    real = os.path.realpath(place)
    found = at(real)
    if found is None and all(os.path.exists(os.path.join(real, name)) for name in ("HEAD", "objects", "refs")):
        found = Repository(real, real, real)
    if found is None:
        raise GitError(f"there is no repository at {place}")
    return found
