"""Tests the comparison of runs on changes with an obvious answer."""

from __future__ import annotations

import textwrap

import pytest

from ..execute import InvalidProgram
from .compare import compare_fixes, differences, python_pairs
from .go_running import go_pairs
from .running import compiled

OPENS = "fd = os.open(path, 0)\n"
CASES = {
    "a leak ends": (OPENS + "use(fd)", OPENS + "try:\n    use(fd)\nfinally:\n    os.close(fd)", None),
    "a leak comes": (OPENS + "os.close(fd)", OPENS + "pass", "more leaks"),
    "a second close goes": (OPENS + "os.close(fd)\nos.close(fd)", OPENS + "os.close(fd)", None),
    "a second close comes": (OPENS + "os.close(fd)", OPENS + "os.close(fd)\nos.close(fd)", "double close"),
    "none": ("fd = None\nif a:\n    " + OPENS, "fd = None\nif a:\n    " + OPENS + "os.close(fd)", "closes None"),
    "minus one": ("fd = -1\nif a:\n    " + OPENS, "fd = -1\nif a:\n    " + OPENS + "os.close(fd)", "closes -1"),
    "unbound": ("if a:\n    " + OPENS, "if a:\n    " + OPENS + "os.close(fd)", "closes an unbound variable"),
    "borrowed": ("fd = obj.fileno()", "fd = obj.fileno()\nos.close(fd)", "closes what it borrowed"),
    "a parameter": ("os.fstat(given)", "os.fstat(given)\nos.close(given)", "closes what it borrowed"),
    "taken over": ("os.close(given)", "pass", "no longer closes what it borrowed"),
    "a list": (OPENS + "out.append(fd)", OPENS + "out.append(fd)\nos.close(fd)", "closes what it handed on"),
    "a thread": (
        OPENS + "threading.Thread(target=os.close, args=(fd,)).start()",
        OPENS + "threading.Thread(target=os.close, args=(fd,)).start()\nos.close(fd)",
        "closes what it handed on",
    ),
    "a closure": (
        OPENS + "out.append(lambda: os.close(fd))",
        OPENS + "out.append(lambda: os.close(fd))\nos.close(fd)",
        "closes what it handed on",
    ),
    "a result": (OPENS + "return [fd]", OPENS + "os.close(fd)\nreturn [fd]", "closes what it handed on"),
    "used later": (OPENS + "use(fd)", OPENS + "os.close(fd)\nuse(fd)", "use after close"),
    "a call less": (OPENS + "print(a)\nos.close(fd)", OPENS + "os.close(fd)", "other calls"),
    "another result": ("return 1", "return 2", "other end"),
    "another error": ("raise ValueError('x')", "raise OSError('x')", "other end"),
    "later": (OPENS + "os.close(fd)\nprint(a)", OPENS + "print(a)\nos.close(fd)", "closes later"),
    "earlier": (OPENS + "work()\nos.close(fd)", OPENS + "os.close(fd)\nwork()", "closes earlier"),
}
GO_OPENS = 'fd, err := unix.Open("x", unix.O_CLOEXEC, 0)\nif err != nil {\nreturn\n}\n'
GO_CASES = {
    "a leak ends": (GO_OPENS, GO_OPENS + "unix.Close(fd)", None),
    "a leak comes": (GO_OPENS + "unix.Close(fd)", GO_OPENS, "more leaks"),
    "twice": (GO_OPENS + "unix.Close(fd)", GO_OPENS + "unix.Close(fd)\nunix.Close(fd)", "double close"),
    "a channel": (GO_OPENS + "ch <- fd", GO_OPENS + "ch <- fd\nunix.Close(fd)", "closes what it handed on"),
    "a goroutine": (
        GO_OPENS + "go func() {\nunix.Close(fd)\n}()",
        GO_OPENS + "defer unix.Close(fd)\ngo func() {\nunix.Close(fd)\n}()",
        "closes what it handed on",
    ),
    "a slice": (
        GO_OPENS + "held.fds = append(held.fds, fd)",
        GO_OPENS + "held.fds = append(held.fds, fd)\nunix.Close(fd)",
        "closes what it handed on",
    ),
    "a parameter": ("unix.Fsync(sock)", "unix.Fsync(sock)\nunix.Close(sock)", "closes what it borrowed"),
    "used later": (GO_OPENS + "unix.Fsync(fd)", GO_OPENS + "unix.Close(fd)\nunix.Fsync(fd)", "use after close"),
    "later": (
        GO_OPENS + "unix.Close(fd)\nunix.Fsync(sock)",
        GO_OPENS + "defer unix.Close(fd)\nunix.Fsync(sock)",
        "closes later",
    ),
}
GO_HEAD = "package p\n\nfunc work(ch chan int, sock int, held *Pool) {\n"


@pytest.mark.parametrize("name", CASES)
def test_python(name: str) -> None:
    before, after, due = CASES[name]
    texts = [f"def run(a, out, obj, path, given):\n{textwrap.indent(one, '    ')}\n" for one in (before, after)]
    kinds = {next(differences(*pair), None) for pair in python_pairs(texts[0], texts[1])}
    assert kinds - {None} == ({due} if due else set())


@pytest.mark.parametrize("name", GO_CASES)
def test_go(name: str) -> None:
    before, after, due = GO_CASES[name]
    kinds = {next(differences(*pair), None) for pair in go_pairs(f"{GO_HEAD}{before}\n}}", f"{GO_HEAD}{after}\n}}")}
    assert kinds - {None} == ({due} if due else set())


@pytest.mark.parametrize(
    ("helper", "caller"),
    [
        ("r, w = os.pipe()\n    work()\n    return (r, w)", "r, w = helper(path)\n    return r"),
        ("try:\n        return os.open(path, 0)\n    finally:\n        work()", "fd = helper(path)"),
    ],
)
def test_a_leak_belongs_to_the_function_that_has_the_number(helper: str, caller: str) -> None:
    """The fix of one function is no repair of what the other leaks, and does not claim to be one."""
    head = "import os\nfrom helpers import work\n\n"
    found = compare_fixes(f"{head}def helper(path):\n    {helper}\n\ndef run(path):\n    {caller}\n")
    assert len(found.codes) == 1
    assert not found.differences


def test_a_leak_is_that_of_one_end_of_a_pair() -> None:
    """The end that another function takes over is no part of the finding."""
    handler = "os.close(r)\n        os.close(w)\n        raise\n"
    body = f"r, w = os.pipe()\n    try:\n        adopt(w)\n    except:\n        {handler}"
    found = compare_fixes(f"import os\nfrom helpers import adopt\n\ndef run():\n    {body}")
    assert found.codes == ["FD102"]
    assert not found.differences


def test_a_close_of_nothing_that_a_test_prevents() -> None:
    """The close of -1 at the end is another one than that in the loop, whose error the handler caught."""
    loop = "for _ in range(2):\n        try:\n            if fd:\n                os.close(fd)\n"
    handler = "except OSError:\n            print(a)\n            raise\n"
    body = f"fd = -1\n    if a:\n        fd = os.open(path, 0)\n    {loop}        {handler}"
    found = compare_fixes(f"import os\n\ndef run(a, path):\n    {body}    os.close(fd)\n")
    assert "FD205" in found.codes
    assert not found.differences


def test_a_module_without_a_function_to_run() -> None:
    with pytest.raises(InvalidProgram):
        compiled("HELD = []\n")
