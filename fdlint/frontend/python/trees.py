"""Syntax trees that are given up when they have been lowered, and read again when somebody asks where something stands.

A tree takes some 150 bytes for each character of its text, a graph a small part of that; and of most functions nobody
ever asks where anything in them stands.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import libcst as cst

from fdlint.frontend.python.positions import Range, positions
from fdlint.process.memory import Heap
from fdlint.reading.nesting import check

_OPEN = 200_000  # characters of trees that have been read again and may be asked for more
_LAYOUT = (
    "whitespace", "lpar", "rpar", "lbr", "rbr", "comma", "semicolon", "colon", "equal", "newline", "header", "footer",
    "leading_lines", "lines_after", "trailing", "empty_lines", "first_line", "indent", "encoding", "default_indent",
    "default_newline", "has_trailing",
)  # fmt: skip


_heap = Heap()


class Tree:
    """The tree of a piece of a file. ``text``: what it was read from; ``line``: the one it begins at, from 1. Raises
    ``TooDeepError`` and ``ParserSyntaxError``."""

    __slots__ = ("_module", "line", "text")

    def __init__(self, text: str, line: int = 1) -> None:
        check(text, line, costly=True)
        self.text, self.line = text, line
        self._module: cst.Module | None = cst.parse_module(text)

    @property
    def module(self) -> cst.Module:
        """The nodes; once given up, others like them."""
        return self._module if self._module is not None else cst.parse_module(self.text)

    def give_up(self) -> None:
        """Drops the nodes: whoever has an ``Origin`` can ask for them by their numbers."""
        if self._module is not None:
            self._module = None
            _heap.note(len(self.text))


class Origin:
    """A node, for as long as graphs speak of it: by its number in its tree."""

    __slots__ = ("number", "tree")

    def __init__(self) -> None:
        self.tree: Tree | None = None
        self.number = 0

    @property
    def node(self) -> cst.CSTNode | None:
        """The node, read again; None for what is not in the tree."""
        return self._found()[0]

    @property
    def range(self) -> Range | None:
        """Where it begins and ends; None if it has no place."""
        return self._found()[1]

    @property
    def code(self) -> str:
        """Its source; of a function or a class only the first line, without comments and decorators."""
        node = self.node
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            nothing = {"leading_lines": (), "decorators": (), "lines_after_decorators": ()}
            head = node.with_changes(**nothing, body=cst.SimpleStatementSuite([]))
            return cst.Module([]).code_for_node(head).rstrip().removesuffix(" pass")
        return cst.Module([]).code_for_node(node) if node is not None else ""

    def _found(self) -> tuple[cst.CSTNode | None, Range | None]:
        if self.tree is None:
            return None, None
        found = _again.read(self.tree)
        node = found.nodes[self.number]
        return node, found.ranges.get(node)


class Origins:
    """The nodes that are spoken of in the graphs of the tree that is being lowered."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[cst.CSTNode, Origin]] = {}

    def of(self, node: cst.CSTNode | Origin) -> Origin:
        """What stands for a node, always the same for the same one."""
        if isinstance(node, Origin):
            return node
        if id(node) not in self._made:
            self._made[id(node)] = node, Origin()
        return self._made[id(node)][1]

    def settle(self, tree: Tree) -> None:
        """All of the tree has been lowered: it can be given up."""
        if self._made:
            for number, node in enumerate(_nodes(tree.module)):
                if id(node) in self._made:
                    origin = self._made[id(node)][1]
                    origin.tree, origin.number = tree, number
        self._made.clear()
        tree.give_up()


@dataclasses.dataclass(frozen=True, slots=True)
class _Nodes:
    """The nodes of a tree by their numbers, and where they are."""

    nodes: list[cst.CSTNode]
    ranges: Mapping[cst.CSTNode, Range]


class _Again:
    """The trees that were last read again: who asks for one place will ask for others near it."""

    def __init__(self) -> None:
        self._open: dict[Tree, _Nodes] = {}

    def read(self, tree: Tree) -> _Nodes:
        """A tree's nodes, the same as long as it stays open."""
        found = self._open.pop(tree, None)
        if found is None:
            module = tree.module
            found = _Nodes(list(_nodes(module)), positions(module, tree.line))
        room = _OPEN - len(tree.text)
        while self._open and sum(len(one.text) for one in self._open) > room:
            self._open.pop(next(iter(self._open)))
        self._open[tree] = found
        return found


_again = _Again()


def _nodes(module: cst.Module) -> Iterator[cst.CSTNode]:
    """All nodes but those of the layout, in an order that the text alone decides."""
    waiting: list[cst.CSTNode] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        for value in _parts(type(node))(node):
            if isinstance(value, cst.CSTNode):
                waiting.append(value)
            elif isinstance(value, (list, tuple)):
                waiting.extend(value)


@functools.cache
def _parts(kind: type[cst.CSTNode]) -> Callable[[cst.CSTNode], tuple[Any, ...]]:
    """Reads from a node what belongs to the program and not to the layout."""
    names = [one.name for one in dataclasses.fields(kind) if not one.name.startswith(_LAYOUT)]
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda node: tuple(getattr(node, name) for name in names)
