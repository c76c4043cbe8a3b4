"""An object that stands for a builtin function and is told of each call.

A Python function in its place would change programs: it becomes a method when a class has it as an attribute, and it
does not pickle by the name of the builtin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsIndex


class StandIn:
    """Calls ``original`` by way of ``called(original, args, kwargs)``. In everything else it is like the original: its
    attributes, its hash and its pickle are the original's. Only ``type()`` shows the difference."""

    __slots__ = ("__weakref__", "_called", "_original")

    def __init__(self, original: Callable[..., Any], called: Callable[..., Any]) -> None:
        _set_original(self, original)
        _set_called(self, called)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Returns what the original returns."""
        return _called(self)(_original(self), args, kwargs)

    def __getattribute__(self, name: str) -> Any:
        return getattr(_original(self), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(_original(self), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_original(self), name)

    def __dir__(self) -> list[str]:
        return dir(_original(self))

    def __repr__(self) -> str:
        return repr(_original(self))

    def __eq__(self, other: object) -> bool:
        return other is self or bool(_original(self) == other)

    def __hash__(self) -> int:
        return hash(_original(self))

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        return _original(self).__reduce_ex__(protocol)


# The class answers for the original, so its own slots are reached past ``__getattribute__``.
_original: Callable[[StandIn], Callable[..., Any]] = vars(StandIn)["_original"].__get__
_called: Callable[[StandIn], Callable[..., Any]] = vars(StandIn)["_called"].__get__
_set_original: Callable[[StandIn, object], None] = vars(StandIn)["_original"].__set__
_set_called: Callable[[StandIn, object], None] = vars(StandIn)["_called"].__set__
