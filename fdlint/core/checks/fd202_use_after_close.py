"""# FD202 use-after-close

## What it does
Finds a descriptor that is used after it was closed on the same path. A use is to read, write, send, duplicate or wait
for it, to wrap it in a file object, or to give it to a child process, here or in a function of the project. If a file
or a socket object owns the descriptor, the descriptor is closed with that object.

## Why is this bad?
A number is free as soon as it is closed, and the next open gets the lowest free number. If nobody has opened anything,
the call fails with `EBADF`. Otherwise it reads, writes or hands out the wrong file, and nothing fails.

## Bad: after a `finally`
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

## Good: after a `finally`
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

## Bad: given to a child
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

## Good: given to a child
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

## Bad: in Go
In Go: the number is read after its end.

```go
package files

import "golang.org/x/sys/unix"

func mode(path string) (uint32, error) {
        fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return 0, err
        }
        unix.Close(fd)
        var st unix.Stat_t
        err = unix.Fstat(fd, &st)
        return st.Mode, err
}
```

## Good: in Go
```go
package files

import "golang.org/x/sys/unix"

func mode(path string) (uint32, error) {
        fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
        if err != nil {
                return 0, err
        }
        var st unix.Stat_t
        err = unix.Fstat(fd, &st)
        unix.Close(fd)
        return st.Mode, err
}
```

## What to do
Move the close behind the last use, best into a `finally`. If other code still needs the descriptor, give it a duplicate
(`os.dup`) before you close.

## What it does not report
These do not use a closed descriptor: printing, logging, comparing, formatting, storing or returning its number, and
removing it from a list of numbers (`remove_reader`, `unregister`). An unknown call counts only if its name means
reading or writing (`write_all(fd, data)`). A call that asks whether the descriptor is still open (`os.fstat`,
`F_GETFD`) and handles the error is a probe; so is a call that a test expects to fail. As with FD201, the close must be
certain.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html)
- [CWE-910](https://cwe.mitre.org/data/definitions/910.html): use of expired file descriptor
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict, about, named
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.finding import Confidence, Severity

RULE = Rule(
    "FD202", "use-after-close", Severity.ERROR, rank=93, about={Violation.USE_AFTER_CLOSE},
    defect="A file descriptor is used after it was closed", cwe=910,
    once_is_enough="one use is enough to hit the file of somebody else",
    at_most=Confidence.MEDIUM,
)  # fmt: skip


def check(misuse: Happened) -> Verdict | None:
    """Holds for a use of a closed descriptor."""
    why = "it fails, or it acts on another file"
    return about(misuse, f"{named(misuse)} is used after it was closed on this path: {why}")
