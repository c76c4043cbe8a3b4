"""Runs a generated function along all its paths and notes what became of every descriptor."""

from __future__ import annotations

import ast
import contextlib
import enum
import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType
from typing import Any

from .decisions import Decisions, PathPruned, explore
from .modules import Modules
from .opaque import arguments
from .shape import PROGRAM, Place, Shape, acquiring, place
from .table import How, State, Table
from .world import AGAIN, CALL, World


class InvalidProgram(Exception):
    """The program does something on one of its paths that the contract does not speak of."""


class Exit(enum.Enum):
    """How a run left the function."""

    NORMAL = "normal"
    RAISE = "raise"  # one that the function spells out
    EXCEPTION = "exception"  # out of something it called
    NONE = "none"  # the run was cut


@dataclass(frozen=True, slots=True)
class Ending:
    """One way of losing a descriptor of a site; ``exit`` is how the function was left after that.

    ``again``: by an exception that a bare ``raise`` of the function's let go on.
    """

    how: How
    exit: Exit
    sent: bool
    spawned: bool
    again: bool = False


@dataclass(slots=True)
class Site:
    """One acquiring call: what became of what it acquired, over all paths."""

    place: Place
    api: str
    received: bool = False
    released: bool = False
    impossible: bool = False  # a run that acquired it takes something from an empty list
    completed: bool = False  # one that does not, and that no call ends by an exception
    endings: set[Ending] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Program:
    """A generated function, compiled, with the hooks that cut impossible runs."""

    source: str
    shape: Shape
    code: CodeType
    parameters: list[str]


class _Hooks(ast.NodeTransformer):
    """Puts in what the runs need; lines stay as they are.

    Asserts become assumptions, loops count their rounds, handlers vet what they catch, nested functions take over what
    they capture (all of them close it), acquisitions know their place.
    """

    def __init__(self) -> None:
        self._loops = 0
        self._depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt | list[ast.stmt]:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        if not self._depth:
            return node
        return [node, self._call("_capture", node, ast.Name(node.name, ast.Load()))]

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return ast.copy_location(ast.Call(ast.Name("_capture", ast.Load()), [node], []), node)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return self._call("_assume", node, node.test)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if acquiring(node) is not None:
            where = ast.Tuple([ast.Constant(number) for number in place(node)], ast.Load())
            node.keywords.append(ast.keyword("_site", where))
        return node

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        self._loops += 1
        number = ast.Constant(self._loops)
        node.body.insert(0, self._call("_round", node, number))
        return [self._call("_loop", node, number), node]

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        self.generic_visit(node)
        for handler in node.handlers:
            handler.type = handler.type or ast.copy_location(ast.Name("Exception", ast.Load()), handler)
            handler.body.insert(0, self._call("_caught", node))
        if node.finalbody:
            node.finalbody.insert(0, self._call("_caught", node))
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        return node if node.exc is not None else [self._call("_again", node), node]

    def _call(self, name: str, at: ast.stmt, *args: ast.expr) -> ast.stmt:
        call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), list(args), []))
        for node in ast.walk(call):
            if not isinstance(node, ast.expr_context):
                ast.copy_location(node, at)
        return call


def compile_program(source: str) -> Program:
    """The one function in ``source``, a method perhaps, ready to run."""
    tree = ast.parse(source)
    shape = Shape(tree)
    hooked = ast.fix_missing_locations(_Hooks().visit(tree))
    function = next(node for node in ast.walk(hooked) if isinstance(node, ast.FunctionDef))
    enter = ast.parse("_enter()").body[0]
    for node in ast.walk(enter):
        ast.copy_location(node, function)
    function.body.insert(0, enter)
    module = compile(ast.Module([function], []), PROGRAM, "exec")
    code = next(constant for constant in module.co_consts if isinstance(constant, CodeType))
    return Program(source, shape, code, [argument.arg for argument in function.args.args])


class _Run:
    """One run: call the function, then let go of everything it held."""

    def __init__(self, program: Program, rounds: int) -> None:
        self._program = program
        self._rounds = rounds
        self.sites = {where: Site(where, api) for where, api in program.shape.sites.items()}

    def __call__(self, decisions: Decisions) -> None:
        table = Table(self._program.shape)
        world = World(table, decisions, self._rounds)
        frames: list[FrameType] = []
        leave = self._call(table, world, frames)
        for frame in frames:
            frame.clear()
        if table.invalid:
            raise InvalidProgram(table.invalid)
        if not table.pruned and table.open_rows():
            gc.collect()
            assert not table.open_rows(), f"something holds a descriptor:\n{self._program.source}"
        self._note(table, Exit.NONE if table.pruned else leave)

    def _call(self, table: Table, world: World, frames: list[FrameType]) -> Exit:
        namespace: dict[str, Any] = Modules(world).namespace()
        namespace["_enter"] = lambda: frames.append(sys._getframe(1))
        function: Callable[..., object] = FunctionType(self._program.code, namespace)
        leave = Exit.NORMAL
        try:
            args = arguments(self._program.parameters, world)
            table.settle(function(*args), State.HANDED_OVER)
            table.left = True
        except PathPruned:
            table.pruned = True
        except Exception as error:
            table.left = True
            leave = Exit.EXCEPTION if CALL in error.args else Exit.RAISE
            table.again = AGAIN in error.args
            with contextlib.suppress(PathPruned):
                world.vet(error)
        return leave

    def _note(self, table: Table, leave: Exit) -> None:
        lost = {loss.descriptor.instance for loss in table.losses}
        for loss in table.losses:
            if loss.how is not How.LEFT:
                ending = Ending(loss.how, leave, loss.sent, loss.spawned, table.again)
            elif leave is Exit.NONE:
                continue
            else:
                ending = Ending(How.LEFT, leave, loss.sent, loss.spawned, table.again)
            self.sites[loss.descriptor.place].endings.add(ending)
        for row in table.rows:
            site = self.sites[row.place]
            site.impossible = site.impossible or table.impossible
            site.completed = site.completed or not (table.impossible or leave is Exit.EXCEPTION)
            if row.state is State.OPEN:
                lost.add(row.instance)
        for row in table.rows:
            if row.instance not in lost:
                self.sites[row.place].released = True
        for where in table.received:
            self.sites[where].received = True


def run_all(program: Program, rounds: int = 3, max_paths: int = 5000) -> dict[Place, Site]:
    """What becomes of each site's descriptors over all paths; loops go round three times at most.

    Two rounds were seen to be too few (of 1,300 functions for two), a fourth never made a difference.
    """
    run = _Run(program, rounds)
    explore(run, max_paths)
    if any(site.impossible and not site.completed for site in run.sites.values()):
        raise InvalidProgram("every run takes something from an empty list, unless a call ends it before")
    return run.sites
