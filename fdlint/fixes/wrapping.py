"""Puts statements into a ``try``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import libcst as cst

from fdlint.fixes.acquiring import Acquiring
from fdlint.fixes.python_file import Statement, nodes, only
from fdlint.fixes.trees import Removed


@dataclass(frozen=True, slots=True)
class Freed:
    """Statements without the closes in them. ``removed``: one for each of these."""

    statements: Sequence[Statement]
    removed: Sequence[Removed]


def with_finally(body: Sequence[Statement], clean: Sequence[Statement]) -> cst.Try:
    """Returns ``try: body finally: clean``."""
    lines, inner = _split(body)
    return cst.Try(body=inner, leading_lines=lines, finalbody=cst.Finally(body=cst.IndentedBlock(body=list(clean))))


def with_handler(body: Sequence[Statement], clean: Sequence[Statement]) -> cst.Try:
    """Returns ``try: body except BaseException: clean``."""
    kind = cst.Name("BaseException")
    handler = cst.ExceptHandler(
        type=kind, whitespace_after_except=cst.SimpleWhitespace(" "), body=cst.IndentedBlock(body=list(clean))
    )
    lines, inner = _split(body)
    return cst.Try(body=inner, leading_lines=lines, handlers=[handler])


def _split(body: Sequence[Statement]) -> tuple[Sequence[cst.EmptyLine], cst.IndentedBlock]:
    """Returns the empty lines before the first statement, which stay before a ``try``, and its body."""
    first = body[0]
    lines = list(first.leading_lines)
    empty = next((number for number, line in enumerate(lines) if line.comment is not None), len(lines))
    return lines[:empty], cst.IndentedBlock(body=[first.with_changes(leading_lines=lines[empty:]), *body[1:]])


def freed(acquiring: Acquiring, statements: Sequence[Statement], before: Collection[type]) -> Freed | None:
    """Takes the closes out of statements. Each must come right before a statement of one of these kinds, which leaves
    the block without a call of its own; otherwise something would now happen before the close, and the result is
    None."""
    work = _Freeing(acquiring, tuple(before))
    new = [one.visit(work) for one in statements]
    calls = (node for one in new if isinstance(one, cst.CSTNode) for node in nodes(one) if isinstance(node, cst.Call))
    if work.stays or any(map(acquiring.closes_in, calls)):
        return None
    return Freed(new, work.removed)  # type: ignore[arg-type]


def moved(close: Statement) -> Statement:
    """Returns a close for another place: with its comments, without empty lines."""
    return close.with_changes(leading_lines=[line for line in close.leading_lines if line.comment is not None])


def _statements(root: cst.CSTNode) -> list[Statement]:
    return [node for node in nodes(root) if isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))]


class _Freeing(cst.CSTTransformer):
    """Removes closes from blocks. ``stays``: one of them must stay."""

    def __init__(self, acquiring: Acquiring, before: tuple[type, ...]) -> None:
        super().__init__()
        self.removed: list[Removed] = []
        self.stays = False
        self._acquiring, self._before = acquiring, before

    def leave_Try(self, original_node: cst.Try, updated_node: cst.Try) -> cst.Try:
        """Keeps the closes before a ``finally``, which would now run first."""
        if original_node.finalbody is not None and any(map(self._acquiring.closed, _statements(original_node))):
            self.stays = True
        return updated_node

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.BaseSuite:
        """Removes the closes of one block."""
        old = original_node.body
        names = [self._acquiring.closed(one) for one in old]
        if not any(names):
            return updated_node
        for number, name in enumerate(names):
            if name is None:
                continue
            self.stays = self.stays or any(isinstance(node, cst.Comment) for node in nodes(old[number]))
            rest = next((one for one, other in zip(old[number:], names[number:], strict=True) if other is None), None)
            self.stays = self.stays or rest is None or not self._leaves_at_once(rest)
            self.removed.append(Removed(name.code))
        kept = [one for one, name in zip(updated_node.body, names, strict=True) if name is None]
        return updated_node.with_changes(body=kept)

    def _leaves_at_once(self, statement: cst.BaseStatement) -> bool:
        small = only(statement)
        if small is None or not isinstance(small, self._before):
            return False
        calls = (isinstance(node, (cst.Call, cst.Await, cst.Yield)) for node in nodes(small))
        return isinstance(small, cst.Raise) or not any(calls)
