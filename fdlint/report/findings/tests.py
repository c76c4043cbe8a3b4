"""The tests of a project: which files they are, and what is reported in them."""

from __future__ import annotations

import enum

_DIRECTORIES = ("tests", "test", "testing")
_NAME = "conftest.py"
_ENDINGS = ("_test.py", "_test.go")
USUAL_TEST_FILES = (*(f"{name}/" for name in _DIRECTORIES), "test_*.py", *(f"*{end}" for end in _ENDINGS), _NAME)
"""The patterns of the usual names of test files."""


class Tests(enum.Enum):
    """The findings that are reported in test files. ``LEAKS``: not those that only matter if a test fails."""

    __test__ = False  # pytest collects classes of this name

    ALL = "all"
    LEAKS = "leaks"
    NONE = "none"


def in_tests(path: str) -> bool:
    """Whether a file, by its path with slashes, belongs to the tests of a project."""
    *directories, name = path.split("/")
    named = name == _NAME or name.endswith(_ENDINGS) or (name.startswith("test_") and ".py" in name)
    return named or any(one in _DIRECTORIES for one in directories)
