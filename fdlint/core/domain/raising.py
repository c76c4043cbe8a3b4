"""The kinds of exceptions that a path is leaving with."""

from __future__ import annotations

import enum

from fdlint.core.domain.event import Chance


class Raising(enum.Enum):
    """The kind of the exception that is being raised."""

    SPELLED = "a raise statement"
    AGAIN = "a bare raise"
    AGAIN_ASSUMED = "a bare raise of an assumed exception"
    AGAIN_OWN = "a bare raise of an exception out of a system call on what is open"
    AGAIN_RARE = "a bare raise of a rare exception"
    KNOWN = "out of a call"
    ASSUMED = "perhaps out of a call"
    OWN = "out of a system call on what is open"
    RARE = "rarely out of a call"

    __hash__ = object.__hash__  # the hash of Enum is written in Python, and this runs millions of times

    @classmethod
    def out_of_call(cls, chance: Chance) -> Raising:
        """Returns the kind of an exception out of a call."""
        return cls[chance.name]

    @property
    def chance(self) -> Chance:
        """How often the statement that raised it raises."""
        return _CHANCES[self]

    def again(self) -> Raising:
        """Returns the kind of the same exception after a bare ``raise``."""
        return _AGAIN.get(self, self)


_AGAIN = {
    Raising.KNOWN: Raising.AGAIN,
    Raising.ASSUMED: Raising.AGAIN_ASSUMED,
    Raising.OWN: Raising.AGAIN_OWN,
    Raising.RARE: Raising.AGAIN_RARE,
}
_CHANCES = {
    **dict.fromkeys((Raising.SPELLED, Raising.AGAIN, Raising.KNOWN), Chance.KNOWN),
    **dict.fromkeys((Raising.AGAIN_ASSUMED, Raising.ASSUMED), Chance.ASSUMED),
    **dict.fromkeys((Raising.AGAIN_OWN, Raising.OWN), Chance.OWN),
    **dict.fromkeys((Raising.AGAIN_RARE, Raising.RARE), Chance.RARE),
}
