"""# FD301 received-inheritable

## What it does
Finds descriptors that arrive from another process and stay inheritable: from `recvmsg` without `MSG_CMSG_CLOEXEC`, and
from `socket.recv_fds` with any flags, unless `os.set_inheritable(fd, False)` follows for all of them.

## Why is this bad?
Python makes the descriptors that it opens itself non-inheritable. The kernel creates those that arrive with
`SCM_RIGHTS`, and makes them inheritable by default. Then a program that the process starts without closing everything
first gets a copy (`os.exec*`, `os.posix_spawn`, `subprocess` with `close_fds=False`, a C library that forks). A
client's socket then never closes, and a device that was meant for one process has two.

`socket.recv_fds` takes a `flags` argument, but does not pass it on to `recvmsg` (python/cpython#107898), so
`MSG_CMSG_CLOEXEC` has no effect there.

## Bad: `recv_fds()`
```python
import socket


def receive(sock: socket.socket) -> list[int]:
    _message, fds, _flags, _address = socket.recv_fds(sock, 1024, 4, socket.MSG_CMSG_CLOEXEC)
    return fds
```

## Good: `recv_fds()`
```python
import os
import socket


def receive(sock: socket.socket) -> list[int]:
    _message, fds, _flags, _address = socket.recv_fds(sock, 1024, 4)
    for fd in fds:
        os.set_inheritable(fd, False)
    return fds
```

## Bad: `recvmsg()`
```python
import array
import socket


def receive(sock: socket.socket) -> list[int]:
    fds = array.array("i")
    _message, ancillary, _flags, _address = sock.recvmsg(1024, socket.CMSG_LEN(4 * fds.itemsize))
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - (len(data) % fds.itemsize)])
    return list(fds)
```

## Good: `recvmsg()`
```python
import array
import socket


def receive(sock: socket.socket) -> list[int]:
    fds = array.array("i")
    room = socket.CMSG_LEN(4 * fds.itemsize)
    _message, ancillary, _flags, _address = sock.recvmsg(1024, room, socket.MSG_CMSG_CLOEXEC)
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - (len(data) % fds.itemsize)])
    return list(fds)
```

## What to do
Ask the kernel: `sock.recvmsg(size, room, socket.MSG_CMSG_CLOEXEC)`. Then there is no moment in which another thread can
fork with the descriptor open. Where that is not possible (`socket.recv_fds`, macOS), call `os.set_inheritable(fd,
False)` on every descriptor at once. To give one to a child, name it in `pass_fds`, which makes it inheritable there.

## What it does not report
These are not reported:

- a `recvmsg` whose ancillary data is never converted to numbers: it receives credentials or timestamps;
- one whose flags are computed elsewhere (a variable, `getattr(socket, "MSG_CMSG_CLOEXEC", 0)`);
- one beside another with the flag in the same function (the fallback for systems without the flag);
- one that a condition on the platform prevents on Linux;
- a function whose caller in the project sets all received descriptors non-inheritable. Descriptors after the first may
  also be closed instead;
- `multiprocessing.reduction.recvfds` and `recv_handle`: they have the same flaw, but no argument to fix it;
- what is opened inheritable: that is FD302.

It has low impact in a Python repository that starts no program in a way that inherits, if no other project can use its
code: it has no `pyproject.toml`, `setup.py` or `setup.cfg`.

## References
- [unix(7)](https://man7.org/linux/man-pages/man7/unix.7.html), `SCM_RIGHTS`; `MSG_CMSG_CLOEXEC` in recvmsg(2)
- [PEP 446](https://peps.python.org/pep-0446/): descriptors made by Python are non-inheritable
- [python/cpython#107898](https://github.com/python/cpython/issues/107898): `socket.recv_fds` drops its flags
"""

from __future__ import annotations

from dataclasses import replace

from fdlint.core.checks.rule import NOT_INHERITED, Rule, Verdict, about
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Happened
from fdlint.core.finding import EventKind, Severity

RULE = Rule(
    "FD301", "received-inheritable", Severity.WARNING, rank=96, about={Event.INHERITABLE},
    defect="Received file descriptors are inherited by child processes", cwe=403, left_to_callers=True,
)  # fmt: skip


def check(inheriting: Happened) -> Verdict | None:
    """Holds for every call that receives, without an excuse."""
    if inheriting.excuses or inheriting.trace[0].kind is not EventKind.RECEIVED:
        return None
    what = f"the descriptors received by {inheriting.api}() are inheritable, so the next exec hands them to a child"
    how = "ask for MSG_CMSG_CLOEXEC, or call os.set_inheritable(fd, False) on each"
    verdict = about(inheriting, f"{what}: {how}")
    return replace(verdict, harmless=NOT_INHERITED, where_inherited=True, by_importers=True)
