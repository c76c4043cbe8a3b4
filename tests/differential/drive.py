"""Drives the objects of a generated class: ``__init__``, then its public methods in every order.

The next method is a decision like any other, so all sequences up to a length run, along all paths.
"""

from __future__ import annotations

import ast
import contextlib
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from .decisions import Decisions, PathPruned, TooManyPaths, explore
from .execute import InvalidProgram, is_hook
from .instrument import Instrument
from .lives import ClosedAgain, Lives, Overwritten
from .modules import Modules
from .opaque import arguments
from .shape import PROGRAM, Place, Shape, own_calls
from .table import State
from .world import World

CALLS = 3
"""The number of public methods called after ``__init__``: one fills, one closes or fails to, one finds the rest.

Some defects take one more. The test makes as many of those longer runs as time allows.
"""
LONGER = 3_000
LENDING = frozenset({"fileno", "__enter__"})


@dataclass(frozen=True, slots=True)
class ClassProgram:
    """A generated class. ``public``: the methods that other code may call, by name, with their parameters."""

    source: str
    name: str
    code: CodeType
    shape: Shape
    public: dict[str, list[str]]
    stored: frozenset[str]  # attributes that the class sets
    outside: frozenset[str]  # attributes that code outside the class closes
    closing: frozenset[str]  # attributes that the text of the class closes, in a run or not


@dataclass(slots=True)
class Life:
    """The history of a class's attributes over all runs. ``acquired``: attribute -> the calls that filled it."""

    overwritten: set[Overwritten] = field(default_factory=set)
    again: set[ClosedAgain] = field(default_factory=set)
    reset: set[int] = field(default_factory=set)  # lines of closes that an outside call follows by a reset
    released: set[str] = field(default_factory=set)
    acquired: dict[str, set[Place]] = field(default_factory=dict)
    strayed: set[Place] = field(default_factory=set)
    declined: set[int] = field(default_factory=set)  # lines that closed a non-descriptor
    made: bool = False  # ``__init__`` returned
    reached: set[int] = field(default_factory=set)  # lines that acquired or closed something
    fillers: set[tuple[str, str]] = field(default_factory=set)  # attribute, public method that fills it


def compile_class(source: str) -> ClassProgram:
    """Compiles the one class in ``source``."""
    tree = ast.parse(source)
    shape = Shape(tree)
    node = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    hooks = {method.name for method in node.body if isinstance(method, ast.FunctionDef) and is_hook(method)}
    if hooks & _called(node):
        raise InvalidProgram("a method without a body is there to be overridden")
    public = {name: parameters for name, parameters in _methods(node) if name not in _inner(node)}
    attributes = [inner for inner in ast.walk(node) if isinstance(inner, ast.Attribute)]
    stored = frozenset(inner.attr for inner in attributes if isinstance(inner.ctx, ast.Store))
    others = [other for other in tree.body if other is not node]
    outside = frozenset(name for other in others for name in _closed(other))
    hooked = ast.fix_missing_locations(Instrument(own_calls(tree)).visit(ast.Module([node], [])))
    return ClassProgram(
        source, node.name, compile(hooked, PROGRAM, "exec"), shape, public, stored, outside, frozenset(_closed(node))
    )


def _called(node: ast.ClassDef) -> set[str]:
    """Returns the methods of the same object that a class calls."""
    functions = [inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    return {one.attr for one in functions if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self"}


def _closed(other: ast.stmt) -> list[str]:
    """Returns the attributes that a statement closes directly."""
    calls = [inner for inner in ast.walk(other) if isinstance(inner, ast.Call)]
    closes = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "close"]
    return [arg.attr for call in closes for arg in call.args if isinstance(arg, ast.Attribute)]


def _methods(node: ast.ClassDef) -> list[tuple[str, list[str]]]:
    functions = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
    return [(inner.name, [argument.arg for argument in inner.args.args[1:]]) for inner in functions]


def _inner(node: ast.ClassDef) -> set[str]:
    """Returns the private methods that a method of the class calls, and that are never passed as a value."""
    nodes = list(ast.walk(node))
    called = {id(inner.func) for inner in nodes if isinstance(inner, ast.Call)}
    own = [inner for inner in nodes if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name)]
    names = {inner.attr for inner in own if id(inner) in called} - {
        inner.attr for inner in own if id(inner) not in called
    }
    return {name for name in names if name.startswith("_") and not name.endswith("__")}


def live(program: ClassProgram, max_paths: int = 20_000) -> Life:
    """Run every sequence."""
    life = Life()
    explore(lambda decisions: _Run(program, life, decisions, CALLS).run(), max_paths)
    with contextlib.suppress(TooManyPaths):
        explore(lambda decisions: _Run(program, life, decisions, CALLS + 1).run(), LONGER)
    if not life.made:
        raise InvalidProgram("no object is ever made")
    return life


class _Run:
    """The run of one object, from ``__init__`` on."""

    def __init__(self, program: ClassProgram, life: Life, decisions: Decisions, calls: int) -> None:
        self._program = program
        self._life = life
        self._count = calls
        self._table = Lives(program.shape)
        self._world = World(self._table, decisions, rounds=1)
        self._world.lenient = True
        namespace: dict[str, Any] = Modules(self._world).namespace()
        exec(program.code, namespace)
        self._class = namespace[program.name]
        self._methods = {name: getattr(self._class, name) for name in program.public}
        if "__del__" in self._methods:
            del self._class.__del__  # the run calls it later, once, like any other method
        table = self._table
        self._class.__setattr__ = lambda holder, name, value: table.store(holder, name, value)  # noqa: PLW0108
        self._class.__delattr__ = lambda holder, name: table.store(holder, name, None, delete=True)

    def run(self) -> None:
        """Calls methods until the limit, and records the results."""
        holder = object.__new__(self._class)
        with contextlib.suppress(PathPruned):
            self._calls(holder)
        table = self._table
        table.left = True
        if table.invalid:
            raise InvalidProgram(table.invalid)
        life = self._life
        life.overwritten.update(table.overwritten)
        life.again.update(table.closed_again())
        life.released |= table.released
        life.strayed |= table.strayed
        life.reached |= {line for line, _ in table.reached} | table.closing
        life.declined |= self._world.declined
        for row, names in table.homes.items():
            for name in names:
                life.acquired.setdefault(name, set()).add(row.place)

    def _calls(self, holder: object) -> None:
        others = [name for name in self._methods if name not in ("__init__", "__del__")]
        alive = self._call("__init__", holder) if "__init__" in self._methods else True
        self._life.made = self._life.made or alive
        for _ in range(self._count if alive else 0):
            chosen = self._world.choose(len(others) + 1)
            if not chosen:
                break
            self._call(others[chosen - 1], holder)
        if "__del__" in self._methods:
            self._call("__del__", holder)

    def _call(self, name: str, holder: object) -> bool:
        """Makes one outside call. Returns whether it returned."""
        table, world = self._table, self._world
        table.entry += 1
        normal = True
        try:
            args = arguments(self._program.public[name], self._program.source, world)
            result = self._methods[name](holder, **args)
            if name not in LENDING:
                table.settle(result, State.HANDED_OVER)
            del result
        except AttributeError as error:
            if error.name not in self._program.stored:
                world.reject(f"nobody sets {error.name}")
            if name == "__del__":
                world.prune()  # after an ``__init__`` that raised
            world.decline()  # not set yet, or another method deleted it
        except Exception as error:
            world.vet(error)
            normal = False
        for frame in world.frames:
            frame.clear()
        world.frames.clear()
        table.leave(normal=normal)
        if normal:
            self._life.reset |= {table.closed[row].line for row in table.reset(holder)}
            entered = table.filled.items()
            self._life.fillers |= {(attribute, at.public) for attribute, at in entered if at.entry == table.entry}
        return normal
