"""# FD201 double-close

## What it does
Finds a descriptor that is closed twice on one path. Typical places are a handler and the code after it, a callee and
its caller, a `try` and its `finally`, two names for one descriptor, and two iterations of a loop. The descriptor may
come from outside the function: a parameter, an attribute, the result of some call.

## Why is this bad?
A number is free as soon as it is closed, and the next open gets the lowest free number. By the time of the second
close, the number may be another file: opened by another thread, a signal handler, a callback, or the code between the
two closes. The second close closes that file, and later writes to it go to yet another one. If nobody has opened
anything, the second close fails with `EBADF`. A handler that ignores the error hides the bug and does not prevent the
damage.

## Bad: a handler that closes again
```python
import os


def save(path: str, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(fd, data)
        os.close(fd)
        os.rename(path, path + ".done")
    except OSError:
        os.close(fd)
        raise
```

## Good: a handler that closes again
```python
import os


def save(path: str, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)
    os.rename(path, path + ".done")
```

## Bad: a callee that closes
The function that is called has closed it.

```python
import os


def drain(fd: int) -> bytes:
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)


def answer(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return drain(fd)
    finally:
        os.close(fd)
```

## Good: a callee that closes
```python
import os


def drain(fd: int) -> bytes:
    return os.read(fd, 4096)


def answer(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return drain(fd)
    finally:
        os.close(fd)
```

## Bad: in Go
In Go: an error path closes what a `defer` closes again.

```go
package files

import "golang.org/x/sys/unix"

func check(path string) error {
        fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return err
        }
        defer unix.Close(fd)
        if err := unix.Fsync(fd); err != nil {
                unix.Close(fd)
                return err
        }
        return nil
}
```

## Good: in Go
```go
package files

import "golang.org/x/sys/unix"

func check(path string) error {
        fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return err
        }
        defer unix.Close(fd)
        return unix.Fsync(fd)
}
```

## What to do
Close in one place, best in a `finally`. If you must close early, reset the variable at once (`os.close(fd)`, `fd = -1`)
and test it in the clean-up. Do not retry an interrupted close: on Linux the number is free even if `close` fails.

## What it does not report
fdlint reports a second close only if it is certain. It is not certain if the function has too many paths to follow, or
if one of several descriptors is closed, or if unknown code may have changed the attribute or global. Tests that expect
the error (`with assertRaises(OSError)`) and the numbers of the standard streams are not reported. A close in a thread
or a callback is on another path. An attribute that a later method closes again is FD204.

If a handler expects that the second close fails (`except OSError: pass`) and runs only after another failure, the
finding has low impact.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html), "Dealing with error returns from close()"
- [os.close](https://docs.python.org/3/library/os.html#os.close)
- [CWE-1341](https://cwe.mitre.org/data/definitions/1341.html): multiple releases of the same resource or handle
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict, about_close, named
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.finding import Severity

RULE = Rule(
    "FD201", "double-close", Severity.ERROR, rank=92, about={Violation.DOUBLE_CLOSE},
    defect="A file descriptor is closed twice", cwe=1341,
    once_is_enough="one close too many can hit the file of somebody else",
)  # fmt: skip


def check(misuse: Happened) -> Verdict | None:
    """Holds for a close of a closed descriptor."""
    why = "the number may belong to another file by now"
    return about_close(misuse, f"{named(misuse)} is closed a second time on this path: {why}")
