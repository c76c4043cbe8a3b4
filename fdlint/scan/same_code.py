"""Finds edits inside of functions that change nothing which the analysis reads: layout, and texts that nobody uses.
After such an edit, earlier results hold; positions move."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from fdlint.languages.index.facts import Facts, facts_of
from fdlint.languages.index.outline import Piece, Sketch
from fdlint.scan.earlier import Moves
from fdlint.scan.layout_edits import FIRST, SILENCING
from fdlint.scan.reading.nesting import TooDeepError, check

_FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
_NOTHING = ast.Pass, ast.Raise
"""Statements that alone make a function one that is not implemented."""


def same_code(before: Sketch, moves: Moves, old: Sequence[str], new: Sequence[str]) -> Sketch | None:
    """Returns the sketch of the new text if an edit of the lines changes no code; None otherwise. ``before``: the
    sketch of the old text."""
    changed = *old[moves.start - 1 : moves.end - 1], *new[moves.start - 1 : moves.end - 1 + moves.by]
    if moves.start <= FIRST or any(map(SILENCING.search, changed)):
        return None
    after, name = moved_sketch(before, moves, new), _around(before, moves)
    if after is None:
        return None
    defined = _defined(before)
    if name is None:
        facts = _facts_if_same(before.text, after.text, before.own_facts, defined)
        return replace(after, own_facts=facts) if facts is not None else None
    texts = before.pieces[name].text, after.pieces[name].text
    facts = _facts_if_same(*texts, before.facts[name], defined | before.own_facts.words)
    return replace(after, facts={**after.facts, name: facts}) if facts is not None else None


def moved_sketch(sketch: Sketch, moves: Moves, new: Sequence[str]) -> Sketch | None:
    """Returns the sketch of a text with the same code, whose changed lines are inside of one piece or outside of all.
    Returns None if the lines are elsewhere."""
    around, pieces, rest = _around(sketch, moves), {}, sketch.text.split("\n")
    for name, piece in sketch.pieces.items():
        begin, end = _begin(piece), _end(piece)
        if name == around:
            head = piece.text.partition("\n")[0] + "\n" if piece.owner is not None else ""
            text = "\n".join(new[begin - 1 : end - 1 + moves.by])
            pieces[name] = replace(piece, text=f"{head}{text}\n")
            rest[begin : end - 2] = [""] * (end - 2 - begin + moves.by)  # its stub
        elif begin >= moves.end:
            pieces[name] = replace(piece, line=piece.line + moves.by)
        elif end <= moves.start:
            pieces[name] = piece
        else:
            return None
    if around is None:
        rest[moves.start - 1 : moves.end - 1] = new[moves.start - 1 : moves.end - 1 + moves.by]
    return replace(sketch, text="\n".join(rest), pieces=pieces)


def _around(sketch: Sketch, moves: Moves) -> str | None:
    """Returns the name of the piece whose lines are around those that have changed."""
    found = (name for name, one in sketch.pieces.items() if _begin(one) < moves.start and moves.end < _end(one))
    return next(found, None)


def _begin(piece: Piece) -> int:
    return piece.line + (piece.owner is not None)  # the text of a method begins with a line of its own


def _end(piece: Piece) -> int:
    """Returns the line behind a piece."""
    return piece.line + piece.text.count("\n")


def _defined(sketch: Sketch) -> frozenset[str]:
    """Returns the names that the module defines, and those that functions rebind."""
    skeleton = sketch.skeleton
    defined = (*sketch.pieces, *skeleton.functions, *skeleton.classes, *skeleton.properties, *skeleton.lambdas)
    return sketch.rebound.union(*(one.split(".") for one in defined))


def _facts_if_same(before: str, after: str, facts: Facts, taken: frozenset[str]) -> Facts | None:
    """Returns the facts of a later text of a piece, or of what is in no piece, if it has the same code; None otherwise.
    ``taken``: the names that have a meaning, also if a text has them."""
    old, new = _code(before), _code(after)
    if old is None or new is None or old.text != new.text:
        return None
    words = old.facts.words ^ new.facts.words
    same = words.isdisjoint(taken) and new.facts._replace(words=old.facts.words) == old.facts
    return facts._replace(words=facts.words ^ words) if same else None


class _Code(NamedTuple):
    """The code of a text without what the analysis does not read. ``facts``: those of all of it."""

    text: str
    facts: Facts


def _code(text: str) -> _Code | None:
    """Returns the code of a text, without the texts that are statements of functions; None if it cannot be parsed."""
    try:
        check(text)
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, TooDeepError):
        return None
    facts = facts_of(tree)
    functions = [one for one in ast.walk(tree) if isinstance(one, _FUNCTIONS)]
    for node in dict.fromkeys(one for function in functions for one in ast.walk(function)):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                kept = [one for one in body if not _is_text(one)]
                if not all(isinstance(one, _NOTHING) for one in kept):
                    setattr(node, field, kept)
    return _Code(ast.dump(tree), facts)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
