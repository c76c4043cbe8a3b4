"""fdlint as a library in a program with threads: nothing that belongs to the whole process is left changed."""

from __future__ import annotations

import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from fdlint.scan.scan import scan_source

LEAK = b"import os\n\ndef f(path):\n    fd = os.open(path, os.O_RDONLY)\n"


def codes(number: int) -> list[str]:
    return [one.code for one in scan_source(LEAK + b"#" * number, f"file{number}.py").findings]


def test_scans_in_threads_leave_the_limits_of_the_process_as_they_were() -> None:
    before = sys.getrecursionlimit(), threading.stack_size(), gc.isenabled()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(codes, range(64)))
    assert found == [["FD101"]] * 64
    assert (sys.getrecursionlimit(), threading.stack_size(), gc.isenabled()) == before


def test_a_scan_that_fails_leaves_them_too() -> None:
    before = sys.getrecursionlimit(), threading.stack_size()
    scan_source(b"def f(:\n    os.open\n", "broken.py")
    assert (sys.getrecursionlimit(), threading.stack_size()) == before
