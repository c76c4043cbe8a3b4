"""Tests the oracle for classes on classes with an obvious answer. ``# FD105`` marks a line's expected code."""

from __future__ import annotations

import textwrap

import pytest

from .class_cases import CLASS_CASES
from .class_oracle import expected_of_class
from .execute import InvalidProgram


@pytest.mark.parametrize("name", CLASS_CASES)
def test_case(name: str) -> None:
    source = textwrap.dedent(CLASS_CASES[name])
    lines = enumerate(source.splitlines(), 1)
    due = {(line.rpartition("# ")[2], number) for number, line in lines if "# FD" in line}
    found = expected_of_class(source)
    assert (found.due, found.doubtful) == (due, set())


UNREACHED = """
class Holder:
    def __init__(self):
        self._lock = None
        self._fd = os.dup(0)

    def finish(self):
        if self._lock is None:
            return
        os.close(self._fd)
"""


def test_a_close_that_no_run_reaches_leaves_doubt() -> None:
    """FD108 asks for code that closes the attribute, not whether it can be reached."""
    found = expected_of_class(UNREACHED)
    assert (found.due, found.doubtful) == (set(), {("FD108", 5)})


HOOK = """
class Holder:
    def __init__(self):
        self._fd = os.dup(0)
        self.begin()

    def begin(self):
        pass
"""


def test_a_method_without_a_body_may_be_overridden() -> None:
    with pytest.raises(InvalidProgram):
        expected_of_class(HOOK)
