"""# FD108 attribute-never-closed

## What it does
Finds a class that acquires a descriptor and keeps it in an attribute that no code in the project, in this class or
elsewhere, closes or hands over. An object that owns a descriptor counts like the descriptor.

## Why is this bad?
The descriptor lives as long as the process, not as long as the object: an `int` has no finalizer. Every object that is
created and dropped leaves one behind. A class that closes one end of its pipe and forgets the other leaks like one that
closes nothing.

## Bad: one of two attributes
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

## Good: one of two attributes
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

## Bad: a subclass
A subclass that overrides the closing method and does not call it leaves its objects without a close.

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

## Good: a subclass
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
Give the class a `close` (and `__exit__`) that closes everything it acquired, and make sure that it is called.
`weakref.finalize(self, os.close, fd)` closes a descriptor when its object is collected.

## What it does not report
fdlint stays silent if any code of the project may close or take the attribute: `os.close(wakeup._reader)`, a loop over
several attributes, `getattr` with a computed name, a registered callback, a wrapper, a method that returns the number.
`getattr(self, "_reader")` counts as `self._reader`. If another class fills an attribute of the same name and closes it,
that class closes its own attribute. To read, write, poll or print the number does not close it, and neither does
`fileno` when it returns it, or a private method whose callers only use the result. fdlint reads the base classes in
other files, and asks all others for the name alone.
It stays silent if another file reads an attribute of that name on any other object, or mentions the class together with
the name; this includes subclasses in other files. It skips a class with an unknown base, because the base may close,
unless the class has its own `close` that closes a descriptor and does not call that of the base. The bases in `io` only
call `close`. FD105 reports an attribute that loses its descriptor. FD108 does not ask whether anybody *calls* the
method that closes. If a file makes one object of a class and keeps it in a global, the object lives as long as the
process, and so do its descriptors.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html),
  [weakref.finalize](https://docs.python.org/3/library/weakref.html#weakref.finalize)
- Fixed in public: gorakhargosh/watchdog commit 1d40eff3 (an inotify object that never closed its descriptor)
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict, subject
from fdlint.core.domain.facts import Lifetime
from fdlint.core.finding import Severity

RULE = Rule(
    "FD108", "attribute-never-closed", Severity.ERROR, rank=8,
    defect="A file descriptor in an attribute is never closed", cwe=775,
)  # fmt: skip


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if an attribute keeps the descriptor for good."""
    kept = lifetime.kept
    if kept is None:
        return None
    attribute = "attributes" if lifetime.shared else f"`{kept.attribute}`"
    where = f"is kept in {attribute} of `{kept.owner}`, and nothing in the project closes it"
    message = f"{subject(lifetime)} {where}: close it in a method of the class"
    names = frozenset(kept.attribute.split(".")[1:])
    return Verdict(kept.trace, message, names, kept.relatives, assumptions=kept.assumptions)
