"""# FD204 stale-attribute

## What it does
Finds a close after which an attribute keeps the number, so that another method (`__del__`, `__exit__`, `close`, …)
would close it again. There is no reset, or a `return` or a call that can raise is between the close and the reset.

## Why is this bad?
The next open gets the lowest free number. By the time of the second close the number may be another thread's socket or
another object's file. The second close closes it, and later writes go to yet another file. Such bugs corrupt data far
from the mistake.

## Bad: an open that raises before the reset
```python
import os


class Spool:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR)

    def switch(self, path: str) -> None:
        os.close(self._fd)
        self._fd = os.open(path, os.O_RDWR)  # if this raises, `close` finds the old number

    def close(self) -> None:
        if self._fd != -1:
            os.close(self._fd)
            self._fd = -1
```

## Good: an open that raises before the reset
```python
import os


class Spool:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR)

    def switch(self, path: str) -> None:
        fd, self._fd = self._fd, -1
        os.close(fd)
        self._fd = os.open(path, os.O_RDWR)

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd != -1:
            os.close(fd)
```

## Bad: no reset at all
There is no reset at all, and the finalizer closes the attribute in any case.

```python
import os


class Lease:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR)

    def give_back(self) -> None:
        os.close(self._fd)

    def __del__(self) -> None:
        os.close(self._fd)
```

## Good: no reset at all
```python
import os


class Lease:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR)

    def give_back(self) -> None:
        fd, self._fd = self._fd, -1
        if fd != -1:
            os.close(fd)

    def __del__(self) -> None:
        self.give_back()
```

## What to do
Reset first, then close: `fd, self._fd = self._fd, -1`, then `os.close(fd)`. Even if the close raises, the attribute
never holds the number of a descriptor that is not the object's own.

## What it does not report
One public `close` without a reset, and no other method that closes, is not reported: callers must not call it twice. A
guard (`if self._fd is None: return`, `if self._closed: return`) prevents the second close; a condition that fdlint does
not understand may prevent it. `os.close` itself is assumed not to raise, so a reset directly after it is in time.
fdlint assumes that methods run one after another, in one thread.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html), "Dealing with error returns from close()"
- DeepSpeed PR #8005: the review of the first fix found close first, reset after, with a `__del__` that closes again
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.domain.facts import Staleness
from fdlint.core.finding import Confidence, Severity

RULE = Rule(
    "FD204", "stale-attribute", Severity.WARNING, rank=91, about=Staleness,
    defect="An attribute keeps the number of a closed file descriptor", cwe=1341, precision="medium",
    in_tests=False,
    once_is_enough="one close too many can hit the file of somebody else",
    at_most=Confidence.MEDIUM,
)  # fmt: skip


def check(stale: Staleness) -> Verdict:
    """Holds for every such close of a number."""
    when = "if something raises before it is reset" if stale.raised else "afterwards"
    what = f"`{stale.attribute}` still holds the number {when}, and `{stale.again}` closes it again"
    return Verdict(
        stale.trace,
        f"{what}, when it may belong to another file: reset the attribute first, then close",
        assumptions=stale.assumptions,
    )
