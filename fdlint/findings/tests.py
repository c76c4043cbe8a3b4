"""Tells test files by their paths."""

from __future__ import annotations

_DIRECTORIES = frozenset({"test", "tests", "testing"})
_ENDINGS = ("_test.py", "_test.go")


def in_tests(path: str) -> bool:
    """Whether a file, by its path with slashes, belongs to the tests of a project."""
    *directories, name = path.split("/")
    named = name == "conftest.py" or name.endswith(_ENDINGS) or (name.startswith("test_") and ".py" in name)
    return named or not _DIRECTORIES.isdisjoint(directories)
