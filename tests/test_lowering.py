"""Lowering knows all of the syntax: a node of libcst's that fdlint has no entry for fails here, not in a scan."""

from __future__ import annotations

import inspect
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest
from paths import function, lower

from fdlint.core.ir import Call
from fdlint.languages.python.lowering.conditions import _OPERATORS
from fdlint.languages.python.lowering.expressions import EXPRESSIONS
from fdlint.languages.python.lowering.statements import STATEMENTS
from fdlint.languages.python.lowering.texts import _POSITIVE

# One piece of code for each kind of node: it has such a node in it, and it can be lowered.
SNIPPETS: dict[type[cst.CSTNode], str] = {
    cst.AnnAssign: "x: int = a()\ny: int\nself.z: int = b()",
    cst.Assert: "assert a(), b()",
    cst.Assign: "x = y = a()\n(p, [q, *r]), s.t, u[0] = b()",
    cst.Attribute: "x = a.b.c().d",
    cst.AugAssign: "x += a()\ny.z @= b()\nu[0] //= c()",
    cst.Await: "x = await a()",
    cst.BinaryOperation: "x = a() + b - c * d @ e / f // g % h ** i << j >> k & l | m ^ n",
    cst.BooleanOperation: "x = a() and b or c() and d",
    cst.Break: "while a:\n    break",
    cst.Call: "x = a(*b, c, d=e, **f)(g)[h](i for i in j)",
    cst.ClassDef: "@d()\nclass C[T, *U, **P](B(), metaclass=M):\n    x = a()\n    def m(self): return self.x",
    cst.Comparison: "x = a < b() <= c == d != e > f >= g in h not in i is j is not k",
    cst.ConcatenatedString: "x = 'a' f'{b()}' 'c'",
    cst.Continue: "for a in b:\n    continue",
    cst.Del: "del x, (y, [z]), a.b, c[d], c[d:e, f]",
    cst.Dict: "x = {a(): b(), **c(), 'd': e}",
    cst.DictComp: "x = {a: b() async for a, (b, *c) in d() if e if f for g in h}",
    cst.Ellipsis: "x = ...",
    cst.Expr: "a()",
    cst.Float: "x = 1.5e3",
    cst.For: "async for x, (y, *z) in *a, b:\n    pass\nelse:\n    c()",
    cst.FormattedString: "x = f'{a()!r:>{b()}} {c=} {{}}' rf'{d:%Y{e}}' f\"{f'{g}'}\"",
    cst.FunctionDef: "@d\nasync def g[T: int = str, *U, **P](a, /, b: T = c(), *d, e=f(), **h) -> T: yield a",
    cst.GeneratorExp: "x = (a async for a in b if c)\ny = any(a for a in b)",
    cst.Global: "global x, y\nx = a()",
    cst.If: "if a: b()\nelif c: d()\nelse: e()",
    cst.IfExp: "x = a() if b else c() if d else e",
    cst.Imaginary: "x = 1j",
    cst.Import: "import a.b.c as d, e.f",
    cst.ImportFrom: "from . import a\nfrom ..b import (c as d,)\nfrom e import f",
    cst.Integer: "x = 0x_ff + 0b1 + 0o7 + 1_000 + 00",
    cst.Lambda: "x = lambda a, /, b=c(), *d, e=f(), **g: (yield)",
    cst.LazyImport: "lazy import a.b as c, d",
    cst.LazyImportFrom: "lazy from a import b as c",
    cst.List: "x = [a(), *b, [c]]",
    cst.ListComp: "x = [a for a in b]\ny = [*a for a in b]",
    cst.Match: "match a(), b:\n    case 1 | 2 if c(): d()\n    case _: e()",
    cst.Name: "x = a",
    cst.NamedExpr: "if (x := a()) and (y := x): b(y)",
    cst.Nonlocal: "def g():\n    nonlocal x\n    x = a()",
    cst.Pass: "pass",
    cst.Raise: "try: raise a() from b()\nexcept E as e: raise e\nexcept F: raise",
    cst.Return: "return *a, b()",
    cst.Set: "x = {a(), *b}",
    cst.SetComp: "x = {a for a in b}\ny = {*a for a in b}",
    cst.SimpleString: "x = 'a'\ny = b'c'\nz = u'd'",
    cst.StarredDictComp: "x = {**a for a in b}",
    cst.Subscript: "x = a[b()], a[b:c:d], a[b, ...], a[*b], a[b:c, d()], a[:]",
    cst.TemplatedString: "x = t'{a()!r:>{b()}}'",
    cst.Try: "try: a()\nexcept A: b()\nexcept (B, C) as e: c()\nexcept D, E: d()\nexcept: e()\nelse: f()\nfinally: g()",
    cst.TryStar: "try: a()\nexcept* A as e: b()\nexcept* B, C: c()\nelse: d()\nfinally: g()",
    cst.Tuple: "x = a(), *b, ()",
    cst.TypeAlias: "type X[T: int = str, *U = *V, **P] = list[T]",
    cst.UnaryOperation: "x = -a() + +b - ~c, not d",
    cst.While: "while a() and b: c()\nelse: d()",
    cst.With: "async with (a() as b, c() as (d, *e), f() as g.h, i() as j[k],): l()\nwith m(), n(): pass",
    cst.Yield: "x = yield\ny = yield a(), b\nz = yield from c()",
    # patterns
    cst.MatchAs: "match a:\n    case [b as c, _, d]: pass",
    cst.MatchClass: "match a:\n    case B(c, 1, d=e, f=G()): pass\n    case int(): pass\n    case str(s): pass",
    cst.MatchList: "match a:\n    case [b, *_, c]: pass\n    case []: pass",
    cst.MatchMapping: "match a:\n    case {'b': c, D.e: [f], -1: _, **g}: pass\n    case {}: pass",
    cst.MatchOr: "match a:\n    case 1 | None | (2 | B()) | [_]: pass",
    cst.MatchSingleton: "match a:\n    case None | True | False: pass",
    cst.MatchTuple: "match a:\n    case b, *c: pass\n    case (): pass\n    case (d,): pass",
    cst.MatchValue: "match a:\n    case -1 | 'b' 'c' | d.e | 1.5 | 1 + 2j: pass",
}
# Nodes that are no expression or statement by themselves: their parents take care of them.
PARTS = {cst.StarredElement, cst.SimpleStatementLine}


def kinds(base: type[cst.CSTNode]) -> Iterator[type[cst.CSTNode]]:
    """The concrete kinds of node below ``base``."""
    for kind in base.__subclasses__():
        if not inspect.isabstract(kind) and getattr(cst, kind.__name__, None) is kind:
            yield kind
        yield from kinds(kind)


def by_name(kind: type[cst.CSTNode]) -> str:
    return kind.__name__


def all_kinds(*bases: type[cst.CSTNode]) -> set[type[cst.CSTNode]]:
    return {kind for base in bases for kind in kinds(base)} - PARTS


def inside(code: str) -> str:
    lines = "".join(f"    {line}\n" for line in code.splitlines())
    return f"async def f():\n    x = 0\n{lines}"


def occurring(node: cst.CSTNode) -> set[type[cst.CSTNode]]:
    return {type(node)}.union(*(occurring(child) for child in node.children))


def test_every_expression_has_an_entry() -> None:
    assert set(EXPRESSIONS) == all_kinds(cst.BaseExpression)


def test_every_statement_has_an_entry() -> None:
    assert set(STATEMENTS) == all_kinds(cst.BaseStatement, cst.BaseSmallStatement)


def test_every_comparison_has_an_entry() -> None:
    assert set(_OPERATORS) == set(_POSITIVE) == all_kinds(cst.BaseCompOp)


def test_every_kind_of_node_has_a_piece_of_code() -> None:
    bases = (cst.BaseExpression, cst.BaseStatement, cst.BaseSmallStatement, cst.MatchPattern)
    assert set(SNIPPETS) == all_kinds(*bases)


@pytest.mark.parametrize(
    ("base", "known"),
    [
        (cst.BaseElement, {cst.Element, cst.StarredElement}),
        (cst.BaseDictElement, {cst.DictElement, cst.StarredDictElement}),
        (cst.BaseSlice, {cst.Index, cst.Slice}),
        (cst.BaseSuite, {cst.IndentedBlock, cst.SimpleStatementSuite}),
        (cst.BaseFormattedStringContent, {cst.FormattedStringText, cst.FormattedStringExpression}),
        (cst.BaseTemplatedStringContent, {cst.TemplatedStringText, cst.TemplatedStringExpression}),
    ],
)
def test_no_new_kind_of_part_has_come_up(base: type[cst.CSTNode], known: set[type[cst.CSTNode]]) -> None:
    """These have no table: where they occur, ``match`` or ``isinstance`` tells them apart."""
    assert set(kinds(base)) == known


class TestSnippet:
    @pytest.mark.parametrize("kind", SNIPPETS, ids=by_name)
    def test_it_has_such_a_node(self, kind: type[cst.CSTNode]) -> None:
        assert kind in occurring(cst.parse_module(inside(SNIPPETS[kind])))

    @pytest.mark.parametrize("kind", SNIPPETS, ids=by_name)
    def test_in_a_function(self, kind: type[cst.CSTNode]) -> None:
        assert lower(inside(SNIPPETS[kind]))

    @pytest.mark.parametrize("kind", SNIPPETS, ids=by_name)
    def test_in_a_module(self, kind: type[cst.CSTNode]) -> None:
        assert lower(SNIPPETS[kind] + "\n")

    @pytest.mark.parametrize("kind", SNIPPETS, ids=by_name)
    def test_in_a_class(self, kind: type[cst.CSTNode]) -> None:
        lines = "".join(f"    {line}\n" for line in SNIPPETS[kind].splitlines())
        assert lower(f"class A:\n{lines}")

    @pytest.mark.parametrize("kind", SNIPPETS, ids=by_name)
    def test_under_every_kind_of_cleanup(self, kind: type[cst.CSTNode]) -> None:
        lines = "".join(f"            {line}\n" for line in SNIPPETS[kind].splitlines())
        code = f"async def f():\n    while x:\n        try:\n{lines}        finally:\n{lines}"
        assert lower(code)


@pytest.mark.parametrize(
    "spelling",
    [
        "import os\ndef f(): os.open(p, 0)",
        "import os as o\ndef f(): o.open(p, 0)",
        "from os import open\ndef f(): open(p, 0)",
        "from os import open as o\ndef f(): o(p, 0)",
        "from os import *\ndef f(): open(p, 0)",
        "def f():\n    import os\n    os.open(p, 0)",
        "try:\n    import os\nexcept ImportError:\n    os = None\ndef f(): os.open(p, 0)",
        "import os\no = os.open\ndef f(): o(p, 0)",
        "lazy import os\ndef f(): os.open(p, 0)",
        "lazy import os as o\ndef f(): o.open(p, 0)",
        "lazy from os import open as o\ndef f(): o(p, 0)",
    ],
)
def test_a_name_stands_for_what_was_imported(spelling: str) -> None:
    blocks = function(spelling + "\n").blocks
    effects = [step.effect for block in blocks for step in block.steps if isinstance(step.effect, Call)]
    assert [effect.callee.dotted for effect in effects] == ["os.open"]


STDLIB = """
    abc asyncio.streams asyncio.unix_events bz2 contextlib ctypes dataclasses http.client
    importlib._bootstrap mailbox multiprocessing.forkserver multiprocessing.reduction os pty selectors shutil
    socket sqlite3.dump subprocess tempfile threading tty weakref
    test.test_grammar test.test_patma test.test_syntax test.test_except_star test.test_fstring test.test_generators
    test.test_type_params test.test_tstring
"""


def source_of(name: str) -> Path | None:
    stem = Path(sysconfig.get_path("stdlib"), *name.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


IN_THIS_PYTHON = {name: path for name in STDLIB.split() if (path := source_of(name))}


@pytest.mark.parametrize("name", IN_THIS_PYTHON)
def test_the_standard_library_can_be_lowered(name: str) -> None:
    path = IN_THIS_PYTHON[name]
    try:
        graphs = lower(path.read_text(encoding="utf-8"))
    except cst.ParserSyntaxError as error:
        pytest.skip(f"libcst does not parse it: line {error.raw_line}")
    for graph in graphs:
        numbers = set(range(len(graph.blocks)))
        assert {target for index in numbers for target in graph.successors(index)} <= numbers
