"""# FD201 double-close

## What it does
Finds a descriptor that is closed twice on one path: in a handler and once more after it, in a callee and then here, in
the body of a `try` and in its `finally`, under two names, in the next round of a loop. It need not have been acquired
in the function: a parameter, an attribute, what some call returned will do.

## Why is this bad?
A number is free as soon as it is closed, and the kernel gives the lowest free one to whoever opens next. In a program
with threads, signal handlers or callbacks, and in the code between the two closes, that is somebody else's file or
socket: the second close closes it under them, and what they write goes to whatever is opened after that. Only when
nobody has opened anything does the second close fail with `EBADF`; a handler that swallows the error hides the bug, it
does not prevent the damage.

## Bad
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

## Good
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

## Bad
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

## Good
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

## What to do
Close in one place, best in a `finally`. Where a descriptor has to be closed early, take its number away in the same
breath (`os.close(fd)`, `fd = -1`) and test it in the cleanup. Do not retry a close that was interrupted: on Linux the
number is free whatever `close` returns.

## What it does not say
A close that is certain only where the paths of a function can no longer be told apart is left alone, and so is one of
several descriptors of which it is not known which. What others may have put a new number into (an attribute or a
global, after a call of something unknown) is not known to be closed. Tests that expect the error
(`with assertRaises(OSError)`) are left alone, as are the numbers of the standard streams. A close in a thread or a
callback is on another path. An attribute that a later method closes again is FD204.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html), "Dealing with error returns from close()"
- [os.close](https://docs.python.org/3/library/os.html#os.close)
- [CWE-1341](https://cwe.mitre.org/data/definitions/1341.html): multiple releases of the same resource or handle
"""

from __future__ import annotations

from fdlint.checks.rule import Rule, Verdict, named
from fdlint.facts import Misdeed, Misuse
from fdlint.finding import Severity

RULE = Rule(
    "FD201", "double-close", Severity.ERROR, rank=92, about=Misuse,
    defect="A file descriptor is closed twice", cwe=1341,
)  # fmt: skip


def check(misuse: Misuse) -> Verdict | None:
    """Holds for a close of what is closed already."""
    if misuse.deed is not Misdeed.CLOSED_AGAIN:
        return None
    why = "the number may be somebody else's by now"
    return Verdict(misuse.trace, f"{named(misuse)} is closed a second time on this path: {why}")
