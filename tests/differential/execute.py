"""Runs each function of a generated module along all its paths and records the fate of every descriptor."""

from __future__ import annotations

import ast
import contextlib
import enum
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from types import CodeType
from typing import Any

from .decisions import Decisions, Guesses, PathPruned, explore
from .instrument import Instrument, Root, roots
from .modules import Modules
from .opaque import arguments
from .shape import PROGRAM, Place, Shape, own_calls
from .table import How, Misdeed, State, Table
from .world import AGAIN, CALL, World


class InvalidProgram(Exception):
    """On one of its paths, the program does something that the contract does not cover."""


class Exit(enum.Enum):
    """How a run left the function."""

    NORMAL = "normal"
    RAISE = "raise"  # by a `raise` of the function
    EXCEPTION = "exception"  # by an exception of a call
    NONE = "none"  # the run was cut


@dataclass(frozen=True, slots=True)
class Ending:
    """One loss of a descriptor of a site. ``exit`` is how the function was left later.

    ``again``: an exception that a bare ``raise`` of the function raised again.
    """

    how: How
    exit: Exit
    sent: bool
    spawned: bool
    again: bool = False


@dataclass(slots=True)
class Site:
    """One acquiring call, and the fate of its descriptors, over all paths."""

    place: Place
    received: bool = False
    seen: set[int] = field(default_factory=set)  # which of the call's descriptors occurred
    spared: set[int] = field(default_factory=set)  # which of them a run released
    impossible: bool = False  # a run that acquired it takes an item from an empty list
    completed: bool = False  # a run that does not, and that no exception ends
    endings: set[Ending] = field(default_factory=set)

    @property
    def released(self) -> bool:
        """Whether a run closes or hands over each of the call's descriptors."""
        return self.seen <= self.spared


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled generated module, with the hooks that cut impossible runs, and its functions."""

    source: str
    shape: Shape
    code: CodeType
    roots: tuple[Root, ...]


def compile_program(source: str) -> Program:
    """Compiles the functions and classes in ``source``."""
    tree = ast.parse(source)
    shape = Shape(tree)
    own = own_calls(tree)
    if any(is_hook(node) for owner in tree.body if isinstance(owner, ast.ClassDef) for node in owner.body):
        raise InvalidProgram("a method without a body is there to be overridden")
    hooked = ast.fix_missing_locations(Instrument(own).visit(tree))
    found = roots(hooked)
    body = [node for node in hooked.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    body += [node for root, node in found if node not in body and "." not in root.name]
    code = compile(ast.Module([*body], []), PROGRAM, "exec", dont_inherit=True)
    return Program(source, shape, code, tuple(root for root, node in found if _may_acquire(node)))


def is_hook(node: ast.stmt) -> bool:
    """Whether a method has no body, so that it is there to be overridden."""
    return isinstance(node, ast.FunctionDef) and all(isinstance(inner, ast.Pass) for inner in node.body)


def _may_acquire(node: ast.FunctionDef) -> bool:
    """Whether it acquires, or calls a function of the module, which might."""
    names = {"_site", "_own"}
    return any(
        (isinstance(inner, ast.keyword) and inner.arg in names) or (isinstance(inner, ast.Name) and inner.id in names)
        for inner in ast.walk(node)
    )


class _Run:
    """One run: calls the function, then drops everything it held."""

    def __init__(self, program: Program, root: Root, rounds: int) -> None:
        self._program = program
        self._root = root
        self._rounds = rounds
        self.sites: dict[Place, Site] = {}
        self.reached: set[Place] = set()
        self.misdeeds: set[Misdeed] = set()
        self.alone: set[tuple[int, Place]] = set()
        self.ended: set[tuple[Place, int | None, frozenset[int]]] = set()
        self.watched: set[int] = set()

    def __call__(self, decisions: Decisions) -> None:
        table = Table(self._program.shape)
        world = World(table, decisions, self._rounds)
        leave = self._call(table, world)
        for frame in world.frames:
            frame.clear()
        if table.invalid:
            raise InvalidProgram(table.invalid)
        if not table.pruned and table.open_rows():
            gc.collect()
            assert not table.open_rows(), f"something holds a descriptor:\n{self._program.source}"
        self._note(table, Exit.NONE if table.pruned else leave)

    def _call(self, table: Table, world: World) -> Exit:
        leave = Exit.NORMAL
        try:
            args = arguments(self._root.parameters, self._program.source, world)
            function = self._function(Modules(world).namespace())
            table.settle(function(**args), State.HANDED_OVER)
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

    def _function(self, namespace: dict[str, Any]) -> Callable[..., object]:
        """The function under test, bound to an object if it is a method, in a module of its own."""
        exec(self._program.code, namespace)
        owner, _, name = self._root.name.rpartition(".")
        holder = namespace[owner] if owner else None
        if self._root.method:
            return getattr(object.__new__(holder), name)  # type: ignore[no-any-return]
        return getattr(holder, name) if owner else namespace[name]  # type: ignore[no-any-return]

    def _note(self, table: Table, leave: Exit) -> None:
        self.reached |= table.reached
        self.misdeeds |= table.misdeeds
        self.watched |= table.watched
        self.alone |= table.alone
        if leave in (Exit.NORMAL, Exit.RAISE):
            ended = (row for row in table.rows if row.state is not State.OPEN)
            self.ended |= {(row.place, row.ended_at, frozenset(row.misused_at)) for row in ended}
        losses = table.lost()
        rows = [row for row in table.rows if not row.depth]
        lost = {(loss.descriptor.instance, loss.descriptor.index) for loss in losses}
        for loss in losses:
            if loss.how is How.LEFT and leave is Exit.NONE:
                continue
            how = Ending(loss.how, leave, loss.sent, loss.spawned, table.again)
            self._site(loss.descriptor.place).endings.add(how)
        for row in rows:
            site = self._site(row.place)
            site.impossible = site.impossible or table.impossible
            site.completed = site.completed or not (table.impossible or leave is Exit.EXCEPTION)
            site.received = site.received or row.place in table.received
            site.seen.add(row.index)
            if row.state is not State.OPEN and (row.instance, row.index) not in lost:
                site.spared.add(row.index)

    def _site(self, where: Place) -> Site:
        return self.sites.setdefault(where, Site(where))


@dataclass(slots=True)
class Runs:
    """The results of all runs. ``reached``: the calls that acquire, or might, and that a run has made. ``alone``: the
    lines that closed or used a descriptor of a place that was open. ``ended``: how completed runs treated the
    descriptors of a place that had ended: the line of the first close, and the lines of the misdeeds."""

    sites: dict[Place, Site] = field(default_factory=dict)
    reached: set[Place] = field(default_factory=set)
    misdeeds: set[Misdeed] = field(default_factory=set)
    watched: set[int] = field(default_factory=set)
    alone: set[tuple[int, Place]] = field(default_factory=set)
    ended: set[tuple[Place, int | None, frozenset[int]]] = field(default_factory=set)

    def is_due(self, misdeed: Misdeed) -> bool:
        """Whether silence about a misdeed is an error. It is none if the end and the misdeed hang on conditions of
        their own: one run has the misdeed's line without an earlier end, another has the end without the misdeed. The
        author may know that the two conditions exclude each other."""
        where, line = misdeed.place, misdeed.line
        apart = any(place == where and first != line and line not in misdeeds for place, first, misdeeds in self.ended)
        return not (misdeed.doubtful or (apart and (line, where) in self.alone))


def misdeeds_by_chance(program: Program, rounds: int, count: int) -> Iterator[set[Misdeed]]:
    """Yields the misdeeds seen so far, after each of ``count`` random runs of each function. Their loops may run more
    iterations than those of ``run_all``: this shows that something can happen, not that it cannot."""
    for root in program.roots:
        run = _Run(program, root, rounds)
        rng = Random(1)
        for _ in range(count):
            run(Guesses(rng, 200))
            yield run.misdeeds


def run_all(program: Program, rounds: int = 3, max_paths: int = 5000) -> Runs:
    """Returns the fate of each site's descriptors over all paths. Loops run three iterations at most.

    Two iterations were too few (for two of 1,300 functions), and a fourth never changed a leak; for misuse see
    ``misdeeds_by_chance``. Each function runs on its own: the losses of its callees are found when these run.
    """
    runs = Runs()
    for root in program.roots:
        run = _Run(program, root, rounds)
        explore(run, max_paths)
        runs.sites |= run.sites
        runs.reached |= run.reached
        runs.misdeeds |= run.misdeeds
        runs.watched |= run.watched
        runs.alone |= run.alone
        runs.ended |= run.ended
    if any(site.impossible and not site.completed for site in runs.sites.values()):
        raise InvalidProgram("every run takes something from an empty list, unless a call ends it before")
    return runs
