"""# FD109 received-dropped

## What it does
Finds descriptors from another process that are not all closed or handed over on an explicit path: only the first is
used, the list is dropped, or a check raises while they are open. They come from `socket.recv_fds`, `recvmsg` with
`SCM_RIGHTS` or `multiprocessing.reduction.recv_handle`.

## Why is this bad?
The kernel puts these descriptors into the process's table before the code looks at the message. The process owns them
from that moment, and the *peer* decides how many there are. If a receiver forgets some, its clients can fill its table
until it cannot open anything (`EMFILE`): a denial of service.

## Bad: a check that raises
A check raises while they are open. Descriptors that the peer sent by mistake, or on purpose, stay.

```python
import os
import socket


def receive_one(sock: socket.socket) -> int:
    message, fds, _flags, _address = socket.recv_fds(sock, 1024, 4)
    for fd in fds:
        os.set_inheritable(fd, False)
    if len(fds) != 1 or message != b"take":
        raise ValueError("unexpected message")
    return fds[0]
```

## Good: a check that raises
```python
import os
import socket


def receive_one(sock: socket.socket) -> int:
    message, fds, _flags, _address = socket.recv_fds(sock, 1024, 4)
    for fd in fds:
        os.set_inheritable(fd, False)
    if len(fds) != 1 or message != b"take":
        for fd in fds:
            os.close(fd)
        raise ValueError("unexpected message")
    return fds[0]
```

## Bad: only the first
Only the first is used, but there may be up to four.

```python
import os
import socket


def receive_stream(sock: socket.socket) -> bytes:
    message, fds, _flags, _address = socket.recv_fds(sock, 1024, 4)
    for fd in fds:
        os.set_inheritable(fd, False)
    with open(fds[0], "rb") as stream:
        return message + stream.read()
```

## Good: only the first
Make no room for more than you need: the kernel closes descriptors that do not fit.

```python
import os
import socket


def receive_stream(sock: socket.socket) -> bytes:
    message, fds, _flags, _address = socket.recv_fds(sock, 1024, 1)
    os.set_inheritable(fds[0], False)
    with open(fds[0], "rb") as stream:
        return message + stream.read()
```

## What to do
Close, or hand over, every descriptor of the list on every path: those you do not keep, and all of them when the message
is refused. Ask for no more than you need (`maxfds`). With `recvmsg`, note that `CMSG_SPACE(4)` is rounded up and has
room for *two* descriptors on 64-bit Linux; `CMSG_LEN(4)` has room for one. `MSG_CTRUNC` in the returned flags means
that some were cut off.

## What it does not report
With `maxfds=1`, `fds[0]` counts as everything that was received. If only an exception between the receipt and the close
loses a descriptor, that is FD103. Received descriptors are inheritable until `os.set_inheritable(fd, False)`: that is
FD301.

## References
- [socket.recv_fds](https://docs.python.org/3/library/socket.html#socket.recv_fds),
  [recvmsg](https://docs.python.org/3/library/socket.html#socket.socket.recvmsg)
- [unix(7)](https://man7.org/linux/man-pages/man7/unix.7.html): excess descriptors are closed by the kernel if the
  buffer is too small
- Fixed in public: kovidgoyal/kitty commit 991fbacb99 (received descriptors of which only three were closed),
  opencontainers/runc commit 8c1b3f9608 (in Go)
"""

from __future__ import annotations

from fdlint.core.checks.endings import clearest, spelled_out, verdict
from fdlint.core.checks.rule import Rule, Verdict, subject
from fdlint.core.domain.facts import Lifetime
from fdlint.core.finding import Severity

RULE = Rule(
    "FD109", "received-dropped", Severity.ERROR, rank=3,
    defect="Received file descriptors are not all closed", cwe=775,
)  # fmt: skip


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if a descriptor from another process is lost open on an explicit path."""
    ending = clearest(spelled_out(lifetime)) if lifetime.received else None
    if ending is None:
        return None
    message = f"{subject(lifetime)} is not fully closed: whoever receives descriptors must close all of them"
    return verdict(ending, message)
