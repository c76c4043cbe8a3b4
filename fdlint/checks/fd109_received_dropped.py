"""# FD109 received-dropped

## What it does
Finds descriptors that came in from another process (`socket.recv_fds`, `recvmsg` with `SCM_RIGHTS`,
`multiprocessing.reduction.recv_handle`) and are not all closed or handed over on a path that the code spells out:
only the first is used, the list is dropped, or a check raises while they are open.

## Why is this bad?
The kernel has put these descriptors into the process's table before the code has looked at the message. They are
owned from that moment on, and it is the *peer* who decides how many there are. A receiver that forgets some of them
can be filled up by its clients until it can open nothing any more (`EMFILE`): in a daemon that is a denial of
service.

## Bad
A check that raises while they are open. What the peer sent by mistake, or on purpose, stays.

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

## Good
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

## Bad
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

## Good
Make no room for more than you want: the kernel closes what does not fit.

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
Close, or hand over, every descriptor of the list on every path: those you do not keep, and all of them when the
message is refused. Ask for no more than you need (`maxfds`). With `recvmsg`, mind that `CMSG_SPACE(4)` has room for
*two* descriptors on 64-bit Linux, as it is rounded up; `CMSG_LEN(4)` has room for one. `MSG_CTRUNC` in the returned
flags says that some were cut off.

## What it does not say
With `maxfds=1`, `fds[0]` counts as everything that was received. A descriptor lost only when something raises
between the receipt and the close is FD103. That received descriptors are inheritable until `os.set_inheritable(fd,
False)` is a matter of its own (FD301).

## References
- [socket.recv_fds](https://docs.python.org/3/library/socket.html#socket.recv_fds),
  [recvmsg](https://docs.python.org/3/library/socket.html#socket.socket.recvmsg)
- [unix(7)](https://man7.org/linux/man-pages/man7/unix.7.html): excess descriptors are closed by the kernel if the
  buffer is too small
- Fixed in public: kovidgoyal/kitty commit 991fbacb99 (received descriptors of which only three were closed),
  opencontainers/runc commit 8c1b3f9608 (in Go)
"""

from __future__ import annotations

from fdlint.checks.endings import clearest, spelled_out
from fdlint.checks.rule import Rule, Verdict, subject
from fdlint.facts import Acquisition
from fdlint.finding import Severity

RULE = Rule(
    "FD109", "received-dropped", Severity.ERROR, rank=3,
    defect="Received file descriptors are not all closed", cwe=775,
)  # fmt: skip


def check(acquisition: Acquisition) -> Verdict | None:
    """Holds when something received from another process is lost open on a path that the code spells out."""
    ending = clearest(spelled_out(acquisition)) if acquisition.received else None
    if ending is None:
        return None
    message = f"{subject(acquisition)} is not closed or handed over in full: what is received is yours to close"
    return Verdict(ending.trace, message)
