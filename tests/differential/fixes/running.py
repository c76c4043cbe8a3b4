"""Compiles a generated module, and runs its function, or the methods of its class, along one path."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import CodeType, GeneratorType
from typing import Any

from ..decisions import PathPruned
from ..execute import InvalidProgram
from ..opaque import GIVEN, Opaque, arguments
from ..shape import PROGRAM, Shape
from .fakes import Fakes, Registry, Thing
from .runtime import Runtime, numbers_in
from .script import Diverged, Script

_CALLS = 3
DIVERGED = ("diverged",)
_CONTAINERS: dict[str, Callable[[Runtime], object]] = {
    "out": lambda _: [], "bag": lambda _: [], "seen": lambda _: set(), "registry": Registry,
}  # fmt: skip
"""What the caller passes for some parameters, and keeps."""
_FAKES = Fakes()


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled module. ``methods``: those to call, in any order, on an object; ``run`` alone if there is such a
    function."""

    source: str
    code: CodeType
    shape: Shape
    owner: str | None
    methods: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Ran:
    """A run. ``ended``: how, and with what. ``lost``: the open numbers that nothing holds. ``given``: the numbers that
    something outside holds. ``borrowed``: those of others. ``open``: of all of them. ``stale``: a method began while an
    attribute held a closed number. ``ends``: which end of a pair a number is. ``broken``: something raised what no call
    raises: the program is wrong in another way."""

    ended: tuple[object, ...]
    log: Sequence[tuple[object, ...]]
    lost: frozenset[int]
    given: frozenset[int]
    borrowed: frozenset[int]
    open: frozenset[int]
    misdeeds: Sequence[tuple[str, object]]
    lines: dict[int, tuple[int, ...]]
    misused_at: set[int]
    stale: bool
    ends: dict[int, int] = field(default_factory=dict)
    broken: bool = False


class _Hooks(ast.NodeTransformer):
    """Counts rounds, notes what functions of the module return and what handlers catch, turns assertions into
    assumptions, and lets no handler catch what belongs to the test."""

    def __init__(self, tree: ast.Module) -> None:
        self._own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        node.body.insert(0, self._call("_round", node))
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in self._own:
            return node
        call = ast.Call(ast.Name("_returned", ast.Load()), [node], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return self._call("_assume", node, node.test)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        node.type = node.type or ast.copy_location(ast.Name("Exception", ast.Load()), node)
        node.body.insert(0, self._call("_caught", node))
        return node

    def _call(self, name: str, at: ast.stmt | ast.ExceptHandler, *args: ast.expr) -> ast.stmt:
        call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), list(args), []))
        return ast.fix_missing_locations(ast.copy_location(call, at))


def compiled(source: str) -> Program:
    """Compiles a module. Raises ``InvalidProgram`` if it uses a name that nobody binds."""
    tree = ast.parse(source)
    shape = Shape(tree)
    unknown = _loaded(tree) - _bound(tree) - _FAKES.names.keys() - vars(builtins).keys()
    if unknown:
        raise InvalidProgram(f"nobody binds {min(unknown)}")
    tree.body = [node for node in tree.body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    owner, methods = _chosen(tree)
    code = compile(ast.fix_missing_locations(_Hooks(tree).visit(tree)), PROGRAM, "exec")
    return Program(source, code, shape, owner, methods)


def _loaded(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _bound(tree: ast.Module) -> set[str]:
    """Returns the names that some code of a module binds."""
    nodes = list(ast.walk(tree))
    found = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    found |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    found |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return found | {node.name for node in nodes if isinstance(node, (ast.ExceptHandler, ast.MatchAs)) and node.name}


def _chosen(tree: ast.Module) -> tuple[str | None, dict[str, list[str]]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "run":
            return None, {"run": _parameters(node)}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if not classes:
        raise InvalidProgram("nothing to run")
    owner = next((one for one in classes if any(_is_run(inner) for inner in one.body)), classes[-1])
    methods = {inner.name: _parameters(inner)[1:] for inner in owner.body if isinstance(inner, ast.FunctionDef)}
    return owner.name, {"run": methods["run"]} if "run" in methods else methods


def _is_run(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "run"


def _parameters(node: ast.FunctionDef) -> list[str]:
    return [one.arg for one in (*node.args.args, *node.args.kwonlyargs)]


def ran(program: Program, script: Script) -> Ran | None:
    """Runs along one path. Returns None if that is not a path: too long, or an assertion fails. ``program``: for a
    replay, its ``shape`` does not count."""
    run = _FAKES.run = Runtime(script, program.shape)
    names: dict[str, Any] = dict(_FAKES.names)
    try:
        exec(program.code, names)
        ended = _Calls(program, run, names).all()
        for function, args in run.later:
            ended = (*ended, *_outcome(run, partial(function, *args)))
    except Diverged:
        ended = DIVERGED
    except PathPruned:
        return None
    run.keep(*(value for name, value in names.items() if name not in _FAKES.names and name != "__builtins__"))
    held = set(run.known_in(run.roots))
    for owner in run.owners:
        if owner.is_open and owner.number not in held and ended != DIVERGED:
            owner.close()
    own = frozenset(run.lines)
    return Ran(
        ended=ended, log=run.log, lost=(own & run.open) - held - run.doubtful, given=own & held,
        borrowed=frozenset(run.borrowed), open=frozenset(run.open), misdeeds=run.misdeeds, lines=run.lines,
        misused_at=run.misused_at, stale=run.stale, ends=run.ends,
        broken=run.broken,
    )  # fmt: skip


class _Calls:
    """The calls that a run makes from outside."""

    def __init__(self, program: Program, run: Runtime, names: dict[str, Any]) -> None:
        self._program, self._run, self._names = program, run, names

    def all(self) -> tuple[object, ...]:
        """Makes the calls. Returns how they ended."""
        program = self._program
        if program.owner is None:
            return self._call(self._names["run"], program.methods["run"])
        owner = self._names[program.owner]
        last = owner.__dict__.get("__del__")
        if last is not None:
            del owner.__del__  # the run calls it once, at its end
        holder = object.__new__(owner)
        self._run.keep(holder)
        ended: tuple[object, ...] = ()
        if "__init__" in program.methods:
            ended = self._call(holder.__init__, program.methods["__init__"])
        others = [name for name in program.methods if name not in ("__init__", "__del__")]
        if "run" in program.methods:
            return (*ended, *self._call(holder.run, program.methods["run"]))
        for _ in range(_CALLS):
            chosen = self._run.choose(len(others) + 1)
            if not chosen:
                break
            name = others[chosen - 1]
            self._note_stale(holder)
            ended = (*ended, *self._call(getattr(holder, name), program.methods[name]))
        self._note_stale(holder)
        return ended if last is None else (*ended, *self._call(lambda: last(holder), []))

    def _note_stale(self, holder: object) -> None:
        self._run.stale |= any(self._run.is_known(one, closed=True) for one in numbers_in(vars(holder)))

    def _call(self, function: Callable[..., object], parameters: list[str]) -> tuple[object, ...]:
        args = self._arguments(parameters)
        self._run.keep(*args.values())
        return _outcome(self._run, lambda: function(**args))

    def _arguments(self, parameters: list[str]) -> dict[str, object]:
        run = self._run
        made = arguments(parameters, self._program.source, run)  # type: ignore[arg-type]
        for name, value in made.items():
            if name in _CONTAINERS:
                made[name] = _CONTAINERS[name](run)
            elif isinstance(value, Opaque):
                made[name] = Thing(run, name)
            elif (name in GIVEN and value == 7) or name == "src":
                made[name] = run.borrow()
        return made


def _outcome(run: Runtime, call: Callable[[], object]) -> tuple[object, ...]:
    try:
        result = call()
        if isinstance(result, GeneratorType):
            for one in result:
                run.log.append(("yield", run.plain(one), frozenset(run.open)))
                run.keep(one)
            result = None
        run.keep(result)
        return ("return", run.plain(result))
    except Exception as error:
        run.note(error)
        error.__traceback__ = None
        return ("raise", type(error).__name__, *map(str, error.args))
