"""A descriptor that stays open, the code that acquired it, and the part of the project in that code."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import CodeType

from fdlint.runtime.doctor.kinds import Kind, Target, kinds_of, target_of
from fdlint.runtime.recording.acquisitions import Acquisition, Frames, Recorder, calls_of
from fdlint.runtime.recording.table import UNKNOWN

_PATHS = {Kind.FILE, Kind.DELETED, Kind.DEVICE}
_NAMED = {Kind.ANON, Kind.MEMFD}
_OTHERS = ("site-packages", "dist-packages")
_LIBRARY = tuple(
    {os.path.join(path, "") for key in ("stdlib", "platstdlib") if (path := sysconfig.get_paths().get(key))}
)
_RUNNERS = (f"{os.sep}_pytest{os.sep}", f"{os.sep}pluggy{os.sep}", f"{os.sep}pytest_asyncio{os.sep}")
_SINGLETONS = (("resource_tracker.py", ""), ("forkserver.py", ""), ("resource_sharer.py", "_start"), ("heap.py", ""))
"""Files of ``multiprocessing`` that keep something for the whole process, and the function; empty for each."""
_OWN = tuple(os.path.join(os.path.dirname(os.path.dirname(__file__)), name) for name in ("recording", "sanitizer"))
_MODULE = "<module>"
_LONGEST_STACK = 8


@dataclass(frozen=True, slots=True)
class Place:
    """A line of code. ``path``: relative to the project if it ``own``s the file."""

    path: str
    line: int
    function: str
    own: bool


@dataclass(frozen=True, slots=True)
class Leak:
    """One descriptor. ``path`` is a path or another name of it, or empty. ``stack``: the calls, the innermost first;
    empty if no code was seen that acquired it. ``fixture``: the fixture that acquired it; empty for a test."""

    number: int
    kind: str
    path: str
    api: str
    stack: tuple[Place, ...]
    fixture: str = ""

    @property
    def site(self) -> Place | None:
        """The innermost line of the project; without one, the innermost of any code outside of Python's library."""
        own = next((one for one in self.stack if one.own), None)
        return own or next(iter(self.stack), None)

    def matches(self, patterns: Iterable[str]) -> bool:
        """Whether the kind, the path, or a ``path:line`` of the stack matches one of the patterns."""
        words = [self.kind, self.path, *(f"{one.path}:{one.line}" for one in self.stack)]
        return any(fnmatchcase(word, pattern) for pattern in patterns for word in words if word)


class Judge:
    """Turns open descriptors into leaks. ``root``: the directory of the project."""

    def __init__(self, recorder: Recorder, root: str) -> None:
        self._recorder = recorder
        self._root = os.path.join(os.path.realpath(root), "")

    def leak(self, number: int, link: str, fixture: str = "") -> Leak | None:
        """Describes an open descriptor. Returns None if it lives as long as the process by design: an import or a
        singleton of Python's own library opened it."""
        target = target_of(link)
        made = self._acquisition(number, target)
        frames = tuple(until_runner(made.frames)) if made is not None else ()
        if any(code.co_name == _MODULE or _is_singleton(code) for code, _ in frames):
            return None
        stack = tuple(places_of(frames, self._root))[:_LONGEST_STACK]
        name = target.name if target.kind in _PATHS | _NAMED else ""
        return Leak(number, target.kind.value, name, made.api if made is not None else "", stack, fixture)

    def _acquisition(self, number: int, target: Target) -> Acquisition | None:
        """The acquisition of a number, unless what is open there contradicts it."""
        found = self._recorder.of_number(number)
        if found is not None and _agrees(found, target):
            return found
        return self._recorder.of_path(target.name) if target.kind in _PATHS else None


def places_of(frames: Iterable[tuple[CodeType, int]], root: str, *, library: bool = False) -> Iterator[Place]:
    """Yields the lines of frames, without those of Python's library unless it is asked for. ``root``: the directory of
    the project, with a separator at its end."""
    for code, instruction in frames:
        path = os.path.realpath(code.co_filename)
        if path.startswith(root) and not _is_installed(path):
            shown = path.removeprefix(root).replace(os.sep, "/")
            yield Place(shown, _line(code, instruction), _name(code), own=True)
        elif library or not is_of_the_library(path):
            yield Place(_short(path), _line(code, instruction), _name(code), own=False)


def is_of_the_library(path: str) -> bool:
    """Whether a file belongs to Python's own library."""
    return path.startswith(_LIBRARY) and not _is_installed(path)


def _is_installed(path: str) -> bool:
    return not set(_OTHERS).isdisjoint(path.split(os.sep))


def _agrees(made: Acquisition, target: Target) -> bool:
    if target.name == UNKNOWN:
        return True
    if made.path is not None:
        return target.kind in _PATHS and (made.path == target.name or _real(made.path) == _real(target.name))
    kinds = kinds_of(made.api)
    return kinds is None or target.kind in kinds


def _real(path: str) -> str:
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(os.path.realpath(path)))


def until_runner(frames: Frames) -> Iterator[tuple[CodeType, int]]:
    """Yields the frames that pytest has called, without those of fdlint itself."""
    for code, instruction in calls_of(frames):
        if any(part in code.co_filename for part in _RUNNERS):
            return
        if not code.co_filename.startswith(_OWN):
            yield code, instruction


def _is_singleton(code: CodeType) -> bool:
    place = os.path.basename(code.co_filename), code.co_name
    return code.co_filename.startswith(_LIBRARY) and (place in _SINGLETONS or (place[0], "") in _SINGLETONS)


def _line(code: CodeType, instruction: int) -> int:
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            return line
    return code.co_firstlineno


def _name(code: CodeType) -> str:
    return getattr(code, "co_qualname", code.co_name).replace(".<locals>", "")  # Python 3.11


def _short(path: str) -> str:
    """The path of other code, from its package on: no places of this machine."""
    parts = path.split(os.sep)
    start = max((number + 1 for number, part in enumerate(parts) if part in _OTHERS), default=len(parts) - 2)
    return "/".join(parts[max(start, 0) :])
