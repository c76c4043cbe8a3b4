"""Makes a function on which oracle and engine disagree as small as single deletions can."""

from __future__ import annotations

import ast

from .compare import Kind, compare
from .decisions import TooManyPaths
from .execute import InvalidProgram
from .mutate import deletions


def minimise(source: str, kind: Kind, tries: int = 400) -> str:
    """The smallest found that still has a site with this expected and this reported code."""
    left = tries
    smaller: str | None = source
    while smaller is not None:
        source, smaller = smaller, None
        for candidate in deletions(source):
            left -= 1
            if left < 0:
                return source
            if _shows(candidate, kind):
                smaller = candidate
                break
    return source


def _shows(source: str, kind: Kind) -> bool:
    try:
        compile(ast.parse(source), "<candidate>", "exec")
        return any(difference.kind == kind for difference in compare(source).differences)
    except (InvalidProgram, TooManyPaths, SyntaxError):
        return False
