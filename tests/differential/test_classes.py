"""Tests the oracle for classes on classes with an obvious answer. ``# FD105`` marks a line's expected code."""

from __future__ import annotations

import textwrap

import pytest

from .class_cases import CLASS_CASES
from .class_oracle import expected_of_class


@pytest.mark.parametrize("name", CLASS_CASES)
def test_case(name: str) -> None:
    source = textwrap.dedent(CLASS_CASES[name])
    lines = enumerate(source.splitlines(), 1)
    due = {(line.rpartition("# ")[2], number) for number, line in lines if "# FD" in line}
    found = expected_of_class(source)
    assert (found.due, found.doubtful) == (due, set())
