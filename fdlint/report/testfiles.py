"""Which files are tests, by their paths alone."""

from __future__ import annotations

import re

_TESTS = re.compile(r"(?:^|/)(?:(?:tests?|testing)/|(?:test_[^/]*\.py|[^/]*_test\.(?:py|go)|conftest\.py)$)")


def in_tests(path: str) -> bool:
    """Whether a file is a test, or lies beside tests: ``tests/``, ``test_*.py``, ``*_test.go``, ``conftest.py``."""
    return _TESTS.search(path) is not None
