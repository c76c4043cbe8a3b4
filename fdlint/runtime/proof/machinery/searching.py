"""Searches a run of the code that has the defect, and repeats it."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import gc
import importlib
import inspect
import itertools
import os
import runpy
import signal
import sys
import time
import warnings
from collections.abc import Set
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from fdlint.runtime.proof.machinery.arguments import arguments
from fdlint.runtime.proof.machinery.choices import Choices, Halted, Waiting
from fdlint.runtime.proof.machinery.descriptors import (
    free_zero,
    held,
    identity,
    occupy,
    occupy_zero,
    opened,
    owned_by_objects,
    registered,
    stale,
    unregister_all,
)
from fdlint.runtime.proof.machinery.stand_in import StandIn, Stubs, Surroundings
from fdlint.runtime.proof.machinery.watching import Defect, MadeError, Watch
from fdlint.runtime.proof.machinery.workers import LOST, STOOD_IN_FOR, EnoughLost, Roll, place_workers
from fdlint.runtime.proof.machinery.world import Imports, provide_files, tame

TIMES = 3
_SECONDS, _OF_A_RUN = 40.0, 2.0
_INHERITED = ("FD301", "FD302")
_OF_USES = ("FD201", "FD202", "FD203", "FD204", "FD205", "FD206", "FD207")
_REFUTABLE = ("FD101", "FD102", "FD103", "FD106", "FD107")
_ON_ALL_WAYS = ("FD101", "FD107", "FD108")
_OF_OBJECTS = ("FD105", "FD108", "FD204")  # what an object without its constructor cannot show
PROVED, NOT_REACHED, REFUTED = "proved", "not reached", "refuted"


class Outcome(NamedTuple):
    """One run. ``shown``: it has the defect. ``why``: what is against it. ``followed``: it took the whole trace, and no
    stand-in got the descriptor. ``stubs``: the functions that stand-ins replaced."""

    shown: bool
    why: str
    followed: bool
    watch: Watch
    choices: Choices
    stubs: list[str]


class Verdict(NamedTuple):
    """The answer of a proof. ``premises``: what a run needs."""

    verdict: str
    reason: str
    premises: tuple[str, ...] = ()


class Search:
    """The runs of one defect."""

    def __init__(self, defect: Defect) -> None:
        self._defect = defect
        self._watch: Watch | None = None
        self._module: ModuleType | None = None
        self._files = frozenset(os.path.realpath(path) for path, _ in defect.steps)
        left_out = STOOD_IN_FOR if defect.code == "FD401" else ()
        self._imports = Imports(os.path.realpath(defect.top), self._files, left_out)
        self._frees_zero = False
        self._around = Surroundings(Choices(()), frozenset())
        self._roll: Roll | None = None
        self._stubs = Stubs()

    def verdict(self) -> Verdict:
        """Tries run after run."""
        occupy()
        signal.signal(signal.SIGALRM, _too_long)
        tame(
            lambda number, frame: self._watch.close_seen(number, frame) if self._watch is not None else None,
            self._pick,
        )
        if self._defect.code == "FD401":
            place_workers(self._workers_seen, lambda: self._roll)
            gc.freeze()  # each run collects garbage several times, and none of what is there is any
        warnings.simplefilter("ignore")
        if self._defect.calls:
            try:
                name = self._defect.module
                self._module = self._imports.run(lambda: importlib.import_module(name), name.partition(".")[0])
            except BaseException as error:
                return Verdict(NOT_REACHED, f"the module cannot be imported: {type(error).__name__}: {error!s:.200}")
        provide_files()
        return self._searched()

    def _searched(self) -> Verdict:
        waiting, end = Waiting(), time.process_time() + _SECONDS  # another program can have the processor
        against: dict[str, int] = collections.Counter()
        followed = False
        for given in waiting:
            if time.process_time() > end:
                break
            one = self._run(given)
            if one.shown and all(self._run(tuple(one.choices.made)).shown for _ in range(TIMES - 1)):
                return Verdict(PROVED, f"{TIMES} calls of {TIMES} show it", self._premises(one))
            if not one.shown and one.watch.failing is not None and self._stubs.add(one.watch.failing):
                waiting.again(given)
                waiting.again(())
            against[one.why] += 1 + 100 * one.watch.progress
            followed |= one.followed
            waiting.add(one.choices, one.watch.progress)
        if (
            followed
            and self._defect.code in _REFUTABLE
            and not any(why.startswith(("a stand-in", "something")) for why in against)
        ):
            return Verdict(REFUTED, "runs that take the trace end without the defect")
        return Verdict(NOT_REACHED, max(against, key=lambda why: against[why], default="there was no run"))

    def _premises(self, one: Outcome) -> tuple[str, ...]:
        gone = [f"`{name}` is not installed, and a stand-in takes its place" for name in sorted(self._imports.missing)]
        if self._defect.code == "FD401":
            gone = ["objects without processes stand in for those with workers, and nothing ends or keeps them"]
        gone += [
            f"a stand-in takes the place of `{name}`, which fails with other stand-ins" for name in self._stubs.names
        ]
        return (*one.watch.raised, *gone)

    def _pick(self, count: int) -> int:
        return self._around.choices.pick(count)

    def _workers_seen(self, frame: FrameType) -> tuple[Surroundings, Roll | None]:
        """What an object with workers belongs to. Without a roll it does not matter."""
        here = self._watch is not None and self._watch.is_within(frame)
        return self._around, self._roll if here else None

    def _run(self, given: tuple[int, ...]) -> Outcome:
        """Runs the code with these answers. A test of a number needs two runs: with 0, and with another number."""
        if self._defect.code != "FD205":
            return self._once(given)
        self._frees_zero = True
        try:
            zero = self._once(given)
        finally:
            self._frees_zero = False
            occupy_zero()
        if not zero.shown:
            return zero
        other = self._once(tuple(zero.choices.made))
        if not other.why and zero.watch.after != other.watch.after:
            ways = [
                f"line {way[-1]} follows" if way[-1] else "it returns" for way in (zero.watch.after, other.watch.after)
            ]
            zero.watch.raised.append(f"the descriptor has the number 0: {ways[0]}; with another number {ways[1]}")
            return zero
        return zero._replace(shown=False, why="the way is the same for the number 0 and for another one")

    def _once(self, given: tuple[int, ...]) -> Outcome:
        choices = Choices(given)
        around, shared = Surroundings(choices, self._files), self._imports.around
        shared.choices, shared.taken, shared.own = choices, around.taken, around.own
        self._watch = watch = Watch(self._defect, choices, around)
        self._around, self._roll = around, Roll()
        self._stubs.begin(around)
        before = opened().keys()
        signal.setitimer(signal.ITIMER_REAL, _OF_A_RUN)
        keeping: list[Any] = []
        why, escaped = "", True
        try:
            watch.start()
            self._called(around, keeping)
            escaped = False
        except Halted as error:
            why = str(error)
        except SystemExit:
            why = "the process ends there"
        except EnoughLost:
            why = ""
        except BaseException as error:  # the watch has judged it
            why = "" if isinstance(error, Exception) else type(error).__name__
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            watch.end()
        if not escaped and self._defect.code in _ON_ALL_WAYS:
            watch.strayed = ""  # the code has handled it
        shown, why = (False, why) if why else self._judged(watch, around, keeping)
        self._watch = None
        followed = why == _CLOSED and watch.progress == len(self._defect.steps)
        keeping.clear()
        _clear(around, before)
        followed &= bool(watch.raised or not self._defect.raising)
        return Outcome(shown, why, followed, watch, choices, self._stubs.names)

    def _judged(self, watch: Watch, around: Surroundings, keeping: list[Any]) -> tuple[bool, str]:
        if watch.strayed:
            return False, f"a run leaves the trace by {watch.strayed}"
        code = self._defect.code
        if code == "FD401":
            shown = self._roll is not None and self._roll.lost() >= LOST
            return shown, "" if shown else "no run makes two objects that nobody ends or keeps"
        if code in _OF_USES:
            return _misused(code, watch, around)
        if not watch.acquired and not watch.closed:
            why = f"a run leaves the trace by {watch.failed}" if watch.failed else "no run acquires a descriptor there"
            return False, why
        if code in _INHERITED:
            return watch.inheritable, "" if watch.inheritable else "no run leaves it inheritable"
        enters = watch.raised and self._defect.calls[-1:] and "__enter__" in self._defect.calls[-1]
        if code == "FD108" or enters:
            keeping.clear()
        gc.collect()
        left = {one for one, what in watch.acquired.items() if identity(~one) == what}
        if not left:
            return False, _CLOSED
        lost = left - held(left) - owned_by_objects()
        if not lost:
            return False, "something holds the descriptor"
        return (True, "") if lost - around.taken else (False, "a stand-in gets the descriptor, and can have kept it")

    def _called(self, around: Surroundings, keeping: list[Any]) -> None:
        if self._module is None:
            keeping.append(self._of_module(around))
        early = self._defect.code == "FD205" and not around.choices.pick(2)
        if early and self._frees_zero:
            free_zero()  # for what comes as an argument
        for name in self._defect.calls:
            *owners, last = name.split(".")
            owner: Any = self._module
            for each in owners:
                owner = getattr(owner, each)
            if not owners or isinstance(inspect.getattr_static(owner, last, None), staticmethod | classmethod):
                function = getattr(owner, last)
            elif last in ("__init__", "__new__"):
                function = owner
            else:
                if not any(isinstance(one, owner) for one in keeping):
                    keeping.append(self._made(owner, around, keeping))
                function = getattr(next(one for one in keeping if isinstance(one, owner)), last)
            given, named = arguments(function, around)
            keeping += (given, named)  # what they hold is not lost
            if self._frees_zero and not early:
                free_zero()
            keeping.append(_finished(function(*given, **named), around))

    def _of_module(self, around: Surroundings) -> Any:
        """Runs the code at the level of the module, as a program or as an import."""
        name = "imported" if around.choices.pick(2) else "__main__"
        return self._imports.run(lambda: runpy.run_path(os.path.realpath(self._defect.path), run_name=name), "")

    def _made(self, owner: Any, around: Surroundings, keeping: list[Any]) -> Any:
        bare = self._defect.code not in _OF_OBJECTS and around.choices.pick(2)
        if not bare:
            begin = owner.__init__
            given, named = arguments(begin, around, 1) if inspect.isfunction(begin) else arguments(owner, around)
            keeping += (given, named)
            made = owner(*given, **named)
            if self._watch is not None and self._defect.code not in _OF_OBJECTS:
                self._watch.acquired.clear()  # a second call can overwrite what the constructor has acquired
            return made
        missing = {name: _Any(around, name) for name in getattr(owner, "__abstractmethods__", ())}
        kind = type(owner.__name__, (owner,), {**missing, "__init__": _nothing, "__getattr__": _Any(around)})
        try:
            return object.__new__(kind)
        except TypeError:  # it is an exception, or something else with a layout of its own
            return kind()


def _misused(code: str, watch: Watch, around: Surroundings) -> tuple[bool, str]:
    """Whether a run misuses a number, and what is against it."""
    if code == "FD203":
        shown, why = watch.stolen or watch.misused, "no run closes the number of a living object"
    elif code == "FD205":
        shown, why = watch.has_zero and bool(watch.after), "no run has the descriptor 0 there"
    elif code == "FD206":
        shown = bool(watch.registered & (registered() | around.registered))
        why = "no run closes the number of a selector that goes on"
    elif code == "FD207":
        gc.collect()
        shown = watch.misused or bool(stale() - around.taken)
        why = "no run keeps the number of an object that is gone"
    else:
        shown, why = watch.misused, "no run uses the number after its end"
    return shown, "" if shown else why


_CLOSED = "the descriptor is closed"


def _nothing(self: object) -> None: ...


class _Any:
    """Gives an object without its constructor the attributes that it is asked for. ``method``: it is one of them."""

    def __init__(self, around: Surroundings, method: str = "") -> None:
        self._around, self._method = around, method

    def __get__(self, owner: Any, kind: type) -> Any:
        if self._method:
            return StandIn(self._around, f"self.{self._method}")

        def found(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            made = StandIn(self._around, f"self.{name}")
            vars(owner)[name] = made
            return made

        return found


def _finished(result: Any, around: Surroundings) -> Any:
    """Runs what a call returns to its end: a coroutine, a generator, a context manager."""
    if inspect.iscoroutine(result):
        trio: Any = sys.modules.get("trio")
        if isinstance(trio, ModuleType) and hasattr(trio, "run") and not around.choices.pick(2):
            return trio.run(lambda: result)
        return asyncio.run(result)
    if inspect.isgenerator(result):
        if around.choices.pick(2):
            next(result)
            with contextlib.suppress(StopIteration):
                result.throw(MadeError("made by the proof"))
        for _ in itertools.islice(result, 20):
            pass
        result.close()
    elif isinstance(result, contextlib._GeneratorContextManager):
        with contextlib.suppress(MadeError), result:
            if around.choices.pick(2):
                raise MadeError("made by the proof")
    return result


def _clear(around: Surroundings, before: Set[int]) -> None:
    """Closes what the run has left. ``before``: what was open when it began."""
    around.end()
    unregister_all()
    if new := opened().keys() - before:
        gc.collect()
        for one in new & opened().keys() - owned_by_objects():
            with contextlib.suppress(OSError):  # a thread of a pool has closed it
                os.close(~one)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _too_long(*_: object) -> None:
    raise Halted("a run takes too long")
