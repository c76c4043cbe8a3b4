"""The sanitizer: it tags what is opened, and judges each use and each close."""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import CodeType, FrameType
from typing import NamedTuple

from fdlint.runtime.recording.acquisitions import Frames, frames_of
from fdlint.runtime.sanitizer.numbers import Opening, TaggedNumber, identity, tagged

_MOST_REPORTS = 1_000


class Offence(enum.Enum):
    """What is wrong, with the code of the rule that finds it in the source."""

    SECOND_CLOSE = ("FD201", "closed a second time")
    USED_AFTER_CLOSE = ("FD202", "used after its close, and the number belongs to another file by now")
    STRANGERS_CLOSE = ("FD201", "closed a second time, and the number belonged to another file by then")
    OWNED = ("FD203", "closed although an object owns it and will close it again")

    @property
    def code(self) -> str:
        """The rule."""
        return self.value[0]


class Offending(NamedTuple):
    """One report. ``stranger``: the opening that has the number now, if that is known."""

    offence: Offence
    opening: Opening
    api: str
    frames: Frames
    stranger: Opening | None = None


class Sanitizer:
    """The openings of this process. ``report`` gets what is wrong, before the call happens. ``outermost``: the code
    that runs the program under test."""

    def __init__(self, report: Callable[[Offending], None], outermost: CodeType | None = None) -> None:
        self._report, self._outermost = report, outermost
        self._now: dict[int, Opening] = {}
        self._count = 0

    def made(self, number: int, api: str, frame: FrameType) -> int:
        """Tags a new descriptor."""
        opening = Opening(number, api, frames_of(frame, self._outermost))
        self._now[number] = opening
        return tagged(number, opening)

    def taken_back(self, number: int, owner: object, api: str, frame: FrameType) -> int:
        """Tags what an object gives away. It is the same opening as before if the object had got it as a number."""
        known = self._now.get(number)
        if known is not None and known.take_back(owner):
            return tagged(number, known)
        return self.made(number, api, frame)

    def adopted(self, number: int, owner: object) -> None:
        """Is told that an object closes a descriptor from now on."""
        if type(number) is TaggedNumber and not number.opening.is_over:
            number.opening.give(owner)

    def replaced(self, number: int, api: str, frame: FrameType) -> int:
        """Is told that a number is another file now, by ``dup2``. Who holds the number goes on to use it."""
        new = self.made(number, api, frame)
        if type(number) is TaggedNumber and type(new) is TaggedNumber:
            number.opening = new.opening
        return new

    def used(self, number: object, api: str, frame: FrameType) -> None:
        """Judges a use. One that the kernel refuses, the program sees itself."""
        if type(number) is TaggedNumber and number.opening.is_over and identity(number) is not None:
            self._tell(Offence.USED_AFTER_CLOSE, number.opening, api, frame)

    def closing(self, number: object, api: str, frame: FrameType) -> None:
        """Judges a close, before it happens: another thread can get the number at once."""
        if not isinstance(number, int):
            return
        plain = int(number)
        now = self._now.get(plain)
        opening = number.opening if type(number) is TaggedNumber else now
        if type(number) is TaggedNumber and number.opening.is_over:
            reused = identity(plain) is not None
            self._tell(Offence.STRANGERS_CLOSE if reused else Offence.SECOND_CLOSE, number.opening, api, frame)
        elif opening is not None and opening.owner is not None and identity(plain) is not None:
            self._tell(Offence.OWNED, opening, api, frame)
        for one in (now, opening):
            if one is not None and one.ended is None:
                one.ended = frames_of(frame, self._outermost)
                one.reported = one.reported or one is not opening

    def closing_range(self, low: int, high: int, frame: FrameType) -> None:
        """Is told that all numbers of a range end. Nobody says that of one of them."""
        for number, opening in list(self._now.items()):
            if low <= number < high and opening.ended is None:
                opening.ended, opening.reported = frames_of(frame, self._outermost), True

    def _tell(self, offence: Offence, opening: Opening, api: str, frame: FrameType) -> None:
        if opening.reported or self._count >= _MOST_REPORTS:
            return
        opening.reported = True
        self._count += 1
        now = self._now.get(opening.number)
        self._report(
            Offending(offence, opening, api, frames_of(frame, self._outermost), now if now is not opening else None)
        )
