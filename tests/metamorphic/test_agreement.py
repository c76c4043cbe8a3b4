"""Rewrites that keep the meaning keep the verdict, on a part of the golden cases."""

from __future__ import annotations

import ast

import pytest

from tests.metamorphic.agreement import REWRITES, measure, programs
from tests.metamorphic.proved import proofs
from tests.metamorphic.rewrite import Rewrite

_PART = 720  # one case in so many: two hundred and fifty rewritten programs
_PROGRAM = """
import os
import socket
import subprocess

class Device:
    def __init__(self, path):
        self._fd = os.open(path, os.O_RDWR)
        self._check(path)

    def _check(self, path):
        report(path)

    def close(self):
        os.close(self._fd)

def report(path):
    print(path)

def copy(path, items, on):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.write(fd, b"")
    finally:
        os.close(fd)
    r, w = os.pipe()
    os.close(r)
    if on is None:
        return str(path)
    size = 1 if on else 2
    try:
        os.close(w)
    except OSError:
        pass
    socket.send_fds(on, [b""], [fd])
    subprocess.Popen(["true"], stdin=fd)
    while items:
        items.pop()
    for item in items:
        print(item)
    for end in (1, 2):
        if on:
            print(end)
    copies = [os.dup(one) for one in items]
    first = copies.pop()
    if first is not None:
        size = 3
    else:
        size = 4
    return size

def first_device(path):
    return Device(path).close()

def first_line(path):
    found = None
    try:
        found = path.open()
    except OSError:
        return None
    return found.readline()
"""


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda one: one.name)
def test_a_rewrite_changes_the_program_into_another_valid_one(rewrite: Rewrite) -> None:
    written = rewrite(_PROGRAM)
    assert written is not None
    assert written != ast.unparse(ast.parse(_PROGRAM)) + "\n"
    compile(written, "case.py", "exec")


def test_rewrites_keep_nearly_every_verdict() -> None:
    tallies = measure(programs(_PART, start=7)).values()
    assert sum(one.found_kept for one in tallies) >= 0.92 * sum(one.found for one in tallies)
    assert sum(one.silent_kept for one in tallies) >= 0.98 * sum(one.silent for one in tallies)


def test_both_versions_run_and_lose_the_same_descriptors() -> None:
    found = proofs(range(2, 3))
    assert [difference for one in found.values() for difference in one.differences] == []
    assert sum(one.same > 0 for one in found.values()) > len(found) / 2
