"""# FD205 truthiness-test

## What it does
Finds conditions that use the truth of a descriptor, or `> 0`, to test whether there is one: `if fd:`, `not fd`,
`fd or default`, `while fd`, `fd > 0`.

## Why is this bad?
0 is a valid descriptor. A process without standard input (a daemon, a service under some supervisors, a container) gets
0 from its next open. The test then treats an open descriptor as none: the code does not close it, opens it again, or
uses another one. A developer does not see this, because 0 is always in use in a terminal.

## Bad
```python
import os


def first_line(path: str, wanted: bool) -> bytes:
    fd = None
    try:
        if wanted:
            fd = os.open(path, os.O_RDONLY)
            return os.read(fd, 80)
        return b""
    finally:
        if fd:
            os.close(fd)
```

## Good
```python
import os


def first_line(path: str, wanted: bool) -> bytes:
    fd = None
    try:
        if wanted:
            fd = os.open(path, os.O_RDONLY)
            return os.read(fd, 80)
        return b""
    finally:
        if fd is not None:
            os.close(fd)
```

## What to do
Use a value for "none" that cannot be a descriptor: `None`, tested with `is not None`, or -1, tested with `>= 0` or `!=
-1`. Do not initialize the variable with 0.

## What it does not report
By default it reports nothing: 0 is seldom free. `--persona pedantic` shows its findings, and so does `--select FD205`.

Only known descriptors count. They are results of acquiring calls or of functions of the project, values of attributes,
and parameters that a caller in the same file fills with a descriptor. These are not reported: `fd > 2` (is it one of
the standard streams?), `fd == 0`, a test after `dup2` has duplicated the descriptor onto another, and a test of a
number that cannot be 0 (`fcntl(fd, F_DUPFD, 3)`). A comparison that is only returned or passed on is not reported
either.

The rules about leaks trust such tests: they assume that the descriptor is not 0.

## References
- [open(2)](https://man7.org/linux/man-pages/man2/open.2.html): "a nonnegative integer", "the lowest-numbered file
  descriptor not currently open for the process"
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict, about
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Excuse, Happened
from fdlint.core.finding import Confidence, Severity

RULE = Rule(
    "FD205", "truthiness-test", Severity.WARNING, rank=95, about={Event.TESTED},
    defect="A file descriptor is tested for truth although 0 is one", cwe=697, precision="medium", pedantic=True,
    at_most=Confidence.MEDIUM,
)  # fmt: skip


def check(test: Happened) -> Verdict | None:
    """Holds for a test of a descriptor that the function acquired, if it may be 0."""
    if Excuse.NOT_ACQUIRED in test.excuses or Event.NONZERO in test.events:
        return None
    what = f"`{test.text}` treats descriptor 0 as none, but 0 is valid"
    return about(test, f"{what}: compare with None or -1 (`is not None`, `>= 0`)")
