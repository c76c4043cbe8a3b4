"""Unknown objects that a generated function receives or creates."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .managed import Managed
from .table import Descriptor, State, is_own_object
from .world import World


class Stack(contextlib.ExitStack):
    """An ``ExitStack``: it owns what is registered with it, and closes that on exit."""

    def __init__(self, world: World | None = None, closer: object = None) -> None:
        super().__init__()
        self._world = world  # ``pop_all`` creates another stack without arguments
        self._closer = closer  # ``os.close``

    def callback(self, callback: Any, /, *args: Any, **kwds: Any) -> Any:
        """Registers a callback, and takes over the descriptor that it will close."""
        if self._world is None:
            return super().callback(callback, *args, **kwds)
        table = self._world.table
        end = table.closer(callback if callback != self._closer else args)
        self._world.keep(callback, args, kwds)
        done = super().callback(callback, *args, **kwds)
        super().callback(end)  # runs before the callback
        return done

    def enter_context(self, cm: Any) -> Any:
        """Enters a context manager, and keeps it."""
        if self._world is None or not is_own_object(cm):
            return super().enter_context(cm)
        self._world.keep(cm)
        return super().enter_context(Managed(self._world, (0, 0), cm))


class Opaque:
    """An unknown object: any method can be called, and it owns what is stored in it."""

    def __init__(self, world: World) -> None:
        object.__setattr__(self, "_world", world)

    def __getattr__(self, name: str) -> Any:
        return self._world.call

    def __setattr__(self, name: str, value: object) -> None:
        self._world.keep(value)
        object.__setattr__(self, name, value)


class Stream(Opaque):
    """A file object, which owns its descriptor. Entering it is a call like any other.

    After a failed entry its ownership is in doubt, although a real file object never fails there.
    """

    def own(self, rows: Iterator[Descriptor]) -> None:
        """Takes over all that is not closed yet."""
        object.__setattr__(self, "_rows", [row for row in rows if row.state is not State.CLOSED])
        self._mark(owned=True)

    def _mark(self, *, owned: bool) -> None:
        for row in self._rows:
            row.owned = owned

    def __enter__(self) -> Stream:
        self._mark(owned=False)
        self._world.call()
        self._mark(owned=True)
        return self

    def __exit__(self, *_: object) -> None:
        return None


class OuterList(list[object]):
    """A list from the caller: it outlives the function."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def append(self, item: object, /) -> None:
        """Adds an item, and hands it over."""
        self._world.keep(item)
        super().append(item)

    def extend(self, items: Any, /) -> None:
        """Adds items, and hands them over."""
        for item in items:
            self.append(item)


class OuterDict(dict[object, object]):
    """A dict from the caller: it outlives the function."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def __setitem__(self, key: object, value: object, /) -> None:
        self._world.keep(value)
        super().__setitem__(key, value)


class Items:
    """An opaque iterable and its own iterator: any number of iterations up to the bound."""

    def __init__(self, world: World, *, raises: bool) -> None:
        self._world = world
        self._raises = raises
        self._round = 0

    def __iter__(self) -> Items:
        return Items(self._world, raises=self._raises)

    def __next__(self) -> str:
        outcomes = 1 if self._round == self._world.rounds else 2
        if self._raises:
            chosen = self._world.may_raise(outcomes=outcomes)
        else:
            self._world.quiet()
            chosen = self._world.choose(outcomes)
        if chosen == 0:
            raise StopIteration
        self._round += 1
        return "item"


class Flag:
    """A parameter that is only tested for truth: one result per run."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._truth: bool | None = None

    def __bool__(self) -> bool:
        if self._truth is None:
            self._truth = bool(self._world.choose(2))
        return self._truth


class Number:
    """A parameter that is only compared: one result per run for each comparison."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._answers: dict[object, bool] = {}

    def __gt__(self, other: object) -> bool:
        if other not in self._answers:
            self._answers[other] = bool(self._world.choose(2))
        return self._answers[other]


class Choice:
    """A parameter that is compared with a few constants: equal to at most one of them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._value: object = None
        self._not: set[object] = set()

    def __eq__(self, other: object) -> bool:
        if self._value is None and other not in self._not:
            if self._world.choose(2):
                self._value = other
            else:
                self._not.add(other)
        return self._value == other

    __hash__ = None  # type: ignore[assignment]


GIVEN = ("given", "first", "second")
"""Parameters for which a caller passes a descriptor of its own."""
_NONE = re.compile(r"\b(given|first|second) is (not )?None\b")
_MINUS = re.compile(r"\b(given|first|second) (<|>=|>|!=|==) (0|-1)\b")


def arguments(names: Sequence[str], source: str, world: World) -> dict[str, object]:
    """Returns a value for each parameter of the function under test, by its name.

    If a function of the ``source`` tests whether it received a descriptor, the value may be none.
    """
    none = [*([None] if _NONE.search(source) else []), *([-1] if _MINUS.search(source) else [])]
    numbers: list[int | None] = [7, *none]

    def given() -> int | None:
        number = numbers[world.choose(len(numbers))]
        world.lenient = world.lenient or number is None
        return number

    makers: dict[str, Callable[[], object]] = {
        **dict.fromkeys(("a", "b", "c", "keep"), lambda: Flag(world)),
        **dict.fromkeys(GIVEN, given),
        "n": lambda: Number(world),
        "kind": lambda: Choice(world),
        "items": lambda: Items(world, raises=True),
        **dict.fromkeys(("out", "bag"), lambda: OuterList(world)),
        "registry": lambda: OuterDict(world),
        "opt": lambda: Opaque(world) if world.choose(2) else None,
        "src": lambda: 0,
        "path": lambda: "path",
        "fallback": lambda: None,
    }
    return {name: makers[name]() if name in makers else Opaque(world) for name in names}
