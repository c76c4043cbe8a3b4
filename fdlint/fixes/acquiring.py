"""The statement that acquires what a finding is about, and what the code does with it later."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import libcst as cst

from fdlint.core.finding import Finding, Holding
from fdlint.fixes.lists import are_lists, is_item, loop_variable
from fdlint.fixes.python_file import Function, Place, PythonFile, Statement, last_of, mentions, nodes, only

_SUBJECT = re.compile(r"(?:each of )?((?:`[^`]{1,200}`(?: and )?){1,8}) from ")
_NAME = re.compile(r"`([^`]+)`")
_OF_HANDLE = "osfhandle"
_LEAVING = (cst.Return, cst.Raise, cst.Break, cst.Continue)
_AROUND = (cst.Element, cst.Tuple, cst.List, cst.BooleanOperation)
_LOOKING = (
    cst.Comparison,
    cst.ComparisonTarget,
    cst.FormattedStringExpression,
    cst.UnaryOperation,
    cst.BinaryOperation,
)
_SEEING_ALL = ("locals", "vars", "eval", "exec")
_SCOPES = (cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.GeneratorExp)


class Closed(NamedTuple):
    """The variable that a statement closes, and the statement."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class Acquiring:
    """An acquisition. ``names``: the variables that alone hold what it gave. ``place``: the statement after which all
    of them are bound; it acquires, or it is a ``try`` or an ``if`` around that. ``closers``: how the file spells the
    closing function. ``each``: the variable of a loop that closes them, if they are lists."""

    file: PythonFile
    names: Sequence[str]
    place: Place
    closers: Sequence[str]
    each: str | None = None

    def is_sole(self, finding: Finding) -> bool:
        """Whether nothing but the variables holds the descriptor, on all paths."""
        return finding.holding is Holding.SOLE and not _is_of_handle(finding)

    def is_given_later(self, finding: Finding, statements: Sequence[cst.CSTNode]) -> bool:
        """Whether the function gives the descriptor to something known, by a ``return`` or behind some statements."""
        known = finding.holding is Holding.GIVES and not _is_of_handle(finding)
        return known and only_used(self.file, statements, self.names, returned=True)

    @property
    def listed(self) -> str:
        """The names, for titles."""
        return " and ".join(f"`{name}`" for name in self.names)

    def closes(self) -> list[str]:
        """Returns the statements that close all of them."""
        return [self.close(name) for name in self.names]

    def close(self, name: str) -> str:
        """Returns the statement that closes one of them."""
        if self.each is not None:
            return f"for {self.each} in {name}:\n    {self.closers[0]}({self.each})\n"
        return f"{self.closers[0]}({name})"

    def clause(self, head: str, codes: Sequence[str]) -> str:
        """Returns a clause of a ``try`` that holds statements."""
        return f"{head}:\n" + "".join(f"{textwrap.indent(code.rstrip(), '    ')}\n" for code in codes)

    def closed(self, statement: cst.CSTNode) -> Closed | None:
        """Returns what a statement closes that does nothing else; None for any other statement."""
        if isinstance(statement, cst.For) and self.each is not None:
            return self._closed_in_turn(statement)
        small = only(statement)
        if small is None:
            return None
        code = self.file.code(small)
        found = (Closed(name, code) for name in self.names for one in self.closers if code == f"{one}({name})")
        return next(found, None)

    def _closed_in_turn(self, loop: cst.For) -> Closed | None:
        code = self.file.code(loop)
        for name in self.names:
            target = self.file.code(loop.target)
            heads = (
                f"for {target} in {name}:\n{self.file.module.default_indent}{one}({target})" for one in self.closers
            )
            if loop.orelse is None and textwrap.dedent(code) in heads:
                return Closed(name, f"{code}\n")
        return None

    def closes_in(self, call: cst.Call) -> bool:
        """Whether a call closes one of the names."""
        code = self.file.code(call)
        return any(code == f"{one}({name})" for name in self.names for one in self.closers)

    def is_argument_of(self, statement: cst.CSTNode) -> bool:
        """Whether a statement passes one of the names to a call that is not of the module with the closing function."""
        own = {one.partition(".")[0] for one in self.closers}
        calls = (node for node in nodes(statement) if isinstance(node, cst.Call))
        others = (call for call in calls if self.file.code(call.func).partition(".")[0] not in own)
        return any(self.named_in(arg) for call in others for arg in call.args)

    def named_in(self, node: cst.CSTNode) -> bool:
        """Whether one of the names occurs in a node."""
        return any(mentions(node, name) for name in self.names)


def acquiring(file: PythonFile, finding: Finding) -> Acquiring | None:
    """Returns the acquisition of a finding about a leak, if plain local variables hold what it gave, and only they."""
    call = file.expression(finding.span)
    names = subjects(finding)
    place = file.place(call) if call is not None else None
    if call is None or place is None or not names or not file.closers:
        return None
    function = file.function(call)
    bound = _bound(place.statement, call)
    if not isinstance(function, cst.FunctionDef) or any(bound.count(name) != 1 for name in names):
        return None
    if any(_is_shared(function, name) for name in names) or hides_closer(file, function):
        return None
    lists = are_lists(file, place, names, received=finding.code == "FD109")
    each = loop_variable(file, function, names[0]) if lists else None
    return Acquiring(file, names, _around(file, place, names), file.closers, each) if each or not lists else None


def hides_closer(file: PythonFile, function: Function) -> bool:
    """Whether a variable of a function has the name by which the file knows the closing function or its module."""
    roots = {one.partition(".")[0] for one in file.closers}
    parameters = {one.name.value for one in nodes(function.params) if isinstance(one, cst.Param)}
    return not roots.isdisjoint(parameters) or rebinds([function.body], roots)


def _is_of_handle(finding: Finding) -> bool:
    """Whether the number was made from a handle of Windows: it may be closed with the handle."""
    return (finding.api or "").endswith(_OF_HANDLE)


def subjects(finding: Finding) -> list[str]:
    """Returns the names that a message begins with; none if one of them is no plain variable."""
    found = _SUBJECT.match(finding.message)
    names = _NAME.findall(found[1]) if found is not None else []
    return names if all(name.isidentifier() for name in names) else []


def _bound(statement: Statement, call: cst.BaseExpression) -> list[str]:
    """Returns the variables that a statement binds to the result of a call, or to its parts."""
    small = only(statement)
    if isinstance(small, cst.AnnAssign) and small.value is call and isinstance(small.target, cst.Name):
        return [small.target.value]
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return []
    taken = small.value.value if isinstance(small.value, cst.Subscript) else small.value  # `recv_fds(…)[1]`
    if taken is not call:
        return []
    target = small.targets[0].target
    parts = [one.value for one in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else [target]
    return [one.value for one in parts if isinstance(one, cst.Name)]


def _is_shared(function: cst.FunctionDef, name: str) -> bool:
    """Whether code outside of the function, a nested function, or one that asks for all variables may see this one."""
    for node in nodes(function.body):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _SEEING_ALL:
            return True
        if isinstance(node, (cst.Global, cst.Nonlocal)) and mentions(node, name):
            return True
        if isinstance(node, _SCOPES) and mentions(node, name):
            return True
    return False


def _around(file: PythonFile, place: Place, names: Sequence[str]) -> Place:
    """Returns the statement around an acquisition behind which all names are bound: a ``try`` whose handlers leave, or
    an ``if`` of which all branches bind them or leave."""
    while place.index == len(place.block.body) - 1:
        above = file.parents.get(place.block)
        if isinstance(above, cst.Try) and above.body is place.block:
            if above.orelse is not None or above.finalbody is not None:
                return place
            if not all(_always_leaves(handler.body) for handler in above.handlers):
                return place
        elif isinstance(above, (cst.If, cst.Else)):
            while isinstance(parent := file.parents.get(above), cst.If) and parent.orelse is above:
                above = parent
            if not isinstance(above, cst.If) or not _binds_always(above, names):
                return place
        else:
            return place
        outer = file.place(above)
        if outer is None:
            return place
        place = outer
    return place


def _binds_always(branch: cst.If | cst.Else | None, names: Sequence[str]) -> bool:
    """Whether each branch of an ``if`` ends with an assignment to all names, or leaves."""
    while branch is not None:
        if not _always_leaves(branch.body) and not _binds_last(branch.body, names):
            return False
        if isinstance(branch, cst.Else):
            return True
        branch = branch.orelse
    return False


def _binds_last(body: cst.BaseSuite, names: Sequence[str]) -> bool:
    small = last_of(body)
    return isinstance(small, cst.Assign) and all(any(mentions(one, name) for one in small.targets) for name in names)


def _always_leaves(body: cst.BaseSuite) -> bool:
    return isinstance(last_of(body), _LEAVING)


def used_elsewhere(found: Acquiring, made: Collection[str] = ()) -> bool:
    """Whether the function uses the names in other places than the acquiring statement and those behind it in its
    block. ``made``: other variables that count, too."""
    function = found.file.function(found.place.statement)
    own = {node for one in (found.place.statement, *found.place.later) for node in nodes(one)}
    for node in nodes(function.body) if function is not None else ():
        elsewhere = isinstance(node, cst.Name) and node.value in (*found.names, *made) and node not in own
        if elsewhere and not isinstance(found.file.parents.get(node), (cst.AssignTarget, cst.AnnAssign)):
            return True
    return False


def rebinds(statements: Sequence[cst.CSTNode], names: Collection[str]) -> bool:
    """Whether statements give one of the variables another value, or delete it."""
    for statement in statements:
        for node in nodes(statement):
            targets: Sequence[cst.CSTNode] = ()
            if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.NamedExpr)):
                targets = [node.target]
            elif isinstance(node, (cst.Del, cst.AsName, cst.Import, cst.ImportFrom, cst.MatchAs, cst.MatchStar)):
                targets = [node]
            if any(mentions(target, name) for target in targets for name in names):
                return True
    return False


def only_used(
    file: PythonFile,
    statements: Sequence[cst.CSTNode],
    names: Collection[str],
    *,
    returned: bool = False,
    lent: bool = False,
) -> bool:
    """Whether statements only look at variables or pass them to calls, and store none of them. ``returned``: whether
    they may return them. ``lent``: whether they may yield them."""
    besides = (*((cst.Return,) if returned else ()), *((cst.Yield,) if lent else ()))
    found = (node for one in statements for node in nodes(one) if isinstance(node, cst.Name) and node.value in names)
    return all(_is_passing(file, name, besides) for name in found)


def may_hold_none(file: PythonFile, statements: Sequence[cst.CSTNode], names: Collection[str]) -> bool:
    """Whether statements ask if a variable holds a descriptor at all: if not, a close of it would raise."""
    for node in (node for one in statements for node in nodes(one)):
        if isinstance(node, cst.Comparison) and any(mentions(node, name) for name in names):
            if any(_is_none(file, one) for one in node.comparisons):
                return True
        elif isinstance(node, cst.Name) and node.value in names:
            above = file.parents.get(node)
            tested = isinstance(above, (cst.If, cst.While, cst.IfExp, cst.Assert)) and above.test is node
            if tested or isinstance(above, (cst.UnaryOperation, cst.BooleanOperation)):
                return True
    return False


def _is_none(file: PythonFile, one: cst.ComparisonTarget) -> bool:
    """Whether a comparison is with ``None``, or with what no descriptor is."""
    code = file.code(one.comparator)
    below_zero = isinstance(one.operator, (cst.LessThan, cst.GreaterThanEqual)) and code == "0"
    return code in {"None", "False"} or code.startswith("-") or below_zero


def _is_passing(file: PythonFile, name: cst.Name, besides: tuple[type, ...]) -> bool:
    at: cst.CSTNode = name
    while True:
        above = file.parents.get(at)
        if isinstance(above, cst.Arg):
            return not isinstance(file.parents.get(above), cst.ClassDef)
        if isinstance(above, _LOOKING):
            return True
        if isinstance(above, (cst.If, cst.While, cst.Assert)):
            return above.test is at
        if isinstance(above, besides):
            return True
        if isinstance(above, cst.For) and above.iter is at and isinstance(above.target, cst.Name):
            return only_used(file, [above.body], [above.target.value])
        if above is None or not (isinstance(above, _AROUND) or is_item(above, at)):
            return False
        at = above


def leaving(statements: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Yields what leaves statements on the way: ``return``, and ``break`` and ``continue`` of a loop around them."""
    waiting: list[tuple[cst.CSTNode, bool]] = [(one, False) for one in statements]
    while waiting:
        node, in_loop = waiting.pop()
        if isinstance(node, cst.Return) or (isinstance(node, (cst.Break, cst.Continue)) and not in_loop):
            yield node
        if isinstance(node, _SCOPES):
            continue
        loops = in_loop or isinstance(node, (cst.For, cst.While))
        waiting.extend((child, loops) for child in node.children)
