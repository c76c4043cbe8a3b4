"""Reads the current commit of a repository, and where others can get it, from git's files. It does not start git, and
runs no code of the files.

Every file may come from an attacker. A line that is not clearly a name, a hash or an address counts as missing.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from fdlint.report.findings.audited import Revision
from fdlint.scan.git.repository import Repository
from fdlint.scan.reading.intake import content

_MAX_REFS, _MAX_CONFIG, _MAX_LINE = 64 * 1024 * 1024, 4 * 1024 * 1024, 8192  # bytes
_REF = re.compile(r"refs/heads/(?P<branch>(?!.*(?:\.\.|//|/\.|\.lock|/$))[\w][\w./+@#-]*)", re.ASCII)
_HOST = re.compile(r"[\w.-]+", re.ASCII)
_ADDRESS = re.compile(r"[\w.~:/?#@!$&'()*+,;=%-]+", re.ASCII)
_SCHEMES = ("https", "http", "ssh", "git")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def revision(repository: Repository) -> Revision | None:
    """Returns the checked-out commit, its branch and the address of the repository; None if there is no commit yet, or
    the files are not git's."""
    found = _checked_out(repository)
    return None if found is None else replace(found, repository=_address(repository))


def _checked_out(repository: Repository) -> Revision | None:
    head = _text(os.path.join(repository.directory, "HEAD"), _MAX_LINE).strip()
    if _HASH.fullmatch(head):
        return Revision(repository.top, head)
    ref = _REF.fullmatch(head.removeprefix("ref:").strip()) if head.startswith("ref:") else None
    commit = _commit(repository, ref[0]) if ref is not None else None
    return Revision(repository.top, commit, ref["branch"]) if ref is not None and commit is not None else None


def _commit(repository: Repository, ref: str) -> str | None:
    loose = _text(os.path.join(repository.common, *ref.split("/")), _MAX_LINE).strip()
    if _HASH.fullmatch(loose):
        return loose
    for line in _text(os.path.join(repository.common, "packed-refs"), _MAX_REFS).split("\n"):
        name, _, what = line.partition(" ")
        if what.strip() == ref and _HASH.fullmatch(name):
            return name
    return None


def _text(file: str, limit: int) -> str:
    """Returns the contents of a regular file of at most ``limit`` bytes, or an empty string."""
    return (content(file, limit) or b"").decode("utf-8", "replace")


def _address(repository: Repository) -> str:
    """Returns the address of ``origin``, if others could use it."""
    section = ""
    for line in map(str.strip, _text(os.path.join(repository.common, "config"), _MAX_CONFIG).split("\n")):
        key, _, value = line.partition("=")
        if line.startswith("["):
            section = line[1:].partition("]")[0].strip()
        elif section == 'remote "origin"' and key.strip().lower() == "url":
            return public(value.strip())
    return ""


def public(url: str) -> str:
    """Returns an address without credentials; nothing for a place on this machine or an unknown form."""
    place, colon, path = url.partition(":")  # git@example.org:path is short for ssh
    host = place.rpartition("@")[2]
    if colon and not path.startswith("/") and ":" not in path and "." in host and _HOST.fullmatch(host):
        url = f"ssh://{host}/{path}"
    try:
        parts = urlsplit(url)
        name, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in _SCHEMES or not name or not _ADDRESS.fullmatch(url):
        return ""
    return urlunsplit((parts.scheme, f"{name}:{port}" if port else name, parts.path, "", ""))
