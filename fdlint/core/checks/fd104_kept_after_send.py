"""# FD104 kept-after-send

## What it does
Finds a descriptor that is sent to another process over a Unix socket while the sender's own copy stays open on a
normal path after the send.

## Why is this bad?
`SCM_RIGHTS` does not move a descriptor. Sending is like `dup(2)` into the table of another process: afterwards
there are two, and the peer can close only its own. The sender's copy keeps the pipe, the socket or the device
behind it alive, for as long as the sender runs.

A broker opens things for others and runs for months, so its copies add up. One broker handed out `/dev/fuse` and kept a
copy of each. The kernel aborts a FUSE connection when the *last* descriptor on its device is closed. So when a client
died, its connection was never aborted, and all readers of the mount hung in uninterruptible sleep. The same happens
with `/dev/kvm`, `/dev/net/tun`, `/dev/vhost-net`, and with every pipe whose reader waits for end-of-file.

## Bad: after `send_fds`
```python
import os
import socket


def hand_out(peer: socket.socket, device: str) -> None:
    fd = os.open(device, os.O_RDWR)
    socket.send_fds(peer, [b"here it is"], [fd])
```

## Good: after `send_fds`
Close after the send, whether or not it succeeded. A message in flight holds its own reference, so there is no need
to wait for the peer.

```python
import os
import socket


def hand_out(peer: socket.socket, device: str) -> None:
    fd = os.open(device, os.O_RDWR)
    try:
        socket.send_fds(peer, [b"here it is"], [fd])
    finally:
        os.close(fd)
```

## Bad: a close in the error path alone
A close in the error path alone: the normal path leaks.

```python
import array
import os
import socket


def hand_out(peer: socket.socket, device: str) -> None:
    fd = os.open(device, os.O_RDWR)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
    try:
        peer.sendmsg([b"here it is"], rights)
    except OSError:
        os.close(fd)
        raise
```

## Good: a close in the error path alone
```python
import array
import os
import socket


def hand_out(peer: socket.socket, device: str) -> None:
    fd = os.open(device, os.O_RDWR)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
    try:
        peer.sendmsg([b"here it is"], rights)
    finally:
        os.close(fd)
```

## Bad: in Go
In Go: `unix.UnixRights` sends a copy as well.

```go
package files

import "golang.org/x/sys/unix"

func pass(conn int, path string) error {
        fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
        if err != nil {
                return err
        }
        return unix.Sendmsg(conn, nil, unix.UnixRights(fd), nil, 0)
}
```

## Good: in Go
```go
package files

import "golang.org/x/sys/unix"

func pass(conn int, path string) error {
        fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
        if err != nil {
                return err
        }
        defer unix.Close(fd)
        return unix.Sendmsg(conn, nil, unix.UnixRights(fd), nil, 0)
}
```

## What to do
Close your own copy in a `finally` around the send. Do not close it before the send: the number must still be open when
the kernel duplicates it.

## What it does not report
A sent descriptor that is then returned, stored or given to a new owner is kept on purpose. If only an exception from
the send leaves it open, that is FD103. A function that sends one of its arguments does not own it; its caller does.

## References
- [unix(7)](https://man7.org/linux/man-pages/man7/unix.7.html), `SCM_RIGHTS`: equivalent to duplicating (`dup(2)`) a
  file descriptor into the file descriptor table of another process
- [socket.send_fds](https://docs.python.org/3/library/socket.html#socket.send_fds)
- Fixed in public: SkyPilot PR #9463 (`/dev/fuse`, in Go), rootless-containers/rootlesskit commit 3ebea46b30,
  kata-containers commit 071030b784 (`/dev/vhost-net`)
"""

from __future__ import annotations

from fdlint.core.checks.endings import NORMAL, clearest, dying_by, verdict
from fdlint.core.checks.rule import Rule, Verdict, subject
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Lifetime
from fdlint.core.finding import Severity

RULE = Rule(
    "FD104", "kept-after-send", Severity.ERROR, rank=2,
    defect="A file descriptor stays open after it was sent to another process", cwe=775,
    waits="a copy stays open: its peer sees no end, a device stays in use", until_the_end=True,
)  # fmt: skip


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if the descriptor was sent and the sender's open copy is lost without an exception."""
    ending = clearest([ending for ending in dying_by(lifetime, NORMAL) if Event.SENT in ending.marks])
    if ending is None:
        return None
    message = f"{subject(lifetime)} stays open after it was sent: sending duplicates it, so close your own copy"
    return verdict(ending, message)
