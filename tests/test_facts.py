"""The facts of a piece, from the parser of Python alone."""

from __future__ import annotations

import ast

import pytest

from fdlint.catalog import default_catalog
from fdlint.languages.index.facts import Called, Facts, facts_of, facts_of_graphs
from fdlint.languages.index.mentions import may_call, module_imports
from fdlint.languages.python.lowering.module import lower_module
from fdlint.languages.python.lowering.source import parse
from fdlint.report.findings.finding import Skipped, Wrapper


def facts(text: str) -> Facts:
    return facts_of(ast.parse(text))


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("f()", Called("", "f", True)),
        ("f(x)", Called("", "f", False)),
        ("a.b.f( )", Called("a.b", "f", True)),
        ("self.f(x)", Called("self", "f", False)),
        ("make().f(x)", Called(None, "f", False)),
        ("rows[0].f(x)", Called(None, "f", False)),
        ("(a\n    .b\n    .f(x))", Called("a.b", "f", False)),
        ("@decorated\ndef g(): ...", Called("", "decorated", False)),
        ("class C:\n    @mod.decorated\n    def g(): ...", Called("mod", "decorated", False)),
    ],
)
def test_calls(text: str, called: Called) -> None:
    assert called in facts(text).calls


@pytest.mark.parametrize(
    ("text", "gives"),
    [
        ("def f(x):\n    return x", True),
        ("def f(x):\n    return (\n        x)", True),
        ("def f(x):\n    return None if x else fd", True),
        ("def f(x):\n    return 1 if x else fd", True),
        ("def f(x):\n    return Nones", True),
        ("def f(x):\n    return -1  # none", False),
        ("def f(x):\n    return; y", False),
        ("def f(x):\n    return", False),
        ("def f(x):\n    return None", False),
        ("def f(x):\n    return False", False),
        ("def f(x):\n    return 1", False),
        ("def f(x, out):\n    out.append(x)", True),
        ("def f(x, out: dict[str, int] = {}):\n    out['fd'] = x", True),
        ("def f(self):\n    self.append(1)", False),
        ("def f(x):\n    rows.append(x)", False),
    ],
)
def test_whether_anything_may_come_out(text: str, gives: bool) -> None:
    assert facts(text).gives is gives


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import os", [("os", "os")]),
        ("import os.path, sys as s", [("os", "os"), ("s", "sys")]),
        ("from a.b import c, d as e", [("c", "a.b.c"), ("e", "a.b.d")]),
        ("from . import x", [("x", ".x")]),
        ("from .y import (\n    p,  # why\n    q as r,\n)", [("p", ".y.p"), ("r", ".y.q")]),
        ("nothing", []),
    ],
)
def test_imports(text: str, names: list[tuple[str, str]]) -> None:
    assert facts(text).imports == tuple(names)


def test_the_imports_of_a_module() -> None:
    text = '''\
"""From here
from the top import nothing at all.
"""
import os
from a import b, \\
    c
try:
    from fast import d
except ImportError:
    from slow import (
        d,  # the same
    )

def f():
    import inside

class C:
    from inside import too
'''
    found = "import os\nfrom a import b, c\nfrom fast import d\nfrom slow import ( d, )\n"
    assert module_imports(text) == found


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("from process import spawn\n", True),
        ("from process import spawn as start\n", True),
        ("def f():\n    from pack.process import spawn\n", True),
        ("import pack\npack.process.spawn()\n", True),
        ("import process as p\np.spawn()\n", True),
        ("import pack\np = pack.process\np.spawn()\n", True),
        ("import process\ngetattr(process, 'spawn')()\n", True),
        ("from process import *\nspawn()\n", True),
        ("print 'process spawn'\n", True),
        ("from process import other\nspawn()\n", False),
        ("import process\nself.spawn()\n", False),
        ("# process spawn\n", False),
        ("import process\nprocess.spawn_all()\n", False),
        ("def spawn(process): ...\n", False),
    ],
)
def test_may_call(text: str, may: bool) -> None:
    assert may_call(text.encode(), frozenset({Wrapper("process", "spawn")})) is may


def test_strings_and_comments_refer_to_nothing() -> None:
    found = facts('def f():\n    """Calls os.open(path)."""\n    x = "open"  # os.pipe()\n    return os.dup(x).real\n')
    assert found.references == {"x", "os.dup"}
    assert found.members == {"real"}
    assert found.strings == {"open"}
    assert "pipe" not in found.words


def test_facts_of_what_only_the_other_parser_reads() -> None:
    source = parse(b"import os\ndef f(x):\n    make(x)\n    x.go()\n    return os.open(x, 0)\n", "a.py")
    assert not isinstance(source, Skipped)
    found = facts_of_graphs(lower_module(source[1], default_catalog())[0].graphs)
    assert found.calls == {Called("os", "open", False), Called("", "make", False), Called("x", "go", True)}
    assert "os.open" in found.references and found.gives
