"""Trees that are given up: what graphs speak of is found again, and nothing is left in a circle."""

from __future__ import annotations

import ast
import gc
import textwrap
import warnings
from pathlib import Path

import libcst as cst
import pytest

from fdlint.languages.python.lowering.constants import integer, string
from fdlint.languages.python.lowering.positions import positions
from fdlint.languages.python.lowering.trees import _OPEN, Origins, Tree, _Again, children, nodes_in
from fdlint.scan.process import memory as heap
from fdlint.scan.scan import scan_bytes

HERE = Path(__file__).parent
FILES = sorted([*HERE.glob("test_*.py"), *(HERE.parent / "fdlint").rglob("*.py")])[::120]
KINDS = (cst.BaseExpression, cst.BaseStatement, cst.BaseSmallStatement, cst.Arg, cst.MatchCase, cst.WithItem)


@pytest.mark.parametrize("path", FILES)
def test_a_node_is_found_again_after_its_tree_was_given_up(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree, origins = Tree(text, line=7), Origins()
    complete = tree.complete
    pairs = zip(nodes_in(tree.module), nodes_in(complete), strict=True)
    spoken_of = [(bare, node) for bare, node in pairs if isinstance(node, KINDS)]
    places, found = positions(complete, 7), [origins.of(bare) for bare, _ in spoken_of]
    assert [origins.of(bare) for bare, _ in spoken_of] == found
    origins.settle(tree)
    assert [one.range for one in found] == [places[node] for _, node in spoken_of]
    plain = [
        (one.code, cst.Module([]).code_for_node(node))
        for one, (_, node) in zip(found, spoken_of, strict=True)
        if not isinstance(node, (cst.FunctionDef, cst.ClassDef))
    ][::9]
    assert [code for code, _ in plain] == [code for _, code in plain]


@pytest.mark.parametrize("path", FILES[::3])
def test_the_nodes_in_a_node_are_those_that_libcst_visits(path: Path) -> None:
    waiting: list[cst.CSTNode] = [cst.parse_module(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        assert {*children(node)} == {*node.children}
        waiting.extend(node.children)


def test_what_libcst_refuses_has_the_place_of_its_tree() -> None:
    tree, origins = Tree("x = 1\n", line=7), Origins()
    origin = origins.of(tree.module.body[0])
    origins.settle(tree)
    tree.text = "x = = 1\n"
    assert (origin.node, origin.range, origin.code) == (None, ((7, 0), (7, 0)), "")


@pytest.mark.parametrize("head", ["def f(a, *, b=1) -> int:", "async def f():", "class C(Base, metaclass=Meta):"])
def test_the_text_of_a_definition_is_its_first_line(head: str) -> None:
    tree, origins = (
        Tree(f"# about it\n\n@first\n# more\n@second(1)\n# and more\n{head}\n    x = 1\n\n    y = 2\n"),
        Origins(),
    )
    origin = origins.of(tree.module.body[0])
    origins.settle(tree)
    assert origin.code.strip() == head


def test_what_is_in_no_tree_has_no_place() -> None:
    tree, origins = Tree("x = 1\n"), Origins()
    strange = origins.of(cst.Name("strange"))
    origins.settle(tree)
    assert (strange.node, strange.range, strange.code) == (None, None, "")
    assert origins.of(strange) is strange


STRINGS = [
    "'a'",
    '"""a\n b"""',
    "r'\\d'",
    r"'\d'",
    r"'\n\x41\u00e9'",
    "b'ab'",
    r"b'\x00'",
    "u'a'",
    "Rb'\\x'",
    '"é"',
    "'''a\r\nb'''",
]


@pytest.mark.parametrize("written", STRINGS)
def test_strings_mean_what_python_takes_them_for(written: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ast.literal_eval(written)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert string(cst.SimpleString(written)) == expected


def test_a_string_that_python_refuses_stands_for_what_is_written() -> None:
    assert string(cst.SimpleString(r"'\N{no such name}'")) == r"\N{no such name}"


@pytest.mark.parametrize("written", ["0", "00", "1_000", "0xFF", "0b1_0", "0o17", "0_0"])
def test_numbers_mean_what_python_takes_them_for(written: str) -> None:
    assert integer(cst.Integer(written)) == ast.literal_eval(written)


def test_a_scan_leaves_nothing_to_the_garbage_collector() -> None:
    """It rests meanwhile: what is left in a circle would stay to the end."""
    code = """
        import os, sys

        def f(path):
            fd = os.open(path, 0x1)
            if sys.platform == 'linux':
                print('\\n')
    """
    text = textwrap.dedent(code)
    scan_bytes(text.encode(), "a.py")
    gc.collect()
    gc.disable()
    try:
        for number in range(20):
            scan_bytes(f"{text}\n\nA = {number}\n".encode(), "a.py")
        assert gc.collect() < 10
    finally:
        gc.enable()


def test_only_so_much_is_kept_open() -> None:
    """However many large files have findings; what is asked for again and again stays."""
    again, trees = _Again(), [Tree(f"x = {n}\n" * 800) for n in range(24)]
    first = again.read(trees[0])
    for tree in trees:
        again.read(tree)
        assert again.read(trees[0]) is first
        assert sum(len(one.ranges) for one in again._open.values()) <= _OPEN
    assert 2 < len(again._open) < len(trees)


def test_what_nothing_refers_to_is_not_kept_open() -> None:
    again, tree = _Again(), Tree("x = 1\n")
    again.read(tree)
    del tree
    assert not again._open


def test_memory_is_given_back_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(heap, "_trim", lambda: asked.append)
    freed = heap.Heap()
    for _ in range(7):
        freed.note(90_000)
    assert asked == [0, 0]  # after 270,000 and 540,000 characters


def test_giving_memory_back_does_no_harm_wherever_it_runs() -> None:
    heap._trim()(0)
