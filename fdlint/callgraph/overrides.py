"""Where it is not known which function runs, for a class of the same file brings another."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.callgraph.units import File, Function
from fdlint.ir import Call, Callee, Graph


def on_same_object(caller: Graph, call: Call) -> bool:
    """``self.method()`` or ``super().method()`` in a method."""
    return caller.receiver is not None and call.callee.receiver == caller.receiver


def may_be_overridden(function: Function) -> bool:
    """Whether a class of the same file overrides this method: then which one runs is not known."""
    owner, name = function.owner, (function.name or "").rpartition(".")[2]
    return owner is not None and name != _constructor(function) and _has_subclass_with(function, owner, name)


def may_construct_subclass(function: Function, callee: Callee) -> bool:
    """``cls()`` in a class of which the same file has an subclass with a constructor of its own."""
    owner = callee.owner if callee.constructs else None
    return owner is not None and _has_subclass_with(function, owner, _constructor(function))


def _constructor(function: Function) -> str:
    return function.file.language.methods.constructor


def _has_subclass_with(function: Function, owner: str, name: str) -> bool:
    file = function.file
    return any(file.defines(f"{subclass}.{name}") for subclass in subclasses_of(file, owner))


def subclasses_of(file: File, owner: str) -> Iterable[str]:
    """The classes of a file that inherit from one of it, directly or not, each once."""
    found: dict[str, None] = {}
    pending = [*reversed(file.subclasses.get(owner, ()))]
    while pending:
        subclass = pending.pop()
        if subclass not in found:
            found[subclass] = None
            pending.extend(reversed(file.subclasses.get(subclass, ())))
    return found
