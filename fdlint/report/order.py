"""The order in which people read findings: those in production code before those in tests."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fdlint.finding import Finding

_IN_TESTS = re.compile(
    r"(?:^|.*/)(?:(?:tests?|testing)/.*|test_[^/]*\.pyi?|[^/]*_test\.py|[^/]*_test\.go|conftest\.py)", re.DOTALL
)


def in_tests(path: str) -> bool:
    """Whether a file, by its path with slashes, belongs to the tests of a project."""
    return _IN_TESTS.fullmatch(path) is not None


def production_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with those in tests last; apart from that, their order stays."""
    return sorted(findings, key=lambda one: in_tests(one.span.path))
