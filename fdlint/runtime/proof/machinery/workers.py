"""Objects with worker processes, without the processes: stand-ins that know whether somebody ended them."""

from __future__ import annotations

import gc
import importlib
import multiprocessing.context
import multiprocessing.managers
import multiprocessing.pool
import os
import subprocess
import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from fdlint.runtime.proof.machinery.choices import Halted
from fdlint.runtime.proof.machinery.stand_in import StandIn, Surroundings

LOST = 2
STOOD_IN_FOR = ("torch", "billiard")
_MOST_MADE = 4
_collect = gc.collect
_TEAR_DOWN = (
    *("close", "terminate", "kill", "join", "shutdown", "is_alive", "communicate", "wait", "poll", "detach", "stop"),
    *("join_thread", "cancel_join_thread", "_shutdown_workers"),
)
_PLACES: dict[str, tuple[str, ...]] = {
    "multiprocessing": ("Pool", "Manager", "Process", "Queue", "JoinableQueue", "SimpleQueue", "Pipe"),
    "multiprocessing.pool": ("Pool",),
    "multiprocessing.managers": ("SyncManager",),
    "multiprocessing.process": ("BaseProcess",),
    "concurrent.futures": ("ProcessPoolExecutor",),
    "concurrent.futures.process": ("ProcessPoolExecutor",),
    "subprocess": ("Popen",),
}
_CONTEXTS = ("BaseContext", "DefaultContext", "ForkContext", "SpawnContext", "ForkServerContext")
_REAPS = ("wait", "waitpid", "kill", "killpg")


class EnoughLost(BaseException):
    """Ends a run that has lost objects in round after round."""


class Fate:
    """What became of an object. ``ended``: somebody ended it, or can do it."""

    def __init__(self, of: object, is_loader: bool) -> None:
        self._of, self.is_loader = weakref.ref(of), is_loader
        self.ended = False

    @property
    def is_lost(self) -> bool:
        """Whether nobody has it, and nobody ended it."""
        return not self.ended and self._of() is None


class Roll:
    """The objects that one run made on the line of the finding, call by call."""

    def __init__(self) -> None:
        self.calls: list[list[Fate]] = []

    def lost(self) -> int:
        """Returns how many calls made an object that is lost."""
        _collect()
        return sum(any(one.is_lost for one in made) for made in self.calls)

    def begin(self) -> list[Fate]:
        """Returns the place for what a call makes. Raises ``EnoughLost``, or ``Halted`` if nothing gets lost."""
        if self.lost() >= LOST:
            raise EnoughLost
        if len(self.calls) >= _MOST_MADE:
            raise Halted("something keeps the objects, or ends them")
        self.calls.append([])
        return self.calls[-1]

    def end_all(self, *, loaders_only: bool = False) -> None:
        """Is told that the code reaps whatever there is, or with ``loaders_only`` what nobody has."""
        for one in (each for made in self.calls for each in made):
            one.ended |= not loaders_only or (one.is_loader and one.is_lost)


class _Part(StandIn):
    """Something that an object with workers gives out."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Ends the object, or answers."""
        name = self._name.rpartition(".")[2]
        fate = vars(self).get("_fate")
        if name not in _TEAR_DOWN or fate is None:
            return super().__call__(*args, **kwargs)
        fate.ended = True
        return {"communicate": (b"", b""), "wait": 0, "poll": 0}.get(name)

    def _child(self, name: str) -> StandIn:
        made = _Part(self._around, f"{self._name}{name}")
        if not name.endswith("()"):
            vars(made)["_fate"] = vars(self).get("_fate")
        return made

    def _give(self) -> None:
        fate = vars(self).get("_fate")
        if isinstance(self, Workers) and fate is not None:
            fate.ended = True


class Workers(_Part):
    """An object with workers. The code can derive classes from it."""

    seen: Callable[[FrameType], tuple[Surroundings, Roll | None]]
    returncode = 0

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        """Makes one, and notes it. A class of the code need not call ``__init__``."""
        around, roll = Workers.seen(sys._getframe(1))
        made = object.__new__(cls)
        StandIn.__init__(made, around, cls.__name__)
        if cls._has_workers(args, kwargs) and roll is not None:
            fate = vars(made)["_fate"] = Fate(made, issubclass(cls, DataLoader))
            roll.begin().append(fate)
        vars(made)["_given"] = args, kwargs  # it keeps them
        return made

    def __init__(self, /, *args: Any, **kwargs: Any) -> None: ...

    @classmethod
    def _has_workers(cls, args: Any, kwargs: Any) -> bool:
        return True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *of: object) -> None:
        _Part._give(self)


class Popen(Workers):
    """A program: it matters if it has a pipe."""

    @classmethod
    def _has_workers(cls, args: Any, kwargs: Any) -> bool:
        return subprocess.PIPE in (*args[3:6], *(kwargs.get(name) for name in ("stdin", "stdout", "stderr")))


class DataLoader(Workers):
    """A loader: it matters if it has workers, and the garbage collector ends them."""

    @classmethod
    def _has_workers(cls, args: Any, kwargs: Any) -> bool:
        return bool(args[5] if len(args) > 5 else kwargs.get("num_workers"))


def _pipe(duplex: bool = True) -> tuple[Any, Any]:
    """Makes the two ends of a pipe, as one call."""
    around, roll = Workers.seen(sys._getframe(1))
    ends = []
    made = roll.begin() if roll is not None else []
    for _ in range(2):
        end = object.__new__(_Named["Connection"])
        StandIn.__init__(end, around, "Connection")
        vars(end)["_fate"] = Fate(end, False)
        made.append(vars(end)["_fate"])
        ends.append(end)
    return ends[0], ends[1]


_Named: dict[str, Any] = {name: type(name, (Workers,), {}) for names in _PLACES.values() for name in names}
_Named |= {"Connection": type("Connection", (Workers,), {}), "Popen": Popen, "DataLoader": DataLoader, "Pipe": _pipe}


def named(name: str) -> Any:
    """Returns what stands in for a class of this name; None for all others."""
    return _Named.get(name)


def place_workers(
    seen: Callable[[FrameType], tuple[Surroundings, Roll | None]], rolls: Callable[[], Roll | None]
) -> None:
    """Replaces the classes of Python's library. ``seen``: what a call at a frame belongs to. ``rolls``: that of the
    run."""
    Workers.seen = staticmethod(seen)
    for module, names in _PLACES.items():
        for name in names:
            setattr(importlib.import_module(module), name, _Named[name])
    for context in _CONTEXTS:
        for name in _PLACES["multiprocessing"]:
            known = _Named[name]
            setattr(getattr(multiprocessing.context, context), name, staticmethod(known) if name == "Pipe" else known)

    def reaps(*args: Any, **kwargs: Any) -> Any:
        if (roll := rolls()) is not None:
            roll.end_all()
        return 0, 0

    def children() -> list[Any]:
        reaps()
        return []

    def collects(generation: int = 2) -> int:
        found = _collect(generation)
        if (roll := rolls()) is not None:
            roll.end_all(loaders_only=True)
        return found

    for name in _REAPS:
        setattr(os, name, reaps)
    multiprocessing.active_children = children
    gc.collect = collects
