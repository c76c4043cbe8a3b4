"""A file with wrong definitions is analysed without them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fdlint.languages.python.lowering.repair import repaired
from fdlint.scan.scan import scan_source

LEAK = """

def leak(path):
    fd = os.open(path, os.O_RDONLY)
    os.read(fd, 1)
"""


def found(code: str) -> tuple[list[tuple[int, str]], list[str]]:
    report = scan_source(dedent(code).encode(), "a.py")
    return [(one.span.line, one.code) for one in report.findings], [one.reason for one in report.skipped]


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ('def old(path):\n    print "opening", path', "3:11; Python 2?"),
        ("def half(path):\n    return size(", "6:1"),
        (
            "def old(path):\n    try:\n        os.stat(path)\n    except OSError as e:\n        raise OSError, e",
            "6:22; Python 2?",
        ),
        ('class Old:\n    def close(self):\n        print "closed"', "4:15; Python 2?"),
        ("try:\n    import json\nexcept ImportError as e:\n    print e", "5:11; Python 2?"),
        ("@cached\n@other\nclass Old(:\n    pass", "4:11"),
    ],
)
def test_the_other_functions_are_analysed(wrong: str, place: str) -> None:
    code = f"import os\n{wrong}\n{LEAK}"
    line = code.split("\n").index("    fd = os.open(path, os.O_RDONLY)") + 1
    findings, skipped = found(code)
    assert findings == [(line, "FD101")]
    assert skipped == [f"not analysed in full: invalid syntax at {place}"]


def test_a_wrong_function_may_take_what_it_gets() -> None:
    code = """
    import os

    def take(fd):
        print "got", fd

    def give(path):
        fd = os.open(path, os.O_RDONLY)
        take(fd)
    """
    assert found(code)[0] == []


def test_a_wrong_method_may_close_an_attribute() -> None:
    code = """
    import os

    class Log:
        def __init__(self, path):
            self.fd = os.open(path, os.O_WRONLY)

        def stop(self):
            print "stop"
            os.close(self.fd)

        def size(self, path):
            fd = os.open(path, os.O_RDONLY)
            return os.fstat(fd).st_size
    """
    assert found(code)[0] == [(13, "FD101")]


def test_what_is_not_python_stays_as_it_is() -> None:
    assert repaired("<html>\n<body>\n") is None
    assert repaired("def one(:\n    pass\n" * 40) is None
    assert repaired("x = (\n") is None


def test_the_rest_of_a_file_with_a_deep_expression_is_analysed() -> None:
    deep = f"TABLE = {'[' * 150}{']' * 150}"
    findings, reasons = found(f"import os{LEAK}\n\n{deep}\n")
    assert findings == [(4, "FD101")]
    assert reasons == ["not analysed in full: nested too deeply to analyse: 101 brackets at line 8, the limit is 100"]
