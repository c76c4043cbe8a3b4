"""# FD205 truthiness-test

## What it does
Finds tests that ask a descriptor whether it is true, or greater than 0, to find out whether there is one: `if fd:`,
`not fd`, `fd or default`, `while fd`, `fd > 0`.

## Why is this bad?
0 is a valid descriptor. A process that was started without standard input, or that has closed it – a daemon, a service
under some supervisors, a container – gets 0 for the next thing that it opens. The test then takes an open descriptor
for none: it is not closed, or is opened a second time, or another one is used in its place. Nothing shows that on a
developer's terminal, where 0 is always taken.

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
Let "none" be something that is no descriptor: `None`, asked for with `is not None`, or -1, asked for with `>= 0` or
`!= -1`. A variable that begins as 0 has no value that says "none"; begin it with one of these.

## What it does not say
Only what is known to be a descriptor counts: what an acquiring call, or a function of the project, has returned on
some path to the test, what an attribute of the object can hold, and a parameter that a caller in the same file fills
with one. Silent are `fd > 2` (is it none of the standard streams?), `fd == 0`, a test after the descriptor has been
duplicated onto another with `dup2`, and one of a number that cannot be 0 (`fcntl(fd, F_DUPFD, 3)`). A comparison that
is only returned or passed on, not decided by, is not looked at.

The rules about leaks believe such tests: they take it that the descriptor is not 0.

## References
- [open(2)](https://man7.org/linux/man-pages/man2/open.2.html): "a nonnegative integer", "the lowest-numbered file
  descriptor not currently open for the process"
"""

from __future__ import annotations

from fdlint.checks.rule import Rule, Verdict
from fdlint.facts import TruthTest
from fdlint.finding import Severity

RULE = Rule(
    "FD205", "truthiness-test", Severity.WARNING, rank=95, about=TruthTest,
    defect="A file descriptor is tested for truth although 0 is one", cwe=697, precision="medium",
)  # fmt: skip


def check(test: TruthTest) -> Verdict:
    """Holds for every such test."""
    what = f"`{test.text}` takes descriptor 0, which is a valid one, for none"
    return Verdict(test.trace, f"{what}: compare with None or -1 (`is not None`, `>= 0`)")
