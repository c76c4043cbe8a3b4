"""Which revision of which repository a directory is, from git's files: git is not started, nothing in them is run.

Every file may come from somebody else. What is not plainly a name, a hash or an address is left out, and so are
addresses on this machine and credentials in one.
"""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit, urlunsplit

from fdlint.finding import Provenance
from fdlint.git.repository import Repository, enclosing
from fdlint.intake import content

_MAX_REFS = 64 * 1024 * 1024  # bytes
_MAX_CONFIG = 4 * 1024 * 1024
_REF = re.compile(r"refs/heads/(?P<branch>(?!.*(?:\.\.|//|/\.|\.lock|/$))[\w][\w./+@#-]*)", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HOST = re.compile(r"[\w.-]+", re.ASCII)
_ADDRESS = re.compile(r"[\w.~:/?#@!$&'()*+,;=%-]+", re.ASCII)
_SCHEMES = ("https", "http", "ssh", "git")


def provenance(directory: str) -> Provenance | None:
    """Where a directory comes from; None if its repository has no commit or no address that others could use."""
    repository = enclosing(directory)
    if repository is None:
        return None
    address = _address(_text(os.path.join(repository.common, "config"), _MAX_CONFIG))
    revision, branch = _head(repository)
    if address is None or revision is None:
        return None
    return Provenance(address, revision, branch, os.path.realpath(directory) == repository.top)


def _head(repository: Repository) -> tuple[str | None, str | None]:
    """The commit that is checked out, and its branch."""
    head = _text(os.path.join(repository.directory, "HEAD"), _MAX_CONFIG).strip()
    if _HASH.fullmatch(head):
        return head, None
    ref = _REF.fullmatch(head.removeprefix("ref:").strip()) if head.startswith("ref:") else None
    if ref is None:
        return None, None
    loose = _text(os.path.join(repository.common, *ref[0].split("/")), _MAX_CONFIG).strip()
    if _HASH.fullmatch(loose):
        return loose, ref["branch"]
    for line in _text(os.path.join(repository.common, "packed-refs"), _MAX_REFS).split("\n"):
        name, _, what = line.partition(" ")
        if what.strip() == ref[0] and _HASH.fullmatch(name):
            return name, ref["branch"]
    return None, None


def _address(config: str) -> str | None:
    """The address of ``origin``."""
    section = ""
    for line in map(str.strip, config.split("\n")):
        key, _, value = line.partition("=")
        if line.startswith("["):
            section = line[1:].partition("]")[0].strip()
        elif section == 'remote "origin"' and key.strip().lower() == "url":
            return _public(value.strip())
    return None


def _public(url: str) -> str | None:
    """An address without credentials; None for a place on this machine and for anything that is not understood."""
    place, colon, path = url.partition(":")  # git@example.org:path is short for ssh
    host = place.rpartition("@")[2]
    if colon and not path.startswith("/") and ":" not in path and "." in host and _HOST.fullmatch(host):
        url = f"ssh://{host}/{path}"
    try:
        parts = urlsplit(url)
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _SCHEMES or not name or not _ADDRESS.fullmatch(url):
        return None
    return urlunsplit((parts.scheme, f"{name}:{port}" if port else name, parts.path, "", ""))


def _text(file: str, limit: int) -> str:
    return (content(file, limit) or b"").decode("utf-8", "replace")
