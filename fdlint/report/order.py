"""The order in which people read findings: those in production code before those in tests."""

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
    """The findings with those in tests last; apart from that, their order stays."""
    return sorted(findings, key=lambda one: in_tests(one.span.path))
