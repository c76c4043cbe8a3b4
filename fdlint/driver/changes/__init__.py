"""Selects the findings in code that has changed since a revision."""

from fdlint.driver.changes.git import check
from fdlint.driver.changes.within import only_changed
from fdlint.git.run import GitError

__all__ = ["GitError", "check", "only_changed"]
