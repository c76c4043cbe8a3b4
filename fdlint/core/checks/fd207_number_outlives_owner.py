"""# FD207 number-outlives-owner

## What it does
Finds numbers that are used after the end of the object which owns them. A function returns or stores `sock.fileno()`,
in Go `int(f.Fd())`, of an object that it made and that nothing keeps. Or it makes another object of the number, and
returns or stores that. The rule also finds a close, in Go, of a number whose object was given away: `unix.Close(fd)`
after `os.NewFile(uintptr(fd), name)`.

## Why is this bad?
A socket, a file or a selector closes its descriptor when it is collected. In Python that is when the last reference
goes: at the return. In Go a finalizer does it, some time after the last use. From then on the number means nothing, or
it is another file, which the caller reads, writes or closes. In Go the program works until the collector runs.

If the number is closed although an object has it, the object closes it again when it is collected. By then it may be
another file.

## Bad: a returned number
```python
import socket


def connect(address: str) -> int:
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(address)
    return sock.fileno()
```

## Good: a returned number
Take the number from the object, which then does not close it.

```python
import socket


def connect(address: str) -> int:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(address)
        return sock.detach()
```

## Bad: a number without its object
```python
def log(path: str) -> int:
    return open(path, "ab").fileno()
```

## Good: a number without its object
```python
import os


def log(path: str) -> int:
    with open(path, "ab") as file:
        return os.dup(file.fileno())
```

## What to do
Return the object, or keep it as long as the number is used. Where a number is needed, open one (`os.open`,
`unix.Open`), take it from the object (`detach`) or duplicate it (`os.dup`; in Go `unix.FcntlInt` with
`F_DUPFD_CLOEXEC`). In Go, `runtime.KeepAlive(f)` keeps a file until there. Where a function gets a file, close the file
and never its number.

## What it does not report
Others may have the object, or it is closed on purpose. So these are not reported: an object that the function stores,
returns, closes, enters in a `with` or gives to a call that is not known, on the same path; a parameter; an attribute.

## References
- [os.File.Fd](https://pkg.go.dev/os#File.Fd), and [runtime.SetFinalizer](https://pkg.go.dev/runtime#SetFinalizer)
- [socket.socket.detach](https://docs.python.org/3/library/socket.html#socket.socket.detach)
- [CWE-672](https://cwe.mitre.org/data/definitions/672.html): operation on a resource after expiration or release
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict, about, named
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.finding import Confidence, Severity

RULE = Rule(
    "FD207", "number-outlives-owner", Severity.WARNING, rank=101,
    about={Violation.NUMBER_OUTLIVES, Violation.CLOSE_OF_COLLECTED},
    defect="The number of a file descriptor is used after the object that owns it may have closed it", cwe=672,
    at_most=Confidence.MEDIUM,
)  # fmt: skip


def check(misuse: Happened) -> Verdict | None:
    """Holds for a number that goes on without its object, and for a close of one whose object was given away."""
    if misuse.event is Violation.CLOSE_OF_COLLECTED:
        why = "that object closes it again when it is collected, so close the object"
        return about(misuse, f"{named(misuse)} is closed, but an object was made of it: {why}")
    owner = f"`{misuse.variable}`" if misuse.variable is not None else "the object"
    why = f"nothing keeps {owner}, which closes it when it is collected: keep the object, or give a duplicate"
    goes = misuse.trace[-1].message.partition(" here, ")[0]
    return about(misuse, f"the number of {owner} is {goes}, but {why}")
