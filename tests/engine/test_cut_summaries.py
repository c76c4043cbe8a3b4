"""A summary that the depth of calls cut short serves all callers at that depth."""

from __future__ import annotations

import pytest

from fdlint.core.engine import call_resolution
from fdlint.core.engine.limits import MAX_CALLS
from fdlint.scan.scan import scan_source

LAYERS = MAX_CALLS + 3
FIRST = """
def top(path):
    fd = os.open(path, 0)
    f0(fd)
    g0(fd)
    os.close(fd)
"""
LAST = """
def f{0}(fd):
    os.read(fd, 1)

def g{0}(fd):
    os.close(fd) if fd is None else os.fstat(fd)
"""
LAYER = """
def f{0}(fd):
    f{1}(fd)
    g{1}(fd)

def g{0}(fd):
    g{1}(fd)
    f{1}(fd)
"""


def test_two_ways_down_are_not_followed_once_for_each_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    followed = []
    summarise = call_resolution.summarise

    def counted(task, context):  # type: ignore[no-untyped-def]
        followed.append(task.target.name)
        return summarise(task, context)

    monkeypatch.setattr(call_resolution, "summarise", counted)
    layers = [LAYER.format(number, number + 1) for number in range(LAYERS)]
    code = "\n".join(["import os", FIRST, *layers, LAST.format(LAYERS)])
    scan_source(code.encode(), "layers.py")
    assert followed
    assert len(followed) <= 2 * LAYERS * (MAX_CALLS + 1)
