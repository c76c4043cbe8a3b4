"""A file in pieces says the same as the whole file."""

from __future__ import annotations

import re
import socket
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from fdlint.catalog import default_catalog
from fdlint.core.ir import NESTED, AccessPath, Graph, LoweredModule
from fdlint.languages.index.outline import sketch
from fdlint.languages.python.lowering.module import lower_module, lower_sketch
from fdlint.languages.python.lowering.module_scope import module_scope, names_of
from fdlint.languages.python.lowering.names import Resolver
from fdlint.languages.python.lowering.source import Source, parse, sketched
from fdlint.languages.python.lowering.trees import Tree
from fdlint.program.modules import Program
from fdlint.report.findings.finding import Skipped
from fdlint.scan import analysis
from fdlint.scan.files.discover import discover
from fdlint.scan.scan import Options, scan

LIBRARY = [Path(one.__file__) for one in (socket, tempfile)]
FILES = sorted(Path(__file__).parents[1].glob("fdlint/**/*.py"))[::100]
CODE = textwrap.dedent(
    '''
    import os, socket
    from dataclasses import dataclass

    count = 0

    def opened(path,
               flags=0):
        """Many lines
    that begin anywhere."""
        return os.open(path, flags)

    class Base(object):
        class Inner(Exception):
            pass

        limit = 3

        def __init__(self):
            self.sock = socket.socket()
            if self.limit:
                self.other = self.sock

        @property
        def fd(self):
            return self._fd

        def close(self):
            global count
            count = None
            os.close(self.fd)

            def later():
                return lambda: self.sock
            return later

    class Heir(Base, os.PathLike):
        def close(self):
            super().close()

    @dataclass
    class Pair:
        left: int
        right: int = 0

        def __post_init__(self):
            os.close(self.left)

    if os.name == "posix":
        def twice():
            return 1
    else:
        def twice():
            return 2

    def again(): pass
    def again():
        return opened("x")
    '''
)


def whole(data: bytes) -> tuple[Source, LoweredModule]:
    found = parse(data, "x.py")
    assert not isinstance(found, Skipped)
    return found[0], lower_module(found[1], default_catalog(), "package")[0]


def cut(data: bytes) -> tuple[Source, LoweredModule]:
    found = sketched(data, "x.py")
    assert found is not None
    return found[0], lower_sketch(*found, default_catalog(), "package")


def told(graph: Graph, source: Source) -> object:
    """All that a graph says, nodes by their places."""
    blocks = [
        ([(step.effect, step.pads, _start(step.origin, source)) for step in block.steps], _end(block.end, source))
        for block in graph.blocks
    ]
    rest = (
        graph.name,
        graph.parameters,
        graph.signature,
        graph.owner,
        graph.abstract,
        graph.decorators,
        graph.wrappers,
    )
    shown = re.sub(r"%with\d+", "%with", repr(blocks))
    return (*rest, graph.types, graph.globals, graph.free, graph.captures, graph.sinks, shown)


def _start(node: object, source: Source) -> tuple[int, int]:
    """Where a node begins: a class whose methods could wait ends where its last stub does."""
    span = source.span(node)
    return span.line, span.column


def _end(end: object, source: Source) -> object:
    shown = {name: getattr(end, name) for name in type(end).__slots__ if name not in ("origin", "statement")}  # type: ignore[attr-defined]
    return type(end).__name__, shown, _start(getattr(end, "origin", None), source)


WRITTEN = [CODE, CODE.replace("\n", "\r\n"), f"\ufeff{CODE}", CODE.replace("    ", "\t")]


@pytest.mark.parametrize("data", [one.encode() for one in WRITTEN])
def test_every_function_is_the_same(data: bytes) -> None:
    source, expected = whole(data)
    other, found = cut(data)
    assert found.functions["Base.close"].name == "Base.close"  # not the first one
    assert list(found.functions) == list(expected.functions)
    for name, graph in expected.functions.items():
        assert told(found.functions[name], other) == told(graph, source), name
    assert found.classes == expected.classes
    assert found.same == expected.same
    assert found.body.globals == expected.body.globals == {"count"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_same_on_real_files(path: Path) -> None:
    source, expected = whole(path.read_bytes())
    other, found = cut(path.read_bytes())
    numbered = {name for name in expected.functions if "#" in name or "lambda" in name}
    assert [one for one in found.functions if one not in numbered] == [
        one for one in expected.functions if one not in numbered
    ]
    for name in expected.functions.keys() - numbered:
        same = told(found.functions[name], other) == told(expected.functions[name], source)
        assert same, name
    assert found.classes == expected.classes


@pytest.mark.parametrize("path", [*FILES, *LIBRARY], ids=lambda path: path.stem)
def test_the_skeleton_says_what_the_names_stand_for(path: Path) -> None:
    data = path.read_bytes()
    read, outline = parse(data, "x.py"), sketch(data)
    assert outline is not None and not isinstance(read, Skipped)
    expected = lower_module(read[1], default_catalog(), "package")[1]
    resolver, shared = Resolver(default_catalog(), "package"), frozenset(map(AccessPath, outline.shared))
    found, scope = names_of(outline.skeleton, resolver, shared), module_scope(Tree(data.decode()).module, resolver)
    assert (found.imports, found.alternatives, found.stars) == (
        scope.stands_for,
        scope.alternatives,
        tuple(scope.stars),
    )
    assert found.shared == expected.shared
    assert {**found.same, **dict.fromkeys(found.lambdas)}.keys() == expected.same.keys()
    outer = {name for name in expected.functions if NESTED not in name and "#" not in name and "<" not in name}
    tuples = (name for name, bases in found.classes.items() if "typing.NamedTuple" in bases)
    records = {*found.decorated, *tuples}
    generated = {name for name in outer - {*found.functions} if name.rpartition(".")[0] in records}
    assert {*found.functions} | generated == outer
    assert {name: bases for name, bases in expected.classes.items() if NESTED not in name} == found.classes


REBINDS = "def f():\n    global x\n    x = 1\n\n"
BESIDE = {
    "nothing": "",
    "a parameter": "def g(x):\n    return x\n",
    "a function": "def g():\n    def x():\n        pass\n",
    "an exception": "def g():\n    try:\n        f()\n    except E as x:\n        f()\n",
    "a pattern": "def g(y):\n    match y:\n        case [1, x]:\n            f()\n",
    "of a lambda": "def g():\n    return [lambda x: x for y in z]\n",
    "of a comprehension": "def g():\n    return [x for x in z]\n",
    "of a class": "class C:\n    x = 2\n",
    "nonlocal": "def g():\n    y = 1\n    def h():\n        nonlocal y\n        y = 2\n",
}


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
def test_the_same_globals(beside: str) -> None:
    code = (REBINDS + beside).encode()
    assert cut(code)[1].body.globals == whole(code)[1].body.globals


@pytest.mark.parametrize("read", [whole, cut])
def test_nothing_is_known_of_a_global_that_is_rebound(read: Callable[[bytes], tuple[Source, LoweredModule]]) -> None:
    code = (
        "import socket\n\nsock = socket.socket()\n\ndef change(new):\n    global sock\n    sock = new\n\n"
        "def other():\n    sock = 1\n    return sock\n\ndef use():\n    return sock.detach()\n"
    )
    _, lowered = read(code.encode())
    assert "sock" not in lowered.functions["use"].types
    _, lowered = read(code.replace("    global sock\n", "").encode())
    assert lowered.functions["use"].types["sock"] == "socket.socket"


def test_what_nobody_asks_for_is_not_lowered() -> None:
    _, found = cut(CODE.encode())
    assert "opened" in found.functions and "Base.close" in found.functions
    assert "opened" not in found.functions.lowered and "Base.close" not in found.functions.lowered
    assert [name for name, _ in found.functions.under("Heir.")] == ["Heir.close"]
    assert "Base.close" in found.functions.waiting


@pytest.mark.parametrize("data", [b"print 1\n", b"x = (\n", b"# coding: nonsense\n", b"x = '\xff'\n"])
def test_what_python_cannot_read_is_not_cut(data: bytes) -> None:
    assert sketch(data) is None


def test_every_line_keeps_its_number() -> None:
    outline = sketch(CODE.encode())
    assert outline is not None and outline.text.count("\n") == CODE.count("\n")


def test_what_is_known_is_given_up_when_it_is_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    package.mkdir()
    for name, code in {
        "__init__": "",
        "opening": "import os\n\ndef opened(path):\n    return os.open(path, os.O_RDONLY)\n",
        "other": "import os\n\ndef touch(path):\n    os.close(os.open(path, os.O_RDONLY))\n",
        **{
            f"user{number}": "from package.opening import opened\n\ndef use(path):\n    fd = opened(path)\n    fd + 1\n"
            for number in range(4)
        },
    }.items():
        (package / f"{name}.py").write_text(code)
    files = discover([tmp_path]).files
    expected = scan(files, Options(jobs=1))
    given_up = []
    forget = Program.forget

    def note(program: Program) -> None:
        given_up.append(len(program.met))
        forget(program)

    monkeypatch.setattr(analysis, "_MAX_KEPT", 100)
    monkeypatch.setattr(Program, "forget", note)
    found = scan(files, Options(jobs=1))
    assert len(expected.findings) == 4
    assert (found.findings, found.skipped) == (expected.findings, expected.skipped)
    assert len(given_up) > 3 and max(given_up) < len(files)
