"""A context manager of the generated module in a ``with``, or in an ``ExitStack``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shape import Place

if TYPE_CHECKING:
    from .world import World


class Managed:
    """Calls the methods of a context manager as calls of the module's own functions."""

    def __init__(self, world: World, where: Place, value: Any) -> None:
        self._world = world
        self._where = where
        self._value = value

    def __enter__(self) -> object:
        return self._world.own(self._where, self._value.__enter__)

    def __exit__(self, *_: object) -> object:
        return self._world.own(self._where, self._value.__exit__, None, None, None)


class Closing:
    """``contextlib.closing``."""

    def __init__(self, world: World, where: Place, value: Any) -> None:
        self._world = world
        self._where = where
        self._value = value

    def __enter__(self) -> object:
        return self._value

    def __exit__(self, *_: object) -> object:
        return self._world.own(self._where, self._value.close)
