"""# FD101 never-closed

## What it does
Finds a descriptor that is acquired and then neither closed nor handed over, on any path out of the function or to the
next iteration of the loop.

## Why is this bad?
A raw descriptor is an `int`: no destructor, no garbage collector and no `with` closes it. It stays open until the
process ends. In a long-running process that means

- `EMFILE`, "Too many open files", once `RLIMIT_NOFILE` is reached. From then on nothing can be opened any more,
  logs and health checks included;
- disk space that `rm` does not free: a deleted file keeps its blocks while a descriptor refers to it;
- peers that wait forever: a pipe or a socket is closed only when its last descriptor is.

## Bad: no close at all
```python
import os


def read_header(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    header = os.read(fd, 16)
    return header
```

## Good: no close at all
```python
import os


def read_header(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 16)
    finally:
        os.close(fd)
```

Or hand it over to a file object, which closes it:

```python
import os


def read_header(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    with os.fdopen(fd, "rb") as stream:
        return stream.read(16)
```

## Bad: one end of a pair
One end of a pair is forgotten.

```python
import os


def pipes_work() -> bool:
    r, w = os.pipe()
    os.write(w, b"x")
    answer = os.read(r, 1)
    os.close(r)
    return answer == b"x"
```

## Good: one end of a pair
```python
import os


def pipes_work() -> bool:
    r, w = os.pipe()
    try:
        os.write(w, b"x")
        return os.read(r, 1) == b"x"
    finally:
        os.close(r)
        os.close(w)
```

## Bad: in a loop
One more in every iteration of a loop.

```python
import os


def total_size(paths: list[str]) -> int:
    total = 0
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        total += os.fstat(fd).st_size
    return total
```

## Good: in a loop
```python
import os


def total_size(paths: list[str]) -> int:
    total = 0
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        try:
            total += os.fstat(fd).st_size
        finally:
            os.close(fd)
    return total
```

## Bad: a list that is cleared
A container was the only owner, and is cleared.

```python
import os


def sizes(left: str, right: str) -> list[int]:
    fds = []
    for path in (left, right):
        fds.append(os.open(path, os.O_RDONLY))
    result = [os.fstat(fd).st_size for fd in fds]
    fds.clear()
    return result
```

## Good: a list that is cleared
```python
import os


def sizes(left: str, right: str) -> list[int]:
    fds: list[int] = []
    try:
        for path in (left, right):
            fds.append(os.open(path, os.O_RDONLY))
        return [os.fstat(fd).st_size for fd in fds]
    finally:
        for fd in fds:
            os.close(fd)
```

## Bad: in Go
In Go, nothing closes a number either. `unix.Open` gives one.

```go
package files

import "golang.org/x/sys/unix"

func size(path string) (int64, error) {
        fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return 0, err
        }
        var st unix.Stat_t
        err = unix.Fstat(fd, &st)
        return st.Size, err
}
```

## Good: in Go
```go
package files

import "golang.org/x/sys/unix"

func size(path string) (int64, error) {
        fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return 0, err
        }
        defer unix.Close(fd)
        var st unix.Stat_t
        err = unix.Fstat(fd, &st)
        return st.Size, err
}
```

## Bad: an object with a `close()`
Owner objects: a class that holds a raw descriptor and has a method that closes it. Garbage collection does not close
the number, so the code that creates such an object must call that method.

```python
import os


class Device:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR)

    def ask(self, question: bytes) -> bytes:
        os.write(self._fd, question)
        return os.read(self._fd, 4096)

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def version(path: str) -> bytes:
    device = Device(path)
    return device.ask(b"version")
```

## Good: an object with a `close()`
```python
import os


class Device:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR)

    def ask(self, question: bytes) -> bytes:
        os.write(self._fd, question)
        return os.read(self._fd, 4096)

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def version(path: str) -> bytes:
    with Device(path) as device:
        return device.ask(b"version")
```

## What to do
Open, then `try:` at once, then `finally: os.close(fd)`. Or hand the descriptor over: return it, store it in an
object that has a `close()`, register it with `contextlib.ExitStack.callback(os.close, fd)`, or wrap it with
`open(fd)`, `os.fdopen(fd)` or `socket.socket(fileno=fd)`. If a plain `open(path)` is enough, you need no raw descriptor
at all.

## What it does not report
If some path closes it and another does not, that is FD102. If only an exception leaves it open, that is FD103. A
module-level descriptor lives as long as the process, so it does not leak. A constructor, and an unknown function whose
name suggests it (`adopt`, `attach`, `close_later`), are assumed to take the descriptor over.

The creator of an object owes nothing if the class closes in `__del__` or with `weakref.finalize`, or if no method
closes. It owes nothing either if the constructor passes the object on, if a base class is not known, or if other code
gets the object.

## References
- [os.open](https://docs.python.org/3/library/os.html#os.open),
  [os.close](https://docs.python.org/3/library/os.html#os.close)
- [open(2)](https://man7.org/linux/man-pages/man2/open.2.html),
  [getrlimit(2)](https://man7.org/linux/man-pages/man2/getrlimit.2.html),
  [unlink(2)](https://man7.org/linux/man-pages/man2/unlink.2.html)
- Fixed in public: benoitc/gunicorn commit 689226fce1 and twisted/twisted commit 6bc27282f8, both a `/dev/null` that
  `daemonize` left open; kovidgoyal/kitty commit 116128ebb5, popped from a dict and dropped
"""

from __future__ import annotations

from fdlint.core.checks.endings import LEFT_OPEN, clearest, dying_by, verdict
from fdlint.core.checks.rule import Rule, Verdict, remedy, subject
from fdlint.core.domain.facts import Death, Lifetime
from fdlint.core.finding import Severity

RULE = Rule(
    "FD101", "never-closed", Severity.ERROR, rank=6,
    defect="A file descriptor is never closed", cwe=775,
)  # fmt: skip

_DEFECT = "is never closed"
_ADVICE = "close it in a `finally`"
_SPECIAL = {
    Death.NEXT_ROUND: ("is never closed, and each iteration opens another", "close it before the iteration ends"),
    Death.DEFERRED: (
        "is closed only when the function returns, and each iteration opens another",
        "close it before the iteration ends",
    ),
    Death.DROPPED: ("is never closed, and its container drops it", "close it when you take it out"),
}


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if the descriptor is left open and no path closes it or hands it over."""
    ending = None if lifetime.released else clearest(dying_by(lifetime, LEFT_OPEN | {Death.RERAISE}))
    if ending is None:
        return None
    defect, advice = _SPECIAL.get(ending.death, (_DEFECT, _ADVICE))
    what = ending.mistake or f"{defect}: {remedy(lifetime, advice)}"
    return verdict(ending, f"{subject(lifetime)} {what}")
