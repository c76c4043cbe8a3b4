"""Finds what is never nil: the sentinel errors of a package, and what its functions make of errors.

A function that wraps an error returns nil for nil alone: the answer names the parameters that must not be nil. All is
read from the text of the function, which may neither acquire nor close.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from fdlint.catalog.model import Argument, Instance
from fdlint.languages.go.catalog import ERROR
from fdlint.languages.go.lowering.constants import MAX_HOPS, Node, arguments_of, text
from fdlint.languages.go.lowering.package import Declared, Package
from fdlint.languages.go.naming import makes_error, passes_errors_on

Needed: TypeAlias = frozenset[str] | None
"""The parameters that must not be nil so that something is not nil; None if it may be nil anyway."""

ALWAYS: frozenset[str] = frozenset()
_ERROR = "error"
_NIL = "nil"
_NEVER = frozenset({"composite_literal", "func_literal", "interpreted_string_literal", "raw_string_literal"})
_ASSIGNING = frozenset({"short_var_declaration", "assignment_statement"})
_GROUPS = frozenset({"parenthesized_expression", "expression_list", "literal_element"})
_BLOCKS = frozenset({"block", "statement_list"})
_DIGITS = "0123456789"


@dataclass(slots=True)
class _Function:
    """A function whose results are looked at: its body, its parameters, and the variables that are looked at."""

    package: Package
    file: int
    body: Node | None
    parameters: Sequence[tuple[str, str]] = ()
    asked: set[str] = field(default_factory=set)


class NonNil:
    """Answers for one package."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._variables: dict[str, bool] = {}
        self._results: dict[str, frozenset[int] | None] = {}
        self._others: dict[str, NonNil] = {}
        self._depth = 0

    def variable(self, name: str) -> bool:
        """Whether a variable of the package is never nil: ``var errClosed = errors.New("closed")``."""
        if name not in self._variables:
            self._variables[name] = False  # one that refers to itself
            value = self._package.constant_value(name)
            if value is not None:
                self._variables[name] = self._needs(_Function(self._package, value.file, None), value.node) == ALWAYS
        return self._variables[name]

    def result(self, name: str) -> frozenset[int] | None:
        """Returns the numbers of the parameters that must not be nil so that the error that a function returns last is
        not nil; None if it may be nil anyway. A receiver is no parameter."""
        declared = self._package.functions.get(name)
        return self.last_result(name) if declared is not None and declared.results[-1:] == (_ERROR,) else None

    def result_of(self, path: str, name: str) -> frozenset[int] | None:
        """The same of a function in another package of the module."""
        other = self._other(path)
        return other.result(name) if other is not None else None

    def _other(self, path: str) -> NonNil | None:
        """Returns the answers for another package of the module."""
        other = self._package.package_at(path)
        if other is not None and path not in self._others:
            self._others[path] = NonNil(other)
        return self._others.get(path)

    def last_result(self, name: str) -> frozenset[int] | None:
        """Returns the same as ``result`` also of a function whose last result is a struct of the module, or points to
        one."""
        if name not in self._results:
            self._results[name] = None  # one that calls itself
            declared = self._package.functions.get(name)
            kind = declared.results[-1] if declared is not None and declared.results else ""
            told = kind == _ERROR or self._package.is_object(kind)
            if declared is not None and told and self._depth < MAX_HOPS:
                self._depth += 1
                self._results[name] = self._result(declared)
                self._depth -= 1
        return self._results[name]

    def _result(self, declared: Declared) -> frozenset[int] | None:
        node = declared.node
        body = node.child_by_field_name("body")
        parameters = self._package.parameters(declared.file, node.child_by_field_name("parameters"))
        if body is None or (all(kind != _ERROR for _, kind in parameters) and _returns_nil(text(body))):
            return None
        function = _Function(self._package, declared.file, body, parameters)
        found: set[str] = set()
        for one in _inside(body, "return_statement"):
            needed = self._returned(function, one, len(declared.results))
            if needed is None:
                return None
            found |= needed
        return frozenset(number for number, (name, _) in enumerate(parameters) if name in found)

    def _returned(self, function: _Function, node: Node, count: int) -> Needed:
        """Returns what a ``return`` needs so that the last result is not nil."""
        values = node.named_children[0].named_children if node.named_children else []
        if len(values) != count:
            return None  # named results, or those of a call
        if text(values[-1]) != _NIL:
            return ALWAYS if _is_set_at(text(values[-1]), node) else self._needs(function, values[-1])
        errors = [name for name, kind in function.parameters if kind == _ERROR]
        return next((frozenset({name}) for name in errors if _is_nil_at(name, node)), None)

    def _needs(self, function: _Function, node: Node) -> Needed:
        """Returns what an expression needs so that it is not nil."""
        while node.type in _GROUPS and len(node.named_children) == 1:
            node = node.named_children[0]
        if node.type in _NEVER or (node.type == "unary_expression" and text(node).startswith("&")):
            return ALWAYS
        match node.type:
            case "identifier":
                return self._named(function, text(node))
            case "selector_expression":
                first = text(node.child_by_field_name("operand"))
                return ALWAYS if first in function.package.imports[function.file] else None
            case "call_expression":
                return self._called(function, node)
        return None

    def _named(self, function: _Function, name: str) -> Needed:
        if function.body is None:
            return ALWAYS if self.variable(name) else None
        kinds = dict(function.parameters)
        if name in function.asked:
            return ALWAYS  # it depends on itself, and on the other values that it gets
        values = [*_assigned(function.body, name)]
        if name not in kinds and not values:
            return ALWAYS if self.variable(name) else None
        if kinds.get(name, _ERROR) != _ERROR:
            return None
        function.asked.add(name)
        found: Needed = frozenset({name}) if name in kinds else ALWAYS
        for value in values:
            needed = self._needs(function, value) if value is not None and found is not None else None
            found = found | needed if found is not None and needed is not None else None
        function.asked.discard(name)
        return found

    def _called(self, function: _Function, node: Node) -> Needed:
        called, arguments = node.child_by_field_name("function"), arguments_of(node)
        if called is None:
            return None
        package, name = function.package, text(called)
        if called.type == "identifier":
            if name in package.types:
                return ALWAYS if name in package.fields else None
            return self._given(function, arguments, self.last_result(name)) if name in package.functions else None
        first, _, last = name.rpartition(".")
        module = package.imports[function.file].get(first)
        if module is None:
            return self._translated(function, last, arguments)
        path, _, last = package.meant(module, last).rpartition(".")
        apis = package.catalog.lookup(f"{path}.{last}")
        if apis:
            shape = apis[0].returns
            of_argument = isinstance(shape, Argument) and apis[0].params[:1] == ("err",) and arguments
            if of_argument:
                return self._needs(function, arguments[0])
            return ALWAYS if isinstance(shape, Instance) and shape.type == ERROR else None
        other = self._other(path)
        if other is not None:
            return self._given(function, arguments, other.last_result(last))
        return ALWAYS if makes_error(last) else self._translated(function, last, arguments)

    def _given(self, function: _Function, arguments: Sequence[Node], wanted: frozenset[int] | None) -> Needed:
        """Returns what the arguments of a call need so that those that must not be nil are not."""
        found: frozenset[str] = ALWAYS
        for number in wanted if wanted is not None else ():
            needed = self._needs(function, arguments[number]) if number < len(arguments) else None
            if needed is None:
                return None
            found |= needed
        return found if wanted is not None else None

    def _translated(self, function: _Function, name: str, arguments: Sequence[Node]) -> Needed:
        """Returns what the call of an unknown function needs, which makes an error of an error by its name."""
        errors = [one for one in arguments if one.type == "identifier" and is_named_so(text(one))]
        if len(errors) != 1 or not passes_errors_on(name):
            return None
        return self._needs(function, errors[0])


def is_named_so(name: str) -> bool:
    """Whether the name of a variable is that of an error, by custom."""
    return name.rstrip(_DIGITS) in ("e", "err", "errno") or name.endswith(("Err", "Errno"))


def _returns_nil(body: str) -> bool:
    """Whether a line of a function returns nil last."""
    lines = (line.split() for line in body.split("\n"))
    return any("return" in words and words[-1] == "nil" for words in lines)


def _inside(node: Node, kind: str) -> Iterator[Node]:
    """Yields the statements of a kind in a body, without those of function literals."""
    pending = [node]
    while pending:
        one = pending.pop()
        if one.type == kind:
            yield one
        elif one.type != "func_literal":
            pending.extend(one.named_children)


def _assigned(body: Node, name: str) -> Iterator[Node | None]:
    """Yields what is assigned to a variable; None for a value that is not told."""
    pending = [body]
    while pending:
        one = pending.pop()
        pending.extend(one.named_children)
        if one.type in _ASSIGNING:
            names, values = one.child_by_field_name("left"), one.child_by_field_name("right")
            left = [text(each) for each in names.named_children] if names is not None else []
            right = values.named_children if values is not None else []
        elif one.type == "var_spec":
            left = [text(each) for each in one.children_by_field_name("name")]
            values = one.child_by_field_name("value")
            right = values.named_children if values is not None else []
        elif one.type == "range_clause":
            names = one.child_by_field_name("left")
            left, right = [text(each) for each in names.named_children] if names is not None else [], []
        elif one.type == "unary_expression" and text(one).startswith("&"):
            left, right = [text(one.child_by_field_name("operand"))], []
        else:
            continue
        if name in left:
            yield right[left.index(name)] if len(left) == len(right) else None


def _is_nil_at(name: str, node: Node) -> bool:
    """Whether a statement runs only if an error is nil: below ``if err == nil``, or after ``if err != nil`` that
    returns."""
    inner, outer = node, node.parent
    while outer is not None and outer.type != "func_literal":
        if outer.type == "if_statement":
            asked = text(outer.child_by_field_name("condition"))
            part = "consequence" if asked == f"{name} == nil" else "alternative" if asked == f"{name} != nil" else ""
            if part and outer.child_by_field_name(part) == inner:
                return True
        if outer.type == "expression_case" and text(outer.child_by_field_name("value")) in (f"{name} == nil", _NIL):
            return True
        before = inner.prev_named_sibling
        while before is not None:
            if before.type == "if_statement" and text(before.child_by_field_name("condition")) == f"{name} != nil":
                return _returns(before.child_by_field_name("consequence"))
            before = before.prev_named_sibling
        inner, outer = outer, outer.parent
    return False


def _is_set_at(name: str, node: Node) -> bool:
    """Whether a statement is right below ``if err != nil``, where the error is not nil."""
    inner, outer = node, node.parent
    while outer is not None and outer.type in _BLOCKS:
        inner, outer = outer, outer.parent
    if outer is None or outer.type != "if_statement" or outer.child_by_field_name("consequence") != inner:
        return False
    return text(outer.child_by_field_name("condition")) == f"{name} != nil"


def _returns(body: Node | None) -> bool:
    while body is not None and body.type in _BLOCKS and body.named_children:
        body = body.named_children[-1]
    return body is not None and body.type == "return_statement"
