"""Statements of methods about one attribute: fill it, close it, replace its descriptor."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .scope import Lines, block

ACQUIRE = ("os.open('/dev/null', os.O_RDWR)", "os.dup(0)", "os.memfd_create('m')")


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of ``self``. ``none`` is its value without a descriptor."""

    name: str
    none: str

    def __str__(self) -> str:
        return f"self.{self.name}"

    def present(self, rng: Random) -> str:
        """Returns a test that it holds one."""
        return f"{self} is not None" if self.none == "None" else f"{self} {rng.choice(['>= 0', '!= -1'])}"

    def absent(self, rng: Random) -> str:
        """Returns a test that it holds none."""
        return f"{self} is None" if self.none == "None" else f"{self} {rng.choice(['< 0', '== -1'])}"


def fill(rng: Random, attribute: Attribute) -> Lines:
    """Stores a new descriptor."""
    acquire = rng.choice(ACQUIRE)
    match rng.choices(["plain", "variable", "work", "undone"], [6, 2, 2, 1])[0]:
        case "plain":
            return [f"{attribute} = {acquire}"]
        case "variable":
            return [f"new = {acquire}", f"{attribute} = new"]
        case "work":
            return [f"{attribute} = {acquire}", "work()"]
        case _:
            undo = [f"os.close({attribute})", f"{attribute} = {attribute.none}", "raise"]
            return [f"{attribute} = {acquire}", *block("try:", ["work()"]), *block("except Exception:", undo)]


def close(rng: Random, attribute: Attribute) -> Lines:
    """Closes the descriptor if there is one, or does so with a mistake."""
    lines = _closing(rng, attribute)
    match rng.choices(["if", "return", "bare"], [6, 2, 2])[0]:
        case "if":
            return block(f"if {attribute.present(rng)}:", lines)
        case "return":
            return [*block(f"if {attribute.absent(rng)}:", ["return"]), *lines]
        case _:
            return lines


CLOSES: dict[str, int] = {
    "reset": 6,
    "no reset": 4,
    "work between": 2,
    "return between": 2,
    "finally": 2,
    "swap": 4,
    "move": 3,
    "work after move": 2,
    "reset only": 3,
    "forgotten": 2,
    "deleted": 1,
    "close and delete": 1,
    "handed over": 1,
    "detached": 1,
    "quiet": 2,
}
"""Ways of closing, and how often each."""


def _closing(rng: Random, attribute: Attribute) -> Lines:
    shut, reset = f"os.close({attribute})", f"{attribute} = {attribute.none}"
    swap = f"old, {attribute} = {attribute}, {attribute.none}"
    match rng.choices(list(CLOSES), list(CLOSES.values()))[0]:
        case "reset":
            return [shut, reset]
        case "no reset":
            return [shut]
        case "work between":
            return [shut, "work()", reset]
        case "return between":
            return [shut, *block("if cond():", ["return"]), reset]
        case "finally":
            return [*block("try:", [shut]), *block("finally:", [reset])]
        case "swap":
            return [swap, "os.close(old)"]
        case "move":
            return [f"old = {attribute}", reset, "os.close(old)"]
        case "work after move":
            if rng.random() < 0.5:
                return [swap, "work()", "os.close(old)"]
            return [swap, *block("try:", ["work()"]), *block("finally:", ["os.close(old)"])]
        case "reset only":
            return [reset]
        case "forgotten":
            return [swap, "use(old)"]
        case "deleted":
            return [f"del {attribute}"]
        case "close and delete":
            return [shut, f"del {attribute}"]
        case "handed over":
            return [f"adopt({attribute})", reset]
        case "detached":
            return [swap, "return old"]
        case _:
            return [*block("try:", [shut]), *block("except OSError:", ["pass"]), reset]


def replace(rng: Random, attribute: Attribute) -> Lines:
    """Stores a new descriptor in place of the old one."""
    acquire, shut = rng.choice(ACQUIRE), f"os.close({attribute})"
    match rng.choice(["close first", "open first", "swap", "guarded", "not closed"]):
        case "close first":
            return [shut, f"{attribute} = {acquire}"]
        case "open first":
            return [f"new = {acquire}", shut, f"{attribute} = new"]
        case "swap":
            return [f"old, {attribute} = {attribute}, {acquire}", "os.close(old)"]
        case "guarded":
            return [*close(rng, attribute), f"{attribute} = {acquire}"]
        case _:
            return fill(rng, attribute)


def acquires(text: str) -> bool:
    """Whether a call in ``text`` acquires."""
    return any(call in text for call in ACQUIRE)
