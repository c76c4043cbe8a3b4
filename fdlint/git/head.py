"""The commit that a repository is at."""

from __future__ import annotations

import os
import re

from fdlint.audited import Revision
from fdlint.git.private import private
from fdlint.git.repository import Repository
from fdlint.git.run import GitError
from fdlint.intake import content

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(rb"ref:\s*refs/heads/(\S+)\s*")
_LINE = 8192  # bytes of HEAD


def revision(repository: Repository) -> Revision | None:
    """The commit that is checked out; None if there is none yet, or git cannot tell."""
    try:
        with private(repository, history=True) as own:
            commit = own.git("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode("ascii", "replace").strip()
    except GitError:
        return None
    if not _COMMIT.fullmatch(commit):
        return None
    found = _BRANCH.fullmatch(content(os.path.join(repository.directory, "HEAD"), _LINE) or b"")
    return Revision(repository.top, commit, found[1].decode("utf-8", "replace") if found else "")
