"""Replaces functions of Python's library for a time, in each module that has them."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any, TypeAlias

from fdlint.runtime.recording.standing_in import StandIn

Called: TypeAlias = Callable[[Callable[..., Any], Any, Any], Any]
"""Gets the original and the arguments of a call, and returns its result."""


class Replacements:
    """What is replaced now."""

    def __init__(self) -> None:
        self._placed: list[tuple[Any, str, Any, Any]] = []

    def put(self, module_name: str, class_name: str, name: str, called_by: Callable[[str], Called]) -> None:
        """Replaces a function, or a name of a class. ``called_by`` gets its dotted name, and returns what is called in
        its place. What this system lacks is left out."""
        try:
            home = importlib.import_module(module_name)
            home = getattr(home, class_name) if class_name else home
            original = getattr(home, name)
        except (ImportError, AttributeError):  # another system has it
            return
        if any(original is placed for _, _, _, placed in self._placed):  # `io.open` is `builtins.open`
            return
        # The class that a selector uses is called by its own name.
        api = f"{original.__module__}.{original.__qualname__}" if class_name else f"{module_name}.{name}"
        called = called_by(api)
        function = isinstance(original, types.FunctionType)
        placed: Any = _function_for(original, called) if function else StandIn(original, called)
        for each in (home, sys.modules.get(original.__module__)):  # `os.dup` is `posix.dup`, and pickles by that name
            if each is not None and vars(each).get(name) is original:
                setattr(each, name, placed)
                self._placed.append((each, name, original, placed))

    def put_back(self) -> None:
        """Puts back what is replaced, unless something else has replaced it since."""
        for home, name, original, placed in reversed(self._placed):
            if vars(home).get(name) is placed:
                setattr(home, name, original)
        self._placed.clear()


def _function_for(original: types.FunctionType, called: Called) -> Callable[..., Any]:
    """Returns a function: a class makes a method of it, as of the original."""

    @functools.wraps(original, updated=())
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        return called(original, args, kwargs)

    return stand_in
