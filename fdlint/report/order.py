"""Sorts findings for readers: production code before tests."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.findings.finding import Finding

_DIRECTORIES = frozenset({"test", "tests", "testing"})
_ENDINGS = ("_test.py", "_test.go")


def in_tests(path: str) -> bool:
    """Whether a file, by its path with slashes, belongs to the tests of a project."""
    *directories, name = path.split("/")
    named = name == "conftest.py" or name.endswith(_ENDINGS) or (name.startswith("test_") and ".py" in name)
    return named or not _DIRECTORIES.isdisjoint(directories)


def production_first(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings with those in tests last, otherwise in the same order."""
    return sorted(findings, key=lambda one: in_tests(one.span.path))
