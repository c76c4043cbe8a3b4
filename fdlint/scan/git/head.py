"""Reads the current commit of a repository from git's files. It does not start git, and runs no code of the files.

Every file may come from an attacker. A line that is not clearly a name or a hash counts as missing.
"""

from __future__ import annotations

import os
import re

from fdlint.report.findings.audited import Revision
from fdlint.scan.git.repository import Repository
from fdlint.scan.reading.intake import content

_MAX_REFS, _MAX_LINE = 64 * 1024 * 1024, 8192  # bytes
_REF = re.compile(r"refs/heads/(?P<branch>(?!.*(?:\.\.|//|/\.|\.lock|/$))[\w][\w./+@#-]*)", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def revision(repository: Repository) -> Revision | None:
    """Returns the checked-out commit and its branch; None if there is no commit yet, or the files are not git's."""
    head = text(os.path.join(repository.directory, "HEAD"), _MAX_LINE).strip()
    if _HASH.fullmatch(head):
        return Revision(repository.top, head)
    ref = _REF.fullmatch(head.removeprefix("ref:").strip()) if head.startswith("ref:") else None
    commit = _commit(repository, ref[0]) if ref is not None else None
    return Revision(repository.top, commit, ref["branch"]) if ref is not None and commit is not None else None


def _commit(repository: Repository, ref: str) -> str | None:
    loose = text(os.path.join(repository.common, *ref.split("/")), _MAX_LINE).strip()
    if _HASH.fullmatch(loose):
        return loose
    for line in text(os.path.join(repository.common, "packed-refs"), _MAX_REFS).split("\n"):
        name, _, what = line.partition(" ")
        if what.strip() == ref and _HASH.fullmatch(name):
            return name
    return None


def text(file: str, limit: int) -> str:
    """Returns the contents of a regular file of at most ``limit`` bytes, or an empty string."""
    return (content(file, limit) or b"").decode("utf-8", "replace")
