"""The tests of a project: which files they are, and what is reported in them."""

from __future__ import annotations

import enum

from fdlint.languages.registry import LANGUAGES

_DIRECTORIES = ("tests", "test", "testing")
USUAL_TEST_FILES = (*(f"{name}/" for name in _DIRECTORIES), *(one for each in LANGUAGES for one in each.test_files))
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
    return any(one.is_test_name(name) for one in LANGUAGES) or any(one in _DIRECTORIES for one in directories)
