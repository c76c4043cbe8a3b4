"""# FD105 attribute-overwritten

## What it does
Finds a statement by which an attribute or a global that can hold an open descriptor loses it: a sentinel (`-1`,
`None`), another descriptor, `del self._fd`, and nothing else holds the old number. What a method can find in the
attribute comes from `__init__` and from every method that can have run before.

## Why is this bad?
The number is the only handle there is. An object that "resets" its attribute looks closed, its asserts pass, and the
descriptor stays open for as long as the process runs: one for every file written, every reconnect, every rotation.
On an unlinked file it keeps the disk space as well.

## Bad
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

## Good
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

## Bad
```python
import os


class Log:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND)

    def rotate(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def close(self) -> None:
        os.close(self._fd)
```

## Good
```python
import os


class Log:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND)

    def rotate(self, path: str) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        old, self._fd = self._fd, fd
        os.close(old)

    def close(self) -> None:
        os.close(self._fd)
```

## What to do
Take the number out first (`fd, self._fd = self._fd, -1`), then close it. In this order nobody can find a stale number
in the attribute if the close fails (FD204).

## What it does not say
A first fill is no overwrite: a `start` or `open` that could be called twice, or that fills what another such method may
have filled, is left alone, unless its name says that it replaces (`reopen`, `rotate`, `reset`). An attribute that other
code of the project closes from outside is left alone, and so is one of an object that was given to somebody unknown in
between. A variable of a function is FD106.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html),
  [os.close](https://docs.python.org/3/library/os.html#os.close)
- Fixed in public: DeepSpeed PR #8005 (`FastFileWriter._aio_fd`, one descriptor a checkpoint, disk full at the 60th)
"""

from __future__ import annotations

from fdlint.checks.rule import Rule, Verdict
from fdlint.facts import Overwriting
from fdlint.finding import Severity

RULE = Rule("FD105", "attribute-overwritten", Severity.ERROR, rank=90, about=Overwriting)


def check(overwriting: Overwriting) -> Verdict:
    """Holds for every such statement."""
    whence = f"from {overwriting.api}()" if overwriting.api is not None else "that the object was given"
    what = f"`{overwriting.attribute}` is overwritten while it can hold an open descriptor {whence}"
    return Verdict(overwriting.trace, f"{what}: close it first, nothing else holds it")
