"""A private git directory of fdlint, in which git works on the data of a repository without its configuration.

Many settings in a repository's configuration name programs that git runs: monitors, filters, hooks, transports. No list
of them stays complete, so git does not get that file at all. It gets objects and refs, or a copy of the index, and the
few settings that are plain data.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fdlint.scan.git.repository import Repository
from fdlint.scan.git.run import GitError, Remote, git
from fdlint.scan.reading.intake import content

_MAX_CONFIG = 4 * 1024 * 1024  # bytes
_MAX_INDEX = 512 * 1024 * 1024
_MAX_HEAD = 1024 * 1024
_EXTENSIONS = {"objectformat": ("sha1", "sha256"), "refstorage": ("files", "reftable")}
# The settings that `REV@{upstream}` needs.
_UPSTREAM = re.compile(r"branch\..+\.(remote|merge)|remote\..+\.fetch")
_Settings: TypeAlias = Sequence[tuple[str, str]]
_FORMAT, _EVERYTHING = (re.compile(words, re.IGNORECASE) for words in (rb"extensions", rb"extensions|branch|remote"))
_HEADS = ("HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "shallow")


@dataclass(frozen=True, slots=True)
class Private:
    """A private git directory. ``algorithm`` is the hash that names its objects."""

    directory: str
    algorithm: str

    def git(self, *arguments: str, remote: Remote | None = None) -> bytes:
        """Runs git and returns its output. Raises ``GitError``."""
        return git(self.directory, *arguments, remote=remote)

    def name_of(self, kind: str, data: bytes) -> str:
        """Returns git's name of an object, in hexadecimal."""
        return hashlib.new(self.algorithm, _object(kind, data), usedforsecurity=False).hexdigest()

    def store(self, kind: str, data: bytes) -> str:
        """Stores an object in this directory and returns its name."""
        name = self.name_of(kind, data)
        path = Path(self.directory, "objects", name[:2], name[2:])
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(_object(kind, data), 1))
        return name


def _object(kind: str, data: bytes) -> bytes:
    return f"{kind} {len(data)}\0".encode() + data


def kept(directory: Path) -> Private:
    """Returns a private git directory that stays, for what is fetched. Creates it if there is none."""
    if not (directory / "objects").is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        _furnish(str(directory))
    return Private(os.path.realpath(directory), "sha1")


@contextlib.contextmanager
def private(repository: Repository, *, history: bool) -> Iterator[Private]:
    """Yields a private git directory and removes it at the end. With ``history`` it has the repository's objects and
    refs, without it the repository's index. Raises ``GitError``."""
    with contextlib.ExitStack() as stack:
        try:
            directory = os.path.realpath(stack.enter_context(tempfile.TemporaryDirectory(prefix="fdlint-")))
            _furnish(directory)
            settings = _take_over(directory, repository, _EVERYTHING if history else _FORMAT)
            if history:
                _add_history(directory, repository, settings)
            else:
                _add_index(directory, repository)
        except OSError as error:
            raise GitError(f"the repository {repository.directory} cannot be read: {error}") from None
        yield Private(directory, dict(settings).get("extensions.objectformat", "sha1"))


def _furnish(directory: str) -> None:
    """Creates an empty git directory."""
    _write(directory, "HEAD", b"ref: refs/heads/main\n")
    _write(directory, "config", _config(()))
    for name in ("refs", "objects"):
        os.makedirs(os.path.join(directory, name), exist_ok=True)


def _take_over(directory: str, repository: Repository, sections: re.Pattern[bytes]) -> _Settings:
    """Copies the settings that are plain data into the private configuration, and returns them. Returns none if the
    repository's configuration has none of the ``sections``."""
    place = os.path.join(repository.common, "config")
    data = content(place, _MAX_CONFIG) if os.path.lexists(place) else b""  # git, too, does without one
    if data is None:
        raise GitError(f"{place} cannot be read")
    if not sections.search(data):  # this saves a start of git
        return ()
    _write(directory, "theirs", data)
    listed = git(directory, "config", "--file", "theirs", "--no-includes", "--null", "--list")
    settings = tuple(_plain(listed.decode("utf-8", "surrogateescape").split("\0")))
    _write(directory, "config", _config(settings))
    return settings


def _plain(settings: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields the names and values of settings that are plain data. Raises ``GitError`` for an unknown format."""
    for setting in settings:
        name, _, value = setting.partition("\n")
        section, _, key = name.partition(".")
        if section == "extensions" and key in _EXTENSIONS:
            if value.lower() not in _EXTENSIONS[key]:
                raise GitError(f"a repository with {name} = {value!r} cannot be read")
            yield name, value.lower()
        elif _UPSTREAM.fullmatch(name):
            yield name, value


def _config(settings: _Settings) -> bytes:
    version = int(any(name.startswith("extensions.") for name, _ in settings))
    lines = ["[core]", f"repositoryformatversion = {version}", "bare = true"]
    for name, value in settings:
        section, _, rest = name.partition(".")
        middle, _, key = rest.rpartition(".")
        lines.append(f"[{section} {_quoted(middle)}]" if middle else f"[{section}]")
        lines.append(f"{key} = {_quoted(value)}")
    return "\n".join((*lines, "")).encode("utf-8", "surrogateescape")


def _quoted(text: str) -> str:
    """Quotes text for git's configuration and its lists of alternates."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _add_history(directory: str, repository: Repository, settings: _Settings) -> None:
    os.mkdir(os.path.join(directory, "objects", "info"))
    alternates = _quoted(os.path.join(repository.common, "objects"))
    _write(directory, "objects/info/alternates", os.fsencode(alternates) + b"\n")
    if ("extensions.refstorage", "reftable") in settings and repository.directory != repository.common:
        raise GitError(f"{repository.top}: fdlint cannot read the refs of a worktree with reftable")
    for name in _HEADS:
        place = repository.common if name == "shallow" else repository.directory
        data = content(os.path.join(place, name), _MAX_HEAD)
        if data is not None:
            _write(directory, name, data)
        elif name == "HEAD":
            raise GitError(f"{place}/HEAD cannot be read")
    os.rmdir(os.path.join(directory, "refs"))
    os.mkdir(os.path.join(directory, "logs"))
    for name in ("refs", "packed-refs", "logs/refs", "reftable"):
        _link(os.path.join(repository.common, name), os.path.join(directory, name))
    _link(os.path.join(repository.directory, "logs", "HEAD"), os.path.join(directory, "logs", "HEAD"))


def _add_index(directory: str, repository: Repository) -> None:
    names = [name for name in os.listdir(repository.directory) if name == "index" or name.startswith("sharedindex.")]
    for name in names:
        data = content(os.path.join(repository.directory, name), _MAX_INDEX)
        if data is not None:
            _write(directory, name, data)


def _link(source: str, target: str) -> None:
    """Links a directory or a regular file, or copies it where links are not allowed."""
    try:
        mode = os.stat(source).st_mode
    except OSError:
        return
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        return
    try:
        os.symlink(source, target, target_is_directory=stat.S_ISDIR(mode))
    except OSError:
        (shutil.copytree if stat.S_ISDIR(mode) else shutil.copyfile)(source, target)


def _write(directory: str, name: str, data: bytes) -> None:
    Path(directory, name).write_bytes(data)
