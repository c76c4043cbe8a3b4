"""# FD102 not-closed-on-path

## What it does
Finds a descriptor that one path closes or hands over and another explicit path misses: a branch, an early `return`, a
loop exit, the next iteration, an `except` handler that continues, or a `raise`.

## Why is this bad?
The close is there, so the code looks right in review and passes the tests of the ordinary case. The path that misses
it is usually rare: the lock is taken, the file is empty, the message is malformed. Under load a rare path runs
thousands of times a day, until the process has no descriptors left.

## Bad: an early return
An early return: "somebody else has the lock" leaks the lock file's descriptor.

```python
import fcntl
import os


def try_lock(path: str) -> int | None:
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
    return fd
```

## Good: an early return
```python
import fcntl
import os


def try_lock(path: str) -> int | None:
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except BaseException:
        os.close(fd)
        raise
    return fd
```

## Bad: a `raise`
A `raise` in the function itself.

```python
import os
import stat


def open_regular(path: str) -> int:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise ValueError(f"{path} is not a regular file")
    return fd
```

## Good: a `raise`
```python
import os
import stat


def open_regular(path: str) -> int:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ValueError(f"{path} is not a regular file")
    except BaseException:
        os.close(fd)
        raise
    return fd
```

## Bad: a `continue`
A `continue` jumps over the close.

```python
import os


def first_bytes(paths: list[str]) -> list[bytes]:
    found = []
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        if os.fstat(fd).st_size == 0:
            continue
        found.append(os.read(fd, 1))
        os.close(fd)
    return found
```

## Good: a `continue`
```python
import os


def first_bytes(paths: list[str]) -> list[bytes]:
    found = []
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        try:
            if os.fstat(fd).st_size == 0:
                continue
            found.append(os.read(fd, 1))
        finally:
            os.close(fd)
    return found
```

## Bad: in Go
In Go: the return after an error comes before the `defer`.

```go
package files

import "golang.org/x/sys/unix"

func listen(addr unix.Sockaddr) (int, error) {
        fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
        if err != nil {
                return -1, err
        }
        if err := unix.Bind(fd, addr); err != nil {
                return -1, err
        }
        return fd, nil
}
```

## Good: in Go
```go
package files

import "golang.org/x/sys/unix"

func listen(addr unix.Sockaddr) (int, error) {
        fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
        if err != nil {
                return -1, err
        }
        if err := unix.Bind(fd, addr); err != nil {
                unix.Close(fd)
                return -1, err
        }
        return fd, nil
}
```

## What to do
Put the close into a `finally` that starts right after the acquisition. If the descriptor is handed over on success,
close it in `except BaseException: os.close(fd); raise` and in every branch that gives up.

## What it does not report
fdlint follows conditions: it understands `if fd is not None`, `fd != -1` and a flag that is set beside the open. If
every explicit path closes and only an exception from a call leaves the descriptor open, that is FD103.

If only paths with a `raise`, or in Go with a returned error, leave it open, a finding has low impact. It counts in code
that is known to repeat, and in code that other projects may call.

An object that must close a descriptor is treated as the descriptor itself: FD101 shows such a class, and when its
creator owes nothing.

## References
- [The try statement](https://docs.python.org/3/reference/compound_stmts.html#the-try-statement): a `finally` runs
  on `return`, `break` and `continue` too
- [flock(2)](https://man7.org/linux/man-pages/man2/flock.2.html)
- Fixed in public: gentoo/portage commits 5c33a02045 (a handler that returns) and 056bcf3536 (a `raise` in a branch)
"""

from __future__ import annotations

from dataclasses import replace

from fdlint.core.checks.endings import LEFT_OPEN, clearest, dying_by, verdict
from fdlint.core.checks.rule import Rule, Verdict, remedy, subject
from fdlint.core.domain.facts import Death, Ending, Lifetime
from fdlint.core.finding import Event, EventKind, Severity

RULE = Rule(
    "FD102", "not-closed-on-path", Severity.ERROR, rank=7,
    defect="A file descriptor is not closed on every path", cwe=775,
)  # fmt: skip

_ALSO_OPEN = "also open at this return"
_ALWAYS, _THERE = "close it in a `finally`", "close it there too"
_WAY_OUT = {
    Death.RETURN: ("is not closed on every path", _ALWAYS),
    Death.FAILED: ("is not closed on every path", _ALWAYS),
    Death.RAISE: ("stays open when the function raises", "close it before the `raise`, or in a `finally`"),
    Death.NEXT_ROUND: ("stays open when the next iteration opens another", _ALWAYS),
    Death.DEFERRED: (
        "is closed only when the function returns, and each iteration opens another",
        "close it before the iteration ends",
    ),
    Death.DROPPED: ("stays open when its container drops it", "close it when you take it out"),
}


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if one explicit path closes the descriptor or hands it over and another one does not."""
    ending = clearest(dying_by(lifetime, LEFT_OPEN)) if lifetime.released else None
    if ending is None:
        return None
    defect, advice = _WAY_OUT[ending.death]
    advice = advice.replace(_ALWAYS, _THERE) if lifetime.given_away else advice
    what = ending.mistake or f"{defect}: {remedy(lifetime, advice)}"
    return replace(verdict(ending, f"{subject(lifetime)} {what}"), trace=_with_other_exits(ending))


def _with_other_exits(ending: Ending) -> tuple[Event, ...]:
    """Returns the trace of an ending. Before its end come the other returns that leave the descriptor open."""
    *before, end = ending.trace
    others = (Event(EventKind.LEAKED, one, _ALSO_OPEN) for one in ending.exits if one != end.span)
    return (*before, *others, end)
