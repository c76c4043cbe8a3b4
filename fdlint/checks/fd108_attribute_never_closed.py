"""# FD108 attribute-never-closed

## What it does
Finds a class that acquires a descriptor, keeps it in an attribute of its objects, and no code in the project, in this
class or elsewhere, closes or hands over that attribute.

## Why is this bad?
The descriptor lives as long as the process, not as long as the object: an `int` has no finalizer. Every object made
and dropped leaves one behind. A class that closes one end of its pipe and forgets the other leaks as surely as one that
closes nothing.

## Bad
```python
import os


class Wakeup:
    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()

    def fire(self) -> None:
        os.write(self._writer, b"x")

    def wait(self) -> None:
        os.read(self._reader, 1)

    def close(self) -> None:
        os.close(self._writer)
```

## Good
```python
import os


class Wakeup:
    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()

    def fire(self) -> None:
        os.write(self._writer, b"x")

    def wait(self) -> None:
        os.read(self._reader, 1)

    def close(self) -> None:
        os.close(self._writer)
        os.close(self._reader)
```

## Bad
A subclass that overrides the method which closes, and does not call it, takes the close away from its objects.

```python
import os


class Channel:
    def __init__(self, path: str) -> None:
        self._channel = os.open(path, os.O_RDWR)

    def close(self) -> None:
        os.close(self._channel)


class LoggedChannel(Channel):
    def close(self) -> None:
        print("closed")
```

## Good
```python
import os


class Channel:
    def __init__(self, path: str) -> None:
        self._channel = os.open(path, os.O_RDWR)

    def close(self) -> None:
        os.close(self._channel)


class LoggedChannel(Channel):
    def close(self) -> None:
        super().close()
        print("closed")
```

## What to do
Give the class a `close` (and `__exit__`) that closes everything it acquired, and see to it that it is called.
`weakref.finalize(self, os.close, fd)` closes a descriptor that should live as long as the object, come what may.

## What it does not say
Any code of the project that may close or take the attribute keeps fdlint silent: `os.close(wakeup._reader)`, a loop
over several attributes, `getattr` with a name that is worked out, a registered callback, a wrapper, a method that
returns the number. `getattr(self, "_reader")` is `self._reader`. A class that fills an attribute of the same name and
closes it closes its own. Reading, writing, polling, printing and returning the number from `fileno` are mere uses. In
other files, which are searched and not followed, any reading of an attribute of that name on another object will do,
and so will a mention of the class beside the name: a subclass in another file is known no better than that. A class
with a base that cannot be seen is left alone, as the base may close; the bases in `io` call `close` and nothing else.
An attribute that loses its descriptor is FD105; whether anybody *calls* the method that closes is not asked. The only
object of a class that the file makes may be a global: it lives as long as the process, and so does what it keeps.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html),
  [weakref.finalize](https://docs.python.org/3/library/weakref.html#weakref.finalize)
- Fixed in public: gorakhargosh/watchdog commit 1d40eff3 (an inotify object that never closed its descriptor)
"""

from __future__ import annotations

from fdlint.checks.rule import Rule, Verdict, subject
from fdlint.facts import Acquisition
from fdlint.finding import Severity

RULE = Rule("FD108", "attribute-never-closed", Severity.ERROR, rank=8)


def check(acquisition: Acquisition) -> Verdict | None:
    """Holds when an attribute has the descriptor for good."""
    kept = acquisition.kept
    if kept is None:
        return None
    attribute = "attributes" if acquisition.shared else f"`{kept.attribute}`"
    where = f"is kept in {attribute} of `{kept.owner}`, and nothing in the project closes or hands over that"
    return Verdict(kept.trace, f"{subject(acquisition)} {where}: close it in a method of the class")
