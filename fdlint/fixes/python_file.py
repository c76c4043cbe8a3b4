"""A Python file that is to be repaired: its libcst tree, and where the statements and names in it are."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from fdlint.catalog import NO_MODELS, Models
from fdlint.core.finding import Span
from fdlint.languages.python.lowering.positions import Range, positions
from fdlint.languages.python.lowering.trees import children
from fdlint.scan.reading.nesting import check

Block: TypeAlias = cst.Module | cst.IndentedBlock
"""What holds statements on lines of their own."""
Statement: TypeAlias = cst.SimpleStatementLine | cst.BaseCompoundStatement
Function: TypeAlias = cst.FunctionDef | cst.Lambda

_MODULE, _CLOSE = "os", "close"


@dataclass(frozen=True, slots=True)
class Place:
    """A statement in a block. ``index``: its number there."""

    block: Block
    index: int

    @property
    def statement(self) -> Statement:
        """The statement itself."""
        return self.block.body[self.index]  # type: ignore[return-value]

    @property
    def later(self) -> Sequence[Statement]:
        """The statements behind it in the block."""
        return self.block.body[self.index + 1 :]  # type: ignore[return-value]


@dataclass(eq=False)
class PythonFile:
    """A parsed file. ``text``: its source, with the ends of lines as they are. ``models``: those of the configuration.
    Raises ``cst.ParserSyntaxError`` and ``TooDeepError``."""

    text: str
    models: Models = NO_MODELS
    module: cst.Module = field(init=False)

    def __post_init__(self) -> None:
        check(self.text, costly=True)
        module = cst.parse_module(self.text)
        ends = self.text.endswith(("\n", "\r"))  # libcst sees no end of a line in a carriage return
        self.module = module.with_changes(has_trailing_newline=True) if ends else module

    @functools.cached_property
    def ranges(self) -> Mapping[cst.CSTNode, Range]:
        """The start and the end of every node."""
        return positions(self.module)

    @functools.cached_property
    def parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        """The node around each node."""
        found: dict[cst.CSTNode, cst.CSTNode] = {}
        waiting: list[cst.CSTNode] = [self.module]
        while waiting:
            node = waiting.pop()
            for child in children(node):
                found[child] = node
                waiting.append(child)
        return found

    @functools.cached_property
    def _expressions(self) -> Mapping[Range, cst.BaseExpression]:
        """The expression of each range; the outermost one if several share it."""
        found: dict[Range, cst.BaseExpression] = {}
        for node in self.parents:
            if isinstance(node, cst.BaseExpression) and node in self.ranges:
                known = found.get(self.ranges[node])
                if known is None or node in self.above(known):
                    found[self.ranges[node]] = node
        return found

    def expression(self, span: Span) -> cst.BaseExpression | None:
        """Returns the expression at a span of a finding."""
        return self._expressions.get(((span.line, span.column - 1), (span.end_line, span.end_column - 1)))

    def imported(self, name: str) -> str | None:
        """Returns the variable to which the top of the file imports a module; None if there is none."""
        for statement in self.module.body:
            for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
                for one, bound in self._bound(small.names) if isinstance(small, cst.Import) else ():
                    if one == name:
                        return bound
        return None

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yields the nodes around a node, the innermost first."""
        at = self.parents.get(node)
        while at is not None:
            yield at
            at = self.parents.get(at)

    def place(self, node: cst.CSTNode) -> Place | None:
        """Returns the statement around a node, if it stands on lines of its own."""
        at = node
        for above in self.above(node):
            if isinstance(above, (cst.Module, cst.IndentedBlock)) and at in above.body:
                return Place(above, [one is at for one in above.body].index(True))
            if isinstance(above, cst.SimpleStatementSuite):
                return None
            at = above
        return None

    def place_at(self, line: int) -> Place | None:
        """Returns the innermost statement that covers a line."""
        best: tuple[int, Place] | None = None
        for node in self.ranges:
            if isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
                (first, _), (last, _) = self.ranges[node]
                if first <= line <= last and (best is None or last - first <= best[0]):
                    found = self.place(node)
                    best = (last - first, found) if found is not None else best
        return best[1] if best is not None else None

    def covers(self, node: cst.CSTNode, span: Span) -> bool:
        """Whether a span begins inside of a node."""
        found = self.ranges.get(node)
        return found is not None and found[0] <= (span.line, span.column - 1) < found[1]

    def function(self, node: cst.CSTNode) -> Function | None:
        """Returns the function around a node; None at the level of the module or of a class."""
        kinds = (cst.FunctionDef, cst.Lambda, cst.ClassDef)
        around = next((one for one in self.above(node) if isinstance(one, kinds)), None)
        return around if isinstance(around, (cst.FunctionDef, cst.Lambda)) else None

    def code(self, node: cst.CSTNode) -> str:
        """Returns the source of a node, without whitespace around it."""
        return self.module.code_for_node(node).strip()

    def statement(self, code: str) -> Statement:
        """Returns a new statement with the indentation and the ends of lines of the file."""
        return cst.parse_statement(code, config=self.module.config_for_parsing)

    def with_body(self, block: Block, body: Sequence[cst.BaseStatement]) -> str:
        """Returns the text of the file with other statements in one block."""
        return self.with_node(block, block.with_changes(body=tuple(body)))

    def without(self, statements: Collection[cst.CSTNode]) -> str:
        """Returns the text of the file without some statements. Each block must keep one."""
        return self.module.visit(_Dropping(statements)).code

    def with_node(self, old: cst.CSTNode, new: cst.CSTNode) -> str:
        """Returns the text of the file with another node in the place of one."""
        made = self.module.deep_replace(old, new)
        assert isinstance(made, cst.Module)
        return made.code

    @functools.cached_property
    def closers(self) -> Sequence[str]:
        """How the file spells the function that closes a descriptor, the best spelling first; empty if it does not
        import it."""
        whole, parts = [], []
        for statement in self.module.body:
            for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
                if isinstance(small, cst.Import):
                    whole += [f"{name}.{_CLOSE}" for one, name in self._bound(small.names) if one == _MODULE]
                elif isinstance(small, cst.ImportFrom) and not small.relative and small.module is not None:
                    given = () if isinstance(small.names, cst.ImportStar) else self._bound(small.names)
                    parts += [name for one, name in given if one == _CLOSE and self.code(small.module) == _MODULE]
        return [*dict.fromkeys((*whole, *parts))]

    def _bound(self, names: Sequence[cst.ImportAlias]) -> Iterator[tuple[str, str]]:
        """Yields what an import names, each with the variable that it binds."""
        for alias in names:
            name = self.code(alias.name)
            yield name, self.code(alias.asname.name) if alias.asname is not None else name


class _Dropping(cst.CSTTransformer):
    def __init__(self, statements: Collection[cst.CSTNode]) -> None:
        super().__init__()
        self._statements = statements

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        """Removes the statement if it is one of them."""
        return cst.RemoveFromParent() if original_node in self._statements else updated_node


def only(statement: cst.CSTNode | None) -> cst.BaseSmallStatement | None:
    """Returns what a line does, if it does one thing; None for any other statement."""
    alone = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
    return statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and alone else None


def last_of(body: cst.BaseSuite) -> cst.CSTNode | None:
    """Returns the last thing that a block does; None for an empty one."""
    last = body.body[-1] if body.body else None
    return last.body[-1] if isinstance(last, cst.SimpleStatementLine) and last.body else last


def nodes(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yields a node and all nodes below it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(children(node))


def behind(args: Sequence[cst.Arg], added: cst.Arg) -> list[cst.Arg]:
    """Returns arguments with another one behind them, which keeps the layout: the new one is before the same newline,
    and has a comma behind it if the last one had."""
    *first, last = args
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    before = last.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace(""))
    return [*first, before, added.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)]


def fresh(root: cst.CSTNode, *wanted: str) -> str | None:
    """Returns the first of some names that does not occur below a node; None if all do."""
    return next((name for name in wanted if not mentions(root, name)), None)


def mentions(root: cst.CSTNode, name: str) -> bool:
    """Whether a variable occurs below a node."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.Name) and node.value == name:
            return True
        if isinstance(node, (cst.Attribute, cst.Arg)):  # the name of an attribute or a keyword is no variable
            waiting.append(node.value)
        else:
            waiting.extend(children(node))
    return False
