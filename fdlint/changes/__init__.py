"""Which findings lie in code that has changed since a revision."""

from fdlint.changes.git import GitError, check
from fdlint.changes.within import only_changed

__all__ = ["GitError", "check", "only_changed"]
