"""# FD202 use-after-close

## What it does
Finds a descriptor that is used after it was closed on the same path: read, written, sent, duplicated, waited for,
wrapped in a file object, given to a child process or to a function of the project that does one of these.

## Why is this bad?
A number is free as soon as it is closed, and the kernel gives the lowest free one to whoever opens next. If nobody did,
the call fails with `EBADF`. If somebody did, the call reads, writes or hands out another one's file, and nothing fails.

## Bad
```python
import os


def tail(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
    finally:
        os.close(fd)
    return os.pread(fd, 512, max(0, size - 512))
```

## Good
```python
import os


def tail(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        return os.pread(fd, 512, max(0, size - 512))
    finally:
        os.close(fd)
```

## Bad
The parent closes its end before it gives it to the child.

```python
import os
import subprocess


def record(command: list[str]) -> int:
    reader, writer = os.pipe()
    os.close(writer)
    try:
        subprocess.Popen(command, stdout=writer)
    except BaseException:
        os.close(reader)
        raise
    return reader
```

## Good
```python
import os
import subprocess


def record(command: list[str]) -> int:
    reader, writer = os.pipe()
    try:
        subprocess.Popen(command, stdout=writer)
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    return reader
```

## What to do
Move the close behind the last use, best into a `finally`. If the descriptor is to live on elsewhere, give away a
duplicate (`os.dup`) before it is closed here.

## What it does not say
To print, log, compare, format, store or return the number of a closed descriptor is no use of it, and neither is to
take it off a list of numbers (`remove_reader`, `unregister`). A call of which nothing is known is given the benefit
of the doubt, unless it is a function whose name says that it reads or writes (`write_all(fd, data)`). To ask whether
a descriptor is still open (`os.fstat`, `F_GETFD`) where the error is handled is a probe, and so is what a test
expects to fail. As for FD201, what others may have put a new number into is not known to be closed.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html)
- [CWE-910](https://cwe.mitre.org/data/definitions/910.html): use of expired file descriptor
"""

from __future__ import annotations

from fdlint.checks.rule import Rule, Verdict, named
from fdlint.facts import Misdeed, Misuse
from fdlint.finding import Severity

RULE = Rule(
    "FD202", "use-after-close", Severity.ERROR, rank=93, about=Misuse,
    defect="A file descriptor is used after it was closed", cwe=910,
)  # fmt: skip


def check(misuse: Misuse) -> Verdict | None:
    """Holds for a use of what is closed already."""
    if misuse.deed is not Misdeed.USED:
        return None
    why = "it fails, or it finds somebody else's file"
    return Verdict(misuse.trace, f"{named(misuse)} is used after it was closed on this path: {why}")
