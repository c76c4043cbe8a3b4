"""# FD206 closed-while-registered

## What it does
Finds a descriptor that is closed while an event loop (`add_reader`, `add_writer`), a selector, a poll object or
`signal.set_wakeup_fd` still has its number. It follows registrations into functions of the project, and from method to
method.

## Why is this bad?
A registration is kept by number. The next descriptor that gets this number gets the callbacks of the old one, or cannot
be registered because the number is taken. Until then `poll` reports `POLLNVAL` without end, and a signal is written
into the file that has the number now.

## Bad: an event loop
```python
import asyncio
import os


class Tail:
    def __init__(self, loop: asyncio.AbstractEventLoop, path: str) -> None:
        self._loop = loop
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        loop.add_reader(self._fd, self._read)

    def _read(self) -> None:
        print(os.read(self._fd, 4096))

    def close(self) -> None:
        os.close(self._fd)
```

## Good: an event loop
```python
import asyncio
import os


class Tail:
    def __init__(self, loop: asyncio.AbstractEventLoop, path: str) -> None:
        self._loop = loop
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        loop.add_reader(self._fd, self._read)

    def _read(self) -> None:
        print(os.read(self._fd, 4096))

    def close(self) -> None:
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
```

## Bad: a wakeup descriptor
```python
import os
import signal


def wait_for_signal() -> None:
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        signal.set_wakeup_fd(write)
        os.read(read, 1)
    finally:
        os.close(read)
        os.close(write)
```

## Good: a wakeup descriptor
```python
import os
import signal


def wait_for_signal() -> None:
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        signal.set_wakeup_fd(write)
        try:
            os.read(read, 1)
        finally:
            signal.set_wakeup_fd(-1)
    finally:
        os.close(read)
        os.close(write)
```

## What to do
End the registration first, then close: `loop.remove_reader(fd)`, `selector.unregister(fd)`,
`signal.set_wakeup_fd(-1)`. Do the same where an exception leaves the function.

## What it does not report
- If the registration ends after the close, and nothing is acquired or waits in between.
- If the selector or the poll object was made in the function and ends with it, unless something is acquired before the
  function returns. So it is if the method made the selector for its own object.
- If the close is on the path of an exception.
- If a method of the class ends the registration and leaves the descriptor open: it is assumed to be called first.
- If an unknown call gets the descriptor after it was registered: the call may end the registration.
- For `select.epoll`: the kernel forgets a closed descriptor. The rule is about numbers, not about sockets and files.

## References
- [loop.add_reader](https://docs.python.org/3/library/asyncio-eventloop.html#asyncio.loop.add_reader)
- [selectors](https://docs.python.org/3/library/selectors.html#selectors.BaseSelector.unregister)
- [signal.set_wakeup_fd](https://docs.python.org/3/library/signal.html#signal.set_wakeup_fd)
- [CWE-672](https://cwe.mitre.org/data/definitions/672.html): operation on a resource after expiration or release
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict, about, named
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.finding import Confidence, Severity

RULE = Rule(
    "FD206", "closed-while-registered", Severity.WARNING, rank=98, about={Violation.CLOSE_WHILE_REGISTERED},
    defect="A file descriptor is closed while an event loop or a selector still has its number", cwe=672,
    once_is_enough="one event is enough to reach the wrong file",
    at_most=Confidence.MEDIUM,
)  # fmt: skip


def check(misuse: Happened) -> Verdict | None:
    """Holds for a close that a registration outlives."""
    why = "the next descriptor with this number gets its callbacks, so end the registration first"
    return about(misuse, f"{named(misuse)} is closed while it is still registered: {why}")
