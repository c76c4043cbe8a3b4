"""The tests of a project: which files they are, and what is reported in them."""

from __future__ import annotations

import enum
import re

from fdlint.languages.registry import LANGUAGES

_DIRECTORIES = (
    "tests",
    "test",
    "testing",
    "selftests",
    "testsuite",
    "testutils",
    "test_utils",
    "integration_tests",
    "vmtests",
    "fv",
)
_DIRECTORY_ENDS = ("_tests", "testhelper", "testhelpers")
USUAL_TEST_FILES = (
    *(f"{name}/" for name in _DIRECTORIES),
    *(f"*{end}/" for end in _DIRECTORY_ENDS),
    *(one for each in LANGUAGES for one in each.test_files),
)
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
    return any(one.is_test_name(name) for one in LANGUAGES) or any(map(_is_of_tests, directories))


def _is_of_tests(directory: str) -> bool:
    return directory in _DIRECTORIES or directory.endswith(_DIRECTORY_ENDS)


_ASIDE = {
    **dict.fromkeys(("example", "examples", "samples", "demo", "demos"), "an example"),
    **dict.fromkeys(("bench", "benchmark", "benchmarks"), "a benchmark"),
    "docs": "an example",
    **dict.fromkeys(("integration", "e2e"), "a helper for tests"),
}
_TOOLS = frozenset({"tools", "scripts", "hack", "contrib", "dev", "extras"})
_HELPERS = re.compile(r"_?tests?[-_]?(utils?|helpers?|data|support)([-_]\w+)?|mocks?([-_]\w+|data)?")
_FOR_TESTS, _NOT_FOR_TESTS = "test", frozenset({"latest", "attest", "contest"})  # the ends of names: Go's httptest


def aside(path: str) -> str:
    """Returns what a file is if it shows or tests the product, and is no part of it nor test code; empty otherwise."""
    *directories, name = path.split("/")
    stem = name.partition(".")[0]
    helps = stem.endswith("_mock") or any(map(_HELPERS.fullmatch, (stem, *directories)))
    helps = helps or any(one.endswith(_FOR_TESTS) and one not in _NOT_FOR_TESTS for one in directories)
    return next((_ASIDE[one] for one in directories if one in _ASIDE), _ASIDE["e2e"] if helps else "")


def is_tool(path: str) -> bool:
    """Whether a file, by its path from the top of the project, is in a directory for tools of its developers and
    users."""
    top, _, rest = path.partition("/")
    return bool(rest) and top in _TOOLS
