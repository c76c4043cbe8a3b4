"""Syntax trees that are dropped after lowering, and parsed by libcst when a position is needed.

A tree takes about 150 bytes for each character of its text, a graph a small part of that. Most functions never need the
position of a node.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import libcst as cst

from fdlint.core.dataflow.reachability import closure
from fdlint.languages.python.lowering.conversion import converted
from fdlint.languages.python.lowering.positions import Range, positions
from fdlint.scan.process.memory import Heap
from fdlint.scan.reading.nesting import check

_OPEN = 75_000  # nodes of trees that were read again and stay open for further questions, about 280 bytes each
_LAYOUT = (
    "whitespace", "lpar", "rpar", "lbr", "rbr", "comma", "semicolon", "colon", "equal", "newline", "header", "footer",
    "leading_", "lines_after", "trailing", "empty_lines", "first_", "indent", "encoding", "default_indent",
    "default_newline", "has_trailing", "dot", "second_colon",
)  # fmt: skip


_heap = Heap()


class Tree:
    """The tree of a piece of a file. ``text``: its source. ``line``: its first line, from 1. Raises ``TooDeepError``
    and ``ParserSyntaxError``."""

    __slots__ = ("__weakref__", "_module", "line", "text")

    def __init__(self, text: str, line: int = 1) -> None:
        check(text, line, costly=True)
        self.text, self.line = text, line
        self._module: cst.Module | None = converted(text) or cst.parse_module(text)

    @property
    def module(self) -> cst.Module:
        """The module node. Must not be used after ``give_up``."""
        assert self._module is not None
        return self._module

    @property
    def complete(self) -> cst.Module:
        """A module node with equal nodes and their layout. libcst parses it each time."""
        return cst.parse_module(self.text)

    def move(self, text: str, line: int) -> None:
        """Gives the tree a text with the same nodes, in another place of the file."""
        if (text, line) != (self.text, self.line):
            self.text, self.line = text, line
            _again.close(self)

    def give_up(self) -> None:
        """Drops the nodes. An ``Origin`` can find them again by their numbers."""
        if self._module is not None:
            self._module = None
            _heap.note(len(self.text))


class Origin:
    """A reference from a graph to a node, by the node's number in its tree."""

    __slots__ = ("number", "tree")

    def __init__(self) -> None:
        self.tree: Tree | None = None
        self.number = 0

    @property
    def node(self) -> cst.CSTNode | None:
        """The node, parsed again; None if the tree does not contain it."""
        return self._found()[0]

    @property
    def range(self) -> Range | None:
        """The start and end of the node; None if it has no position."""
        return self._found()[1]

    @property
    def code(self) -> str:
        """Returns its source; for a function or a class only the first line, without comments and decorators."""
        node = self.node
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            nothing = {"leading_lines": (), "decorators": (), "lines_after_decorators": ()}
            head = node.with_changes(**nothing, body=cst.SimpleStatementSuite([]))
            return cst.Module([]).code_for_node(head).rstrip().removesuffix(" pass")
        return cst.Module([]).code_for_node(node) if node is not None else ""

    def _found(self) -> tuple[cst.CSTNode | None, Range | None]:
        if self.tree is None:
            return None, None
        try:
            found = _again.read(self.tree)
        except cst.ParserSyntaxError:  # it refuses what Python accepts
            return None, ((self.tree.line, 0), (self.tree.line, 0))
        node = found.nodes[self.number]
        return node, found.ranges.get(node)


class Origins:
    """The origins in the graphs of the tree that is being lowered."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[cst.CSTNode, Origin]] = {}

    def of(self, node: cst.CSTNode | Origin) -> Origin:
        """Returns the origin of a node, always the same one."""
        if isinstance(node, Origin):
            return node
        known = self._made.get(id(node))
        if known is None:
            known = self._made[id(node)] = node, Origin()
        return known[1]

    def settle(self, tree: Tree) -> None:
        """Drops the tree after all of it has been lowered."""
        if self._made:
            for number, node in enumerate(nodes_in(tree.module)):
                if id(node) in self._made:
                    origin = self._made[id(node)][1]
                    origin.tree, origin.number = tree, number
        self._made.clear()
        tree.give_up()


@dataclasses.dataclass(frozen=True, slots=True)
class _Nodes:
    """The nodes of a tree by their numbers, and their positions."""

    nodes: list[cst.CSTNode]
    ranges: Mapping[cst.CSTNode, Range]


class _Again:
    """A cache of the trees that were read again last: the next question is often about the same tree. It does not keep
    a tree that nothing else refers to."""

    def __init__(self) -> None:
        self._open: WeakKeyDictionary[Tree, _Nodes] = WeakKeyDictionary()
        self._size = 0  # at least the nodes of the open trees: those of trees that have gone may still count

    def read(self, tree: Tree) -> _Nodes:
        """Returns a tree's nodes, the same ones as long as the tree stays open."""
        found = self._open.pop(tree, None)
        if found is None:
            module = tree.complete
            found = _Nodes(nodes_in(module), positions(module, tree.line))
            self._size += len(found.ranges)
            if self._size > _OPEN:
                self._close_oldest(len(found.ranges))
        self._open[tree] = found
        return found

    def close(self, tree: Tree) -> None:
        """Forgets the nodes of a tree."""
        self._open.pop(tree, None)

    def _close_oldest(self, size: int) -> None:
        """Closes the oldest trees until half of the room is free, so that this seldom runs. ``size``: the nodes of the
        next tree."""
        self._size = size + sum(len(one.ranges) for one in self._open.values())
        for oldest in list(self._open):
            if self._size <= _OPEN // 2:
                break
            self._size -= len(self._open.pop(oldest).ranges)


_again = _Again()


def nodes_in(top: cst.CSTNode) -> list[cst.CSTNode]:
    """Returns a node and all nodes in it except whitespace, in an order that depends only on the text."""
    kinds = _kinds()  # they are abstract classes, for which ``isinstance`` is slow
    found: list[cst.CSTNode] = [top]
    for node in found:  # it grows meanwhile
        for value in _parts(type(node))(node):
            if type(value) in kinds:
                found.append(value)
            elif isinstance(value, (list, tuple)):
                found.extend(value)
    return found


@functools.cache
def _kinds() -> frozenset[type]:
    """Returns the classes of nodes."""
    return frozenset(closure((cst.CSTNode,), type.__subclasses__))


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Returns the nodes in a node, with whitespace: libcst's own way to find them visits and copies the node."""
    kinds = _kinds()
    found: list[cst.CSTNode] = []
    for value in _parts(type(node), with_layout=True)(node):
        if type(value) in kinds:
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(value)
    return found


@functools.cache
def _parts(kind: type[cst.CSTNode], with_layout: bool = False) -> Callable[[cst.CSTNode], tuple[Any, ...]]:
    """Returns a function that reads the children of a node that belong to the program, not to the layout."""
    parts = (one for one in dataclasses.fields(kind) if one.type is not str)
    names = [one.name for one in parts if with_layout or not one.name.startswith(_LAYOUT)]
    if not names:
        return lambda _: ()
    read = operator.attrgetter(*names)
    return read if len(names) > 1 else lambda node: (read(node),)
