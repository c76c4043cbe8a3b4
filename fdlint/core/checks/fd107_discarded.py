"""# FD107 discarded

## What it does
Finds an acquiring call whose result is never bound to a name, or only to `_`: the call is a statement of its own, or an
argument of a call that only borrows it.

## Why is this bad?
A raw descriptor is an `int`. Unlike a file object it has no destructor: when the number is gone, the descriptor
stays open until the process ends, and nothing can close it any more. Each run of the line costs one slot of
`RLIMIT_NOFILE` and keeps the file behind it alive, its disk space included if the file is deleted meanwhile.

`tempfile.mkstemp()` is the usual case. It returns the file *open*: a pair of a descriptor and a path. Code that uses
only the path, and opens the file again by its name, leaks the descriptor each time.

## Bad: `mkstemp()`
```python
import tempfile


def report_path(text: str) -> str:
    _, path = tempfile.mkstemp(suffix=".txt")
    with open(path, "w") as stream:
        stream.write(text)
    return path
```

## Good: `mkstemp()`
Write through the descriptor itself: `open()` takes it over and closes it.

```python
import tempfile


def report_path(text: str) -> str:
    fd, path = tempfile.mkstemp(suffix=".txt")
    with open(fd, "w") as stream:
        stream.write(text)
    return path
```

## Bad: a call that only borrows
A call that only borrows a descriptor does not close it afterwards.

```python
import os


def magic(path: str) -> bytes:
    return os.read(os.open(path, os.O_RDONLY), 4)
```

## Good: a call that only borrows
```python
import os


def magic(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 4)
    finally:
        os.close(fd)
```

## Bad: a probe
A probe looks only at success or failure. After a success, however, the probe itself holds the device.

```python
import os


def is_free(device: str) -> bool:
    try:
        os.open(device, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return False
    return True
```

## Good: a probe
```python
import os


def is_free(device: str) -> bool:
    try:
        fd = os.open(device, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return False
    os.close(fd)
    return True
```

## Bad: in Go
In Go: a call to see whether a file can be opened.

```go
package files

import "golang.org/x/sys/unix"

func canOpen(path string) bool {
        _, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        return err == nil
}
```

## Good: in Go
```go
package files

import "golang.org/x/sys/unix"

func canOpen(path string) bool {
        fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return false
        }
        unix.Close(fd)
        return true
}
```

## What to do
Bind the descriptor and close it, or give it to something that takes it over: `open(fd)`, `os.fdopen(fd)`,
`socket.socket(fileno=fd)`. If all you want from `mkstemp()` is a name, close the descriptor at once, or use
`tempfile.NamedTemporaryFile`.

## What it does not report
A call is not reported if its result is returned, stored, or an argument of a call that takes it over
(`os.fdopen(os.dup(fd))`). A descriptor that is bound first and lost later is FD101, FD102 or FD106.

An object that must close a descriptor is treated as the descriptor itself: FD101 shows such a class, and when its
creator owes nothing.

## References
- [tempfile.mkstemp](https://docs.python.org/3/library/tempfile.html#tempfile.mkstemp), and python/cpython#86996
  about this trap
- [os.dup](https://docs.python.org/3/library/os.html#os.dup),
  [dup(2)](https://man7.org/linux/man-pages/man2/dup.2.html)
- Fixed in public: tpm2-software/tpm2-pkcs11#711 (`_, path = mkstemp()`), cilium/ebpf commit ed715d6e19 (probes, in
  Go)
"""

from __future__ import annotations

from fdlint.core.checks.endings import clearest, dying_by, verdict
from fdlint.core.checks.rule import Rule, Verdict, origin, remedy, subject
from fdlint.core.domain.facts import Death, Lifetime
from fdlint.core.finding import Severity

RULE = Rule(
    "FD107", "discarded", Severity.ERROR, rank=1,
    defect="An open file descriptor is thrown away", makes_missing=True, cwe=775,
)  # fmt: skip


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if the result of the acquiring call was never bound, or only to a throw-away name."""
    ending = clearest(dying_by(lifetime, {Death.DISCARDED}))
    if ending is None:
        return None
    what = f"the descriptor from {origin(lifetime)}" if lifetime.of is None else subject(lifetime)
    message = f"{what} is thrown away and stays open: {remedy(lifetime, 'bind it to a name and close it')}"
    return verdict(ending, message)
