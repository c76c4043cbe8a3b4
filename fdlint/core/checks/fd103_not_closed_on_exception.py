"""# FD103 not-closed-on-exception

## What it does
Finds a descriptor that every explicit path closes, while an exception between the acquisition and the close leaves it
open.

## Why is this bad?
A full disk, a broken pipe, a refused permission or a time-out raises from the middle. The exception is caught
somewhere above, the process continues, and the descriptor is lost. Retries come in bursts, and so do these leaks.

## Bad: no `finally`
```python
import os


def save(path: str, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
```

## Good: no `finally`
```python
import os


def save(path: str, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
```

## Bad: before the new owner
A call that can fail is between the acquisition and the new owner.

```python
import shutil
import tempfile


def copy_of(path: str, text: str) -> str:
    fd, copy = tempfile.mkstemp()
    shutil.copystat(path, copy)
    with open(fd, "w") as stream:
        stream.write(text)
    return copy
```

## Good: before the new owner
```python
import shutil
import tempfile


def copy_of(path: str, text: str) -> str:
    fd, copy = tempfile.mkstemp()
    with open(fd, "w") as stream:
        shutil.copystat(path, copy)
        stream.write(text)
    return copy
```

## Bad: two acquisitions
The second acquisition fails, and the first is lost.

```python
import os


def two_files(source: str, target: str) -> tuple[int, int]:
    reader = os.open(source, os.O_RDONLY)
    writer = os.open(target, os.O_WRONLY | os.O_CREAT, 0o644)
    return reader, writer
```

## Good: two acquisitions
```python
import contextlib
import os


def two_files(source: str, target: str) -> tuple[int, int]:
    with contextlib.ExitStack() as stack:
        reader = os.open(source, os.O_RDONLY)
        stack.callback(os.close, reader)
        writer = os.open(target, os.O_WRONLY | os.O_CREAT, 0o644)
        stack.pop_all()
        return reader, writer
```

## Bad: a constructor
If a constructor raises, nobody gets the object, so no caller can close the descriptors that it has stored already.

```python
import fcntl
import os


class PidFile:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def close(self) -> None:
        os.close(self._fd)
```

## Good: a constructor
```python
import fcntl
import os


class PidFile:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(self._fd)
            raise

    def close(self) -> None:
        os.close(self._fd)
```

## What to do
Start the `try` right after the acquisition, with nothing in between, and close in its `finally`; or wrap the
descriptor at once (`open(fd)`, `os.fdopen(fd)`). When it is handed over on success, close it in `except
BaseException: os.close(fd); raise`. For several descriptors, register each with an `ExitStack` as it comes and call
`pop_all()` at the end.

## What it does not report
Any call, `await`, `yield`, entering a `with` and advancing an iterator can raise. Some calls are known not to: closing,
`os.fdopen(fd)` with a constant mode, logging, `len`, container methods and similar ones. Attribute access, subscripts,
arithmetic, `assert` and asynchronous exceptions such as `KeyboardInterrupt` do not count. A failed acquisition acquires
nothing, and a close that raises has closed.

A loop over a variable or an attribute that fdlint does not know hardly ever raises, as most of them hold containers:
such a finding has low impact. So has one that needs the failure of a system call on what the function has open:
`os.write(fd, text)` after `mkstemp`, also in a function that it calls. So has one that needs an exception of a call
that fdlint does not know. In code that is known to repeat, both count. Any other exception counts there, and in code
that other projects may call.

If the function catches an exception and continues, that is an explicit path (FD102). A constructor is not reported if
`__del__` (its own or an inherited one) closes the attribute, or if other code already has the object or one of its
methods. `__enter__` is only reported if no method but `__exit__` closes the attribute, because the object's user may
call any other.

An object that must close a descriptor is treated as the descriptor itself: FD101 shows such a class, and when its
creator owes nothing.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html): on Linux the descriptor is released even when
  `close` fails
- [contextlib.ExitStack](https://docs.python.org/3/library/contextlib.html#contextlib.ExitStack)
- Fixed in public: kovidgoyal/kitty commit 01ce0e1d1a (`copystat` before `open(fd)`), tornadoweb/tornado commit
  c82e97ffda and python-trio/trio commit fe59176172 (several pipes in a row)
"""

from __future__ import annotations

from collections.abc import Sequence

from fdlint.core.checks.endings import clearest, dying_by, is_shown, spelled_out, verdict
from fdlint.core.checks.rule import Rule, Verdict, remedy, subject
from fdlint.core.domain.facts import PASSING, Death, Lifetime
from fdlint.core.finding import CAN_RAISE, Event, EventKind, Severity

RULE = Rule(
    "FD103", "not-closed-on-exception", Severity.WARNING, rank=9,
    defect="An exception leaves a file descriptor open", cwe=460, precision="medium", in_tests=False,
    one_per_exception=True,
)  # fmt: skip


_ADVICE = "leaks if {raiser}: {remedy}"
_LOST_WITH_IT = {
    Death.ABANDONED: "leaks if {raiser} in the constructor: no caller gets the object, so close it on that path",
    Death.NOT_ENTERED: "leaks if {raiser} while entering: the exit method does not run then, so close it on that path",
}


def _raiser(trace: Sequence[Event], home: str) -> str:
    """Returns what raises first on a path, as the beginning of a sentence: handlers of that may raise again. ``home``:
    the path of the finding's file."""
    for event in trace:
        if event.kind is EventKind.RAISED and event.message.endswith(CAN_RAISE):
            place = "" if event.span.path == home else f" of {event.span.path.rpartition('/')[2]}"
            return f"{event.message.removesuffix(CAN_RAISE)} on line {event.span.line}{place} raises"
    return "something raises before it is closed or handed over"


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if only exceptions from the function's calls leave the descriptor open, apart from doubtful paths.

    A descriptor that no path closes is meant to stay open as long as the function runs (an agent's endless loop).
    """
    ending = (
        clearest(dying_by(lifetime, PASSING))
        if lifetime.released and not any(map(is_shown, spelled_out(lifetime)))
        else None
    )
    if ending is None:
        return None
    advice, raiser = _LOST_WITH_IT.get(ending.death, _ADVICE), _raiser(ending.trace, lifetime.span.path)
    where = "there too" if lifetime.given_away else "in a `finally`"
    told = advice.format(raiser=raiser, remedy=remedy(lifetime, f"close it {where}"))
    return verdict(ending, f"{subject(lifetime)} {told}")
