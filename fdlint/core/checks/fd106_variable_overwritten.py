"""# FD106 variable-overwritten

## What it does
Finds a statement that overwrites or deletes the last variable that holds an open descriptor: `fd = -1`, a second
`fd = os.open(…)`, `del fd`, `del fds[0]`.

## Why is this bad?
Losing the number does not close the descriptor: an `int` has no destructor. `fd = -1` or `del fd` *looks* like a
clean-up. It is the opposite: afterwards nothing can close the descriptor.

## Bad: set to -1
```python
import fcntl
import os


def open_above_stdio(path: str) -> int:
    fd = os.open(path, os.O_RDONLY)
    fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    return fd
```

## Good: set to -1
```python
import fcntl
import os


def open_above_stdio(path: str) -> int:
    low = os.open(path, os.O_RDONLY)
    try:
        return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(low)
```

## Bad: opened again
```python
import os


def head(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    data = os.read(fd, 512)
    del fd
    return data
```

## Good: opened again
```python
import os


def head(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 512)
    finally:
        os.close(fd)
```

## Bad: in Go
In Go: the second open replaces the first.

```go
package files

import "golang.org/x/sys/unix"

func newest(first, second string) (int, error) {
        fd, err := unix.Open(first, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return -1, err
        }
        fd, err = unix.Open(second, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        return fd, err
}
```

## Good: in Go
```go
package files

import "golang.org/x/sys/unix"

func newest(first, second string) (int, error) {
        fd, err := unix.Open(first, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return -1, err
        }
        unix.Close(fd)
        fd, err = unix.Open(second, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        return fd, err
}
```

## What to do
Close before you assign: `os.close(fd)`, and only then `fd = -1`. Give the second descriptor a name of its own.

## What it does not report
The rule is silent while another variable, tuple, list, dict or attribute holds the number. The *same* statement that
acquires again in the next iteration, and a container that is cleared, are FD101 or FD102. An overwritten attribute is
FD105.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html),
  [os.close](https://docs.python.org/3/library/os.html#os.close)
- Fixed in public: WireGuard/wireguard-go commit aabc3770ba (a retry that overwrites), rfjakob/gocryptfs commit
  cd0ec342b9 (overwritten in a loop), both in Go
"""

from __future__ import annotations

from fdlint.core.checks.endings import FORGOTTEN, clearest, dying_by, verdict
from fdlint.core.checks.rule import Rule, Verdict, subject
from fdlint.core.domain.facts import Death, Lifetime
from fdlint.core.finding import Severity

RULE = Rule(
    "FD106", "variable-overwritten", Severity.ERROR, rank=5,
    defect="The last variable that holds an open file descriptor is overwritten", cwe=775,
)  # fmt: skip

_WHAT_HAPPENED = {
    Death.REBOUND: "is overwritten while it is open, and nothing else holds it: close it first",
    Death.DELETED: "is deleted while it is open: `del` forgets the number, it does not close the descriptor",
}


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if a statement overwrote or deleted the last variable with the open descriptor."""
    ending = clearest(dying_by(lifetime, FORGOTTEN))
    if ending is None:
        return None
    return verdict(ending, f"{subject(lifetime)} {_WHAT_HAPPENED[ending.death]}")
