"""Remembers the code that acquired each descriptor of this process."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType, FrameType
from typing import NamedTuple, TypeAlias

from fdlint.runtime.recording import hearing

Frames: TypeAlias = "tuple[CodeType | int, ...]"
"""For each frame its code and its last instruction, the innermost first. One flat tuple is quicker than pairs."""

_DEEPEST = 16
_MOST_PATHS = 10_000


class Acquisition(NamedTuple):
    """One call that acquires. ``api``: its name. ``path``: what it opens, as it was given; None if it opens none."""

    api: str
    path: str | None
    frames: Frames


def calls_of(frames: Frames) -> zip[tuple[CodeType, int]]:
    """Returns pairs of the code and the last instruction, the innermost first."""
    return zip(frames[::2], frames[1::2], strict=True)  # type: ignore[arg-type]


class Recorder:
    """The latest acquisition of each number, and of each path since ``forget_paths``. ``serial`` counts all.
    ``outermost``: the code that runs the program under test; what has called it is not remembered."""

    def __init__(self, outermost: CodeType | None = None) -> None:
        self.serial = 0
        self._outermost = outermost
        self._by_number: dict[int, tuple[str, str | None, Frames]] = {}
        self._by_path: dict[str, tuple[str, str | None, Frames]] = {}

    def start(self) -> None:
        """Begins to record."""
        hearing.listen(self)

    def stop(self) -> None:
        """Ends it."""
        hearing.forget(self)

    def of_number(self, number: int) -> Acquisition | None:
        """Returns the latest acquisition of a number."""
        made = self._by_number.get(number)
        return Acquisition(*made) if made is not None else None

    def of_path(self, path: str) -> Acquisition | None:
        """Returns the latest acquisition of a path since ``forget_paths``."""
        made = self._by_path.get(path)
        return Acquisition(*made) if made is not None else None

    def forget_paths(self) -> None:
        """Forgets which paths were opened; the numbers stay."""
        self._by_path.clear()

    def note(self, numbers: Sequence[int], api: str, path: str | None, frame: FrameType) -> None:
        """Records what a call acquires. ``numbers``: none if they are not known."""
        self.serial += 1
        made = api, path, frames_of(frame, self._outermost)
        for number in numbers:
            self._by_number[number] = made
        if path is not None and len(self._by_path) < _MOST_PATHS:
            self._by_path[path] = made

    def adopt(self, number: int, api: str, frame: FrameType) -> None:
        """Records it unless the number has an acquisition that can have made what is adopted."""
        made = self._by_number.get(number)
        if made is None or made[1] is not None:
            self.note((number,), api, None, frame)


def frames_of(frame: FrameType | None, outermost: CodeType | None = None) -> Frames:
    """Returns the code and the last instruction of each caller, up to ``outermost``."""
    found: list[CodeType | int] = []
    add, left = found.append, _DEEPEST
    while frame is not None and left:
        code = frame.f_code
        if code is outermost:
            break
        add(code)
        add(frame.f_lasti)
        frame = frame.f_back
        left -= 1
    return tuple(found)
