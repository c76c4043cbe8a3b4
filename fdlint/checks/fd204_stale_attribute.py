"""# FD204 stale-attribute

## What it does
Finds a close after which an attribute goes on holding the number, so that another method would close it again: there
is no reset, or something that can raise, or a `return`, stands between the close and the reset, and `__del__`,
`__exit__`, `close` or another method closes the attribute whatever it holds.

## Why is this bad?
The kernel gives the lowest free number to whoever opens next. By the time of the second close the number may be
another thread's socket or another object's file: it is closed under them, and what they write goes to whatever is
opened after that. Such bugs corrupt data far from where they are made.

## Bad
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

## Good
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

## Bad
Here there is no reset at all, and the finalizer closes whatever the attribute holds.

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

## Good
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
Reset first, close after: `fd, self._fd = self._fd, -1`, then `os.close(fd)`. Whatever happens from there on, the
attribute never names a descriptor that is not the object's own.

## What it does not say
One public `close` without a reset, and nothing else that closes, is left alone: that calling it twice is a mistake is
the caller's affair. A second close that a guard prevents (`if self._fd is None: return`, `if self._closed: return`) is
none; one that depends on an answer which is not known is left alone. `os.close` itself is not held to raise, so a reset
directly after it is in time. Methods are taken to run one after another, as if there were one thread.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html), "Dealing with error returns from close()"
- DeepSpeed PR #8005: the review of the first fix found close first, reset after, with a `__del__` that closes again
"""

from __future__ import annotations

from fdlint.checks.rule import Rule, Verdict
from fdlint.facts import Staleness
from fdlint.finding import Severity

RULE = Rule(
    "FD204", "stale-attribute", Severity.WARNING, rank=91, about=Staleness,
    defect="An attribute keeps the number of a closed file descriptor", cwe=1341, precision="medium",
)  # fmt: skip


def check(stale: Staleness) -> Verdict:
    """Holds for every such close."""
    when = "if something raises before it is reset" if stale.raised else "afterwards"
    what = f"`{stale.attribute}` still holds the number {when}, and `{stale.again}` closes it again"
    return Verdict(stale.trace, f"{what}, by then maybe somebody else's: reset the attribute first, then close")
