"""Finds the place of a cache, and checks that it belongs to this user.

A cache decides what a scan reports, so a scanned tree must not bring one. By default it is in the user's cache
directory. Everywhere, its contents are signed with a secret of the user: the file ``key`` in that directory, or
``FDLINT_CACHE_KEY`` where no such directory outlives a job.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from fdlint.scan.reading import intake
from fdlint.scan.reading.replacing import replacing

KEPT_DAYS = 30
TAG = "CACHEDIR.TAG"
_KEY, _KEY_BYTES = "key", 32
_VARIABLE = "FDLINT_CACHE_KEY"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_NO_NAME = re.compile(r"[^a-zA-Z0-9._-]+")


class UntrustedCacheError(Exception):
    """Others may have written to the directory. The message is the reason."""


@dataclass(frozen=True, slots=True)
class Place:
    """The directory of a cache, which need not exist, and the secret that signs its contents."""

    directory: Path
    key: bytes


def named(directory: Path) -> Place | None:
    """Returns the directory that the user names; None if there is no secret. Raises ``UntrustedCacheError``."""
    reason = distrust(directory)
    if reason is not None:
        raise UntrustedCacheError(reason)
    key = _key(_user_directory())
    return Place(directory, key) if key is not None else None


def usual() -> Place | None:
    """Returns the directory for scans from the working directory; None if the user has no cache directory."""
    user = _user_directory()
    key = _key(user)
    if user is None or key is None or distrust(user) is not None:
        return None
    here = os.path.realpath(".")
    name = _NO_NAME.sub("_", os.path.basename(here))[:40]
    digest = hashlib.blake2b(os.fsencode(here), digest_size=8).hexdigest()
    directory = user / f"{name}-{digest}"
    with contextlib.suppress(OSError):
        os.utime(directory)
    _forget_unused(user)
    return Place(directory, key) if distrust(directory) is None else None


def distrust(directory: Path) -> str | None:
    """Returns the reason why others may have written to a directory; None if they cannot."""
    try:
        status = os.lstat(directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        return error.strerror or str(error)
    if not stat.S_ISDIR(status.st_mode):
        return "it is a link" if stat.S_ISLNK(status.st_mode) else "it is not a directory"
    return _foreign(status)


def read_own(path: Path) -> bytes:
    """Reads a file that only this user can have written. Raises ``OSError``."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or _foreign(status) is not None:
            raise PermissionError(path)
        return intake.read_stream(file, intake.STORE)


def _foreign(status: os.stat_result) -> str | None:
    if not hasattr(os, "geteuid"):
        return None
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    return "other users can write to it" if status.st_mode & _OTHERS_WRITE else None


def _user_directory() -> Path | None:
    place = user_cache_path("fdlint", appauthor=False)
    return place if place.is_absolute() and not _is_in_tree(place) else None


def _is_in_tree(place: Path) -> bool:
    """Whether a path is in the repository around the working directory: then the repository can bring it. CI jobs do
    this with XDG_CACHE_HOME to keep a cache. A user who keeps the whole home directory in a repository does not
    count."""
    here = Path.cwd()
    top = next((one for one in (here, *here.parents) if os.path.lexists(one / ".git")), here)
    home = os.path.realpath(os.path.expanduser("~"))
    return place.resolve().is_relative_to(top) and not Path(home).is_relative_to(top)


def _key(user: Path | None) -> bytes | None:
    given = os.environ.get(_VARIABLE)
    if given:
        return hashlib.blake2b(os.fsencode(given), digest_size=_KEY_BYTES).digest()
    if user is None:
        return None
    try:
        user.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (user / _KEY).exists():
            with replacing(user / _KEY) as file:
                file.write(os.urandom(_KEY_BYTES))
        key = read_own(user / _KEY) if distrust(user) is None else b""
    except OSError:
        return None
    return key if len(key) == _KEY_BYTES else None


def _forget_unused(user: Path) -> None:
    """Removes caches of other directories after a long time without use."""
    oldest = time.time() - KEPT_DAYS * 86_400
    with contextlib.suppress(OSError):
        for one in list(user.iterdir()):
            if (one / TAG).is_file() and not one.is_symlink() and one.stat().st_mtime < oldest:
                shutil.rmtree(one, ignore_errors=True)
