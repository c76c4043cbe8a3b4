"""The generator's state while it writes a function: its random numbers, its names, its position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

T = TypeVar("T")
Lines = list[str]

NAMES = ("fd", "handle", "other", "spare", "number", "log", "lock", "target", "inner", "extra")
PARAMETERS = (
    *("a", "b", "c", "n", "kind", "opt", "items", "out", "registry"),
    *("obj", "sock", "src", "path", "command"),
)


def block(head: str, *bodies: Lines) -> Lines:
    """A compound statement: its header, then its indented body."""
    body = [line for part in bodies for line in part] or ["pass"]
    return [head, *("    " + line for line in body)]


@dataclass(slots=True)
class Scope:
    """One function under construction."""

    rng: Random
    lifetime: Callable[[Scope], Lines]
    """Writes a descriptor's whole lifetime, for statements with one inside."""
    budget: int = 14
    """The approximate number of statements that may still be written."""
    loops: int = 0
    finals: int = 0
    open: list[str] = field(default_factory=list)
    """Names that hold a descriptor here, for statements that use one."""
    used: int = 0

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return self.rng.choice(options)

    def chance(self, probability: float) -> bool:
        """Returns True with this probability."""
        return self.rng.random() < probability

    def weighted(self, options: dict[T, int]) -> T:
        """One of the keys, by weight."""
        return self.rng.choices(list(options), list(options.values()))[0]

    def name(self) -> str:
        """Returns a variable that is not in use, or sometimes one that is."""
        if self.open and self.chance(0.04):
            return self.pick(self.open)
        self.used += 1
        return NAMES[self.used - 1] if self.used <= len(NAMES) else f"fd{self.used}"

    def flag(self) -> str:
        """Returns a condition that raises nothing and always has the same result."""
        flags = {"a": 6, "b": 4, "c": 3, "not a": 2, "n > 3": 2, "opt is None": 1, "a and b": 1, "a or c": 1}
        return self.weighted(flags)

    def condition(self) -> str:
        """A condition, opaque or not."""
        return self.weighted({self.flag(): 6, "cond()": 4, "not cond()": 1, "cond() and a": 1, "b or cond()": 1})

    def within_loop(self, write: Callable[[Scope], Lines]) -> Lines:
        """Returns the text of ``write`` as the body of a loop."""
        self.loops += 1
        lines = write(self)
        self.loops -= 1
        return lines

    def holding(self, names: Sequence[str], write: Callable[[Scope], Lines]) -> Lines:
        """Returns the text of ``write`` while ``names`` hold descriptors."""
        self.open.extend(names)
        lines = write(self)
        for name in names:
            self.open.remove(name)
        return lines
