"""Finds calls with an unknown target: a subclass in the same file overrides the method or has its own constructor."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.core.ir import Callee
from fdlint.program.units import File, Function


def may_be_overridden(function: Function) -> bool:
    """Whether a subclass in the same file overrides this method, so that the method that runs is unknown."""
    owner, name = function.owner, (function.name or "").rpartition(".")[2]
    return owner is not None and name != _constructor(function) and _has_subclass_with(function, owner, name)


def may_construct_subclass(function: Function, callee: Callee) -> bool:
    """Whether ``cls()`` may create an object of a subclass in the same file that has its own constructor. ``cls`` is
    that of a class method, not a class that came in."""
    owner = callee.owner if callee.constructs and callee.function is None else None
    return owner is not None and _has_subclass_with(function, owner, _constructor(function))


def _constructor(function: Function) -> str:
    return function.file.language.methods.constructor


def _has_subclass_with(function: Function, owner: str, name: str) -> bool:
    file = function.file
    return any(file.defines(f"{subclass}.{name}") for subclass in subclasses_of(file, owner))


def subclasses_of(file: File, owner: str) -> Iterable[str]:
    """Returns the direct and indirect subclasses of a class in its file, without repetition."""
    found: dict[str, None] = {}
    pending = [*reversed(file.subclasses.get(owner, ()))]
    while pending:
        subclass = pending.pop()
        if subclass not in found:
            found[subclass] = None
            pending.extend(reversed(file.subclasses.get(subclass, ())))
    return found
