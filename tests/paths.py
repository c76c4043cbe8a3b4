"""A graph as the set of its paths: each is a line of words, one word per event.

``a`` is a call, ``a!`` one that raises. ``?x`` and ``-x`` are the two results of a test, ``next`` and ``done`` those of
an iterator. ``x=`` binds a name. The last word tells how the function was left; ``...`` ends a path at the second
iteration of a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from fdlint.catalog import default_catalog
from fdlint.core.ir import (
    RAISE,
    RETURN,
    Advance,
    Assign,
    Branch,
    Call,
    Catch,
    Effect,
    Enter,
    Graph,
    Jump,
    Leave,
    Store,
    Suspend,
    Throw,
    Yield,
)
from fdlint.languages.python.lowering.module import lower_module
from fdlint.languages.python.lowering.trees import Origin, Tree

EXITS = {RETURN: "return", RAISE: "raise"}
Way = tuple[tuple[str, ...], int]


def lower(code: str) -> list[Graph]:
    """Returns the graphs of a file: its functions in source order, then its body."""
    return lower_module(Tree(code), default_catalog())[0].graphs


def function(code: str, name: str = "f") -> Graph:
    return next(graph for graph in lower(code) if graph.name == name)


def body(*lines: str) -> Graph:
    """Returns the graph of a function with these lines."""
    return function("async def f():\n" + "".join(f"    {line}\n" for line in "\n".join(lines).splitlines()))


def paths(*lines: str) -> set[str]:
    """Returns all paths through a function with these lines."""
    return set(_walk(body(*lines)))


def quiet(*lines: str) -> set[str]:
    """Returns the paths without an exception."""
    return {path for path in paths(*lines) if "!" not in path}


def _walk(graph: Graph) -> Iterator[str]:
    waiting: list[tuple[int, tuple[str, ...], tuple[int, ...]]] = [(graph.entry, (), ())]
    while waiting:
        index, words, been = waiting.pop()
        if index in EXITS:
            yield " ".join((*words, EXITS[index]))
        elif been.count(index) == 2:
            yield " ".join((*words, "..."))
        else:
            ways = list(_ways(graph, index))
            for more, target in ways:
                waiting.append((target, words + more, (*been, index)))
            if graph.blocks[index].end == Jump(()):
                yield " ".join((*words, *_words(graph, index), "ends"))


def _words(graph: Graph, index: int) -> tuple[str, ...]:
    return tuple(word for step in graph.blocks[index].steps if (word := _word(step.effect)))


def _ways(graph: Graph, index: int) -> Iterator[Way]:
    """Yields each way out of a block, with the events before it."""
    words: tuple[str, ...] = ()
    block = graph.blocks[index]
    for step in block.steps:
        word = _word(step.effect)
        for target in dict.fromkeys(target for pads in step.pads.values() for target in pads):
            yield (*words, f"{word}!"), target
        words += (word,) if word else ()
    match block.end:
        case Jump(targets):
            yield from ((words, target) for target in targets)
        case Branch(_, origin, if_true, if_false):
            yield (*words, f"?{_text(origin)}"), if_true
            yield (*words, f"-{_text(origin)}"), if_false
        case Advance(_, _, _, _, into, done, pads_by_kind):
            yield (*words, "next"), into
            yield (*words, "done"), done
            for target in dict.fromkeys(target for pads in pads_by_kind.values() for target in pads):
                yield (*words, "next!"), target


def _word(effect: Effect) -> str:
    match effect:
        case Call(_, callee):
            return callee.name
        case Assign(target) if target[0] != "%":
            return f"{target}="
        case Store(target):
            return f"{target}:="
        case Enter():
            return "enter"
        case Leave():
            return "leave"
        case Catch():
            return "caught"
        case Throw():
            return "throw"
        case Suspend():
            return "await"
        case Yield():
            return "yield"
    return ""


def _text(origin: object) -> str:
    """Returns a test's own text, normalised and without spaces."""
    if isinstance(origin, Origin) and isinstance(origin.node, cst.BaseExpression):
        return ast.unparse(ast.parse(origin.code, mode="eval")).replace(" ", "")
    return "case"


def calls(graph: Graph, name: str) -> int:
    """Returns how often a call is laid."""
    effects = (step.effect for block in graph.blocks for step in block.steps)
    return sum(isinstance(effect, Call) and effect.callee.name == name for effect in effects)
