"""# FD105 attribute-overwritten

## What it does
Finds a statement that overwrites or deletes an attribute or a global that can hold an open descriptor, while nothing
else holds the number: a sentinel (`-1`, `None`), another descriptor, `del self._fd`.

fdlint computes what a method can find in the attribute from `__init__` and every method that can have run before. For a
global it uses the module and its functions. An object that owns a descriptor counts like the descriptor.

## Why is this bad?
The number is the only way to reach the descriptor. An object that "resets" its attribute looks closed, its asserts
pass, and the descriptor stays open for as long as the process runs: one for every file written, every reconnect, every
rotation. On an unlinked file it keeps the disk space as well.

## Bad: a sentinel
```python
import os


class Journal:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)

    def write(self, record: bytes) -> None:
        os.write(self._fd, record)

    def close(self) -> None:
        self._fd = -1
```

## Good: a sentinel
```python
import os


class Journal:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)

    def write(self, record: bytes) -> None:
        os.write(self._fd, record)

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd != -1:
            os.close(fd)
```

## Bad: a method that replaces it
A method that replaces the descriptor, here by its name, must close the old one first.

```python
import os


class Log:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND)

    def rotate(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd != -1:
            os.close(fd)
```

## Good: a method that replaces it
```python
import os


class Log:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND)

    def rotate(self, path: str) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        old, self._fd = self._fd, fd
        if old != -1:
            os.close(old)

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd != -1:
            os.close(fd)
```

## Bad: a global
A global is like an attribute of the module: one function finds the descriptor that another has stored. So is an
attribute of a class (`cls._null`, `Device._null`) that no object has itself.

```python
import os

_null: int | None = None


def null() -> int:
    global _null
    if _null is None:
        _null = os.open(os.devnull, os.O_RDWR)
    return _null


def forget() -> None:
    global _null
    _null = None
```

## Good: a global
```python
import os

_null: int | None = None


def null() -> int:
    global _null
    if _null is None:
        _null = os.open(os.devnull, os.O_RDWR)
    return _null


def forget() -> None:
    global _null
    fd, _null = _null, None
    if fd is not None:
        os.close(fd)
```

## Bad: an item of a dict
```python
import os


class Pool:
    def __init__(self) -> None:
        self._opened: dict[str, int] = {}

    def open(self, path: str) -> None:
        self._opened[path] = os.open(path, os.O_RDONLY)

    def drop(self, path: str) -> None:
        del self._opened[path]

    def close(self) -> None:
        while self._opened:
            os.close(self._opened.popitem()[1])
```

## Good: an item of a dict
```python
import os


class Pool:
    def __init__(self) -> None:
        self._opened: dict[str, int] = {}

    def open(self, path: str) -> None:
        self._opened[path] = os.open(path, os.O_RDONLY)

    def drop(self, path: str) -> None:
        os.close(self._opened.pop(path))
```

## What to do
Take the number out first (`fd, self._fd = self._fd, -1`), then close it. In this order nobody can find a stale number
in the attribute if the close fails (FD204).

## What it does not report
A first fill does not overwrite. A `start` or `open` that could be called twice, or that fills an attribute which
another such method may have filled, is not reported, unless its name means a replacement (`reopen`, `rotate`, `reset`).
An attribute is not reported if other code of the project closes it, or takes its value, from outside the class. fdlint
searches other files for its name, so it reports a rare name more often than a common one (`fd`). An object that unknown
code has had in between is not reported either. An item is not reported if a method of the class closes a number that
it gets, or returns one that it acquires: code that knows the number may have closed it. fdlint assumes one thread and
no signal handlers. A variable of a function is FD106.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html),
  [os.close](https://docs.python.org/3/library/os.html#os.close)
- Fixed in public: DeepSpeed PR #8005 (`FastFileWriter._aio_fd`: one descriptor per checkpoint, a full disk at the 60th)
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict, article
from fdlint.core.domain.facts import Overwriting
from fdlint.core.finding import Confidence, Severity

RULE = Rule(
    "FD105", "attribute-overwritten", Severity.ERROR, rank=90, about=Overwriting,
    defect="An attribute that holds an open file descriptor is overwritten", cwe=775,
    at_most=Confidence.MEDIUM,
)  # fmt: skip


def check(overwriting: Overwriting) -> Verdict:
    """Holds for every such statement."""
    origin = f"from {overwriting.api}()" if overwriting.api is not None else "that the object was given"
    of = overwriting.of
    held = f"an open descriptor {origin}" if of is None else f"{article(of.name)} `{of.name}` that nothing has closed"
    lost = "loses an item that" if overwriting.item else "is overwritten while it"
    what = f"`{overwriting.attribute}` {lost} can hold {held}"
    # Another file may close the descriptor in the attribute, unless the function closes the new one itself.
    names = frozenset[str]() if overwriting.certain else frozenset({overwriting.attribute.rpartition(".")[2]})
    message = f"{what}, and nothing else holds it: close it first"
    others = overwriting.relatives - overwriting.followed
    return Verdict(overwriting.trace, message, names, others, assumptions=overwriting.assumptions)
