"""# FD203 closed-after-transfer

## What it does
Finds a close of a number that an object has taken over and closes itself: a file from `os.fdopen(fd)` or `open(fd)`, a
socket from `socket.socket(fileno=fd)`, a `Connection(fd)`, also where a function of the project has made that object.
Likewise a close of what a context manager of the project lends for the length of a `with`, or what a cached function
(`lru_cache`) will give again.

## Why is this bad?
Both close the same number. Whichever comes second, the object's `close`, its destructor or yours, fails with `EBADF`,
or closes what somebody else has opened in the meantime: numbers are given out again at once. A destructor runs when
the last reference goes, so the two closes may be far apart.

## Bad
If the write fails, the file is closed by the `with`, and its number once more by the handler.

```python
import os
import tempfile


def spool(data: str) -> str:
    fd, path = tempfile.mkstemp()
    try:
        with os.fdopen(fd, "w") as file:
            file.write(data)
    except BaseException:
        os.close(fd)
        os.unlink(path)
        raise
    return path
```

## Good
```python
import os
import tempfile


def spool(data: str) -> str:
    fd, path = tempfile.mkstemp()
    try:
        with os.fdopen(fd, "w") as file:
            file.write(data)
    except BaseException:
        os.unlink(path)
        raise
    return path
```

## Bad
```python
import os
import socket


def peer(fd: int) -> object:
    connection = socket.socket(fileno=fd)
    name = connection.getpeername()
    os.close(fd)
    return name
```

## Good
What is only borrowed is given back.

```python
import os
import socket


def peer(fd: int) -> object:
    connection = socket.socket(fileno=fd)
    name = connection.getpeername()
    connection.detach()
    os.close(fd)
    return name
```

## Bad
What a context manager lends is closed by the context manager.

```python
import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def opened(path: str) -> Iterator[int]:
    fd = os.open(path, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def first_line(path: str) -> bytes:
    with opened(path) as fd:
        line = os.read(fd, 80)
        os.close(fd)
        return line
```

## Good
```python
import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def opened(path: str) -> Iterator[int]:
    fd = os.open(path, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def first_line(path: str) -> bytes:
    with opened(path) as fd:
        return os.read(fd, 80)
```

## What to do
Close the object, and forget the number when it has been made. If the number is to stay yours, say so
(`closefd=False`), or take it back (`detach()`) first. Where making the object may itself fail, close the number for
that call alone: `try: file = os.fdopen(fd, mode)`, `except: os.close(fd); raise`.

## What it does not say
Making the object with a mode that the code spells out is not held to fail; where it may, it has taken nothing when it
does, and the close in the handler is right. A descriptor that was stored in a list, returned, or given to a class of
which nothing is known may still be closed here. After any `detach` it is not known any more who owns what.

## References
- [os.fdopen](https://docs.python.org/3/library/os.html#os.fdopen), and `closefd` of
  [open](https://docs.python.org/3/library/functions.html#open)
- [socket.socket.detach](https://docs.python.org/3/library/socket.html#socket.socket.detach)
- [CWE-1341](https://cwe.mitre.org/data/definitions/1341.html): multiple releases of the same resource or handle
"""

from __future__ import annotations

from fdlint.checks.rule import Rule, Verdict, named
from fdlint.facts import Misdeed, Misuse
from fdlint.finding import Severity

RULE = Rule(
    "FD203", "closed-after-transfer", Severity.ERROR, rank=94, about=Misuse,
    defect="A file descriptor is closed although an object owns it", cwe=1341,
)  # fmt: skip


def check(misuse: Misuse) -> Verdict | None:
    """Holds for a close of what an object owns that closes it, too, or a context manager or cache only lends."""
    if misuse.deed is Misdeed.CLOSED_THOUGH_LENT:
        return Verdict(misuse.trace, f"{named(misuse)} is closed, though it is only {misuse.trace[0].message}")
    if misuse.deed is not Misdeed.CLOSED_UNDER_OWNER:
        return None
    why = "that object closes the number, too"
    return Verdict(misuse.trace, f"{named(misuse)} is closed after an object has taken it over: {why}")
