"""Reads the repository and the revision of a directory from git's files. Leaves out addresses on this machine,
credentials, and anything that is not clearly an address."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit, urlunsplit

from fdlint.report.findings.finding import Provenance
from fdlint.scan.git.head import revision, text
from fdlint.scan.git.repository import enclosing

_MAX_CONFIG = 4 * 1024 * 1024  # bytes
_HOST = re.compile(r"[\w.-]+", re.ASCII)
_ADDRESS = re.compile(r"[\w.~:/?#@!$&'()*+,;=%-]+", re.ASCII)
_SCHEMES = ("https", "http", "ssh", "git")


def provenance(directory: str) -> Provenance | None:
    """Returns the origin of a directory; None if its repository has no commit or no address that others could use."""
    repository = enclosing(directory)
    if repository is None:
        return None
    address = _address(text(os.path.join(repository.common, "config"), _MAX_CONFIG))
    found = revision(repository)
    if address is None or found is None:
        return None
    return Provenance(address, found.commit, found.branch or None, os.path.realpath(directory) == repository.top)


def _address(config: str) -> str | None:
    """Returns the address of ``origin``."""
    section = ""
    for line in map(str.strip, config.split("\n")):
        key, _, value = line.partition("=")
        if line.startswith("["):
            section = line[1:].partition("]")[0].strip()
        elif section == 'remote "origin"' and key.strip().lower() == "url":
            return _public(value.strip())
    return None


def _public(url: str) -> str | None:
    """Returns an address without credentials; None for a place on this machine or an unknown form."""
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
