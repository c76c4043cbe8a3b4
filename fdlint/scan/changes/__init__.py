"""Selects the findings in code that has changed since a revision."""

from fdlint.scan.changes.git import check
from fdlint.scan.changes.within import only_changed
from fdlint.scan.git.run import GitError

__all__ = ["GitError", "check", "only_changed"]
