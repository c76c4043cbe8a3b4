"""# FD203 closed-after-transfer

## What it does
Finds a close of a descriptor that an object has taken over and closes itself. Such an object is a file from
`os.fdopen(fd)` or `open(fd)`, a socket from `socket.socket(fileno=fd)` or a `Connection(fd)`, here or in a function of
the project. The rule also finds a close of a borrowed descriptor: one that a context manager lends for the length of a
`with`, or that a cached function (`lru_cache`) returns again. The number of a live object is borrowed, too:
`sock.fileno()`, in Go `f.Fd()`.

## Why is this bad?
Both close the same number: you and the object (its `close` or its destructor). The second close fails with `EBADF`, or
closes an unrelated file that got the number in the meantime. A destructor runs when the last reference goes, so the two
closes may be far apart.

## Bad: `os.fdopen()` in a `with`
If the write fails, the `with` closes the file, and the handler closes its number again.

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

## Good: `os.fdopen()` in a `with`
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

## Bad: `socket.socket(fileno=…)`
```python
import os
import socket


def peer(fd: int) -> object:
    connection = socket.socket(fileno=fd)
    name = connection.getpeername()
    os.close(fd)
    return name
```

## Good: `socket.socket(fileno=…)`
Give a borrowed descriptor back.

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

## Bad: an `ExitStack`
An `ExitStack` closes what is registered with it when its `with` block ends.

```python
import os
from contextlib import ExitStack


def first_line(path: str) -> bytes:
    with ExitStack() as stack:
        fd = os.open(path, os.O_RDONLY)
        stack.callback(os.close, fd)
        line = os.read(fd, 80)
        os.close(fd)
    return line
```

## Good: an `ExitStack`
```python
import os
from contextlib import ExitStack


def first_line(path: str) -> bytes:
    with ExitStack() as stack:
        fd = os.open(path, os.O_RDONLY)
        stack.callback(os.close, fd)
        return os.read(fd, 80)
```

## Bad: a borrowed descriptor
The context manager closes the descriptor that it lends.

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

## Good: a borrowed descriptor
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

## Bad: the number of a socket
The number belongs to the socket, which closes it when it is collected.

```python
import os
import socket


def reachable(address: str) -> bool:
    sock = socket.socket(socket.AF_UNIX)
    failed = sock.connect_ex(address)
    os.close(sock.fileno())
    return not failed
```

## Good: the number of a socket
```python
import socket


def reachable(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as sock:
        return not sock.connect_ex(address)
```

## What to do
Close the object, and do not use the number after you have created it. To keep the descriptor, pass `closefd=False`, or
take it back with `detach()`. If creating the object can fail, close the number for that call alone: `try: file =
os.fdopen(fd, mode)`, `except: os.close(fd); raise`.

## What it does not report
With a constant mode, creating the object is assumed not to fail. Otherwise it may: then it has taken nothing, and the
close in the handler is right. A descriptor in a list, a returned one, or one that an unknown class got may still be
closed here. After a `detach`, the rule does not know the owner. The number of an object is judged only where the kind
of the object is known, and not in a function that forks.

If a handler expects that the second close fails (`except OSError: pass`) and runs only after another failure, the
finding has low impact.

## References
- [os.fdopen](https://docs.python.org/3/library/os.html#os.fdopen), and `closefd` of
  [open](https://docs.python.org/3/library/functions.html#open)
- [socket.socket.detach](https://docs.python.org/3/library/socket.html#socket.socket.detach)
- [CWE-1341](https://cwe.mitre.org/data/definitions/1341.html): multiple releases of the same resource or handle
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict, about_close, named
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.finding import Severity

RULE = Rule(
    "FD203", "closed-after-transfer", Severity.ERROR, rank=94,
    about={Violation.CLOSE_AFTER_TRANSFER, Violation.CLOSE_OF_BORROWED},
    defect="A file descriptor is closed although an object owns it", cwe=1341,
    once_is_enough="one close too many can hit the file of somebody else",
)  # fmt: skip


def check(misuse: Happened) -> Verdict | None:
    """Holds for a close of a descriptor that its owner also closes, or that a context manager or cache only lends."""
    if misuse.event is Violation.CLOSE_OF_BORROWED:
        return about_close(misuse, f"{named(misuse)} is closed, but it is only {misuse.trace[0].message}")
    why = "that object closes it too"
    return about_close(misuse, f"{named(misuse)} is closed after an object has taken it over: {why}")
