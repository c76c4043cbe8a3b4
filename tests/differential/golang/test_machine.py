"""Tests the truth about Go programs on functions with an obvious answer. ``// FD102`` marks a line's expected code."""

from __future__ import annotations

import pytest

from ..execute import InvalidProgram
from .compare import truth

_OPENS = 'fd, err := unix.Open("x", unix.O_CLOEXEC, 0)'
CASES = {
    "never closed": f"{_OPENS} // FD101\nunix.Read(fd, nil)",
    "closed": f"{_OPENS}\nunix.Read(fd, nil)\nunix.Close(fd)",
    "early return": f"{_OPENS} // FD102\nif cond() {{\nreturn\n}}\nunix.Close(fd)",
    "deferred": f"{_OPENS}\ndefer unix.Close(fd)\nif cond() {{\nreturn\n}}",
    "deferred literal": f"{_OPENS}\ndefer func() {{\nif a {{\nunix.Close(fd)\n}}\n}}()\nif !a {{\nunix.Close(fd)\n}}",
    "discarded": "unix.Dup(sock) // FD107",
    "bound to nothing": "_, err := unix.Dup(sock) // FD107\n_ = err",
    "overwritten": f"{_OPENS} // FD106\nfd = -1\nunix.Close(fd)",
    "next round": "fd := -1\nvar err error\nfor cond() {\nfd, err = unix.Dup(sock) // FD102\n}\nunix.Close(fd)",
    "shadowed": f"{_OPENS}\nif a {{\n{_OPENS} // FD101\nunix.Read(fd, nil)\n}}\nunix.Close(fd)",
    "sent": f"{_OPENS} // FD104\nunix.Sendmsg(sock, nil, unix.UnixRights(fd), nil, 0)",
    "given to a goroutine": f"{_OPENS}\ngo take(fd)",
    "given to a channel": f"{_OPENS}\nch <- fd",
    "one of two": "fds, err := unix.Socketpair(1, 1, 0) // FD101\nunix.Close(fds[0])",
    "the program ends": f"{_OPENS}\nos.Exit(1)",
    "a helper opens": "fd, err := open() // FD101\nunix.Read(fd, nil)",
    "labels": f"outer:\nfor cond() {{\nfor cond() {{\n{_OPENS} // FD102\n"
    "if a {\ncontinue outer\n}\nunix.Close(fd)\n}\n}",
    "falls through": f'{_OPENS} // FD102\nswitch kind {{\ncase "x":\nfallthrough\ncase "y":\nunix.Close(fd)\n}}',
    "twice": f"{_OPENS}\nunix.Close(fd)\nunix.Close(fd) // FD201",
    "a file twice": 'f, err := os.Open("x")\nf.Close()\nf.Close()',
    "after its end": f"{_OPENS}\nunix.Close(fd)\nunix.Read(fd, nil) // FD202",
    "a file has it": f'{_OPENS}\nf := os.NewFile(uintptr(fd), "x")\nunix.Close(fd) // FD203\nf.Close()',
}
_HEAD = "func work(a bool, kind string, cond func() bool, ch chan int, sock int) {"
_HELPERS = """
func open() (int, error) {
	fd, err := unix.Open("x", unix.O_CLOEXEC, 0)
	return fd, err
}

func take(fd int) {
	unix.Close(fd)
}
"""


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    source = "\n".join(["package p", _HEAD, CASES[name], "}", _HELPERS])
    found = truth(source)
    due = {(place[0], code) for place, site in found.sites.items() if (code := site.code())}
    due |= {(one.place[0], one.code) for one in found.misdeeds}
    marked = {
        (number, line.partition("// ")[2]) for number, line in enumerate(source.splitlines(), 1) if "// FD" in line
    }
    assert due == marked


@pytest.mark.parametrize(
    "body",
    ["fd = 1", "a, b := 1", "x := 1\nx := 2", "var m map[int]int\nm[0] = 1", "unknown()", "if sock {\n}", "goto x"],
)
def test_what_the_machine_does_not_know_is_rejected(body: str) -> None:
    with pytest.raises(InvalidProgram):
        truth("\n".join(["package p", _HEAD, body, "}"]))
