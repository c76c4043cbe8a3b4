"""Makes a libcst tree from the tree of Python's own parser, in a third of the time that libcst needs.

The nodes are libcst's, with the same contents, but without layout: whitespace, commas, brackets. Whoever needs these,
or the position of a node, must parse the text with libcst. A test compares the two trees.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from fdlint.languages.python.lowering import bare_nodes as make

_ON_THE_NEXT_LINE = re.compile(r"(?:^|[;:])[ \t\f]*\\\n", re.MULTILINE)  # libcst refuses some of these
_STRING = re.compile(
    r"""
    ([A-Za-z]{0,2})
    (?:'''(?:[^\\']|\\.|'(?!''))*''' | \"""(?:[^\\"]|\\.|"(?!""))*\""" | '(?:[^\\'\n]|\\.)*' | "(?:[^\\"\n]|\\.)*")
    """,
    re.DOTALL | re.VERBOSE,
)
_GAP = re.compile(r"(?:[ \t\f\n]|\\\n|#[^\n]*)*")


class _UnusualError(Exception):
    """This module does not know the syntax: libcst must parse the text."""


def converted(text: str) -> cst.Module | None:
    """Returns the tree of a text; None if only libcst can read it, or gives it another structure."""
    if _ON_THE_NEXT_LINE.search(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        return _Conversion(text).module(tree)
    except (_UnusualError, cst.ParserSyntaxError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Conversion:
    """The conversion of one text."""

    def __init__(self, text: str) -> None:
        self._data = data = text.encode()  # columns count bytes
        self._starts = starts = [0]
        at = data.find(b"\n")
        while at >= 0:
            starts.append(at + 1)
            at = data.find(b"\n", at + 1)

    def module(self, tree: ast.Module) -> cst.Module:
        """Converts the whole text."""
        found: cst.Module = make.module(self._statements(tree.body))
        return found

    # -- places

    def _start(self, node: Any) -> int:
        found: int = self._starts[node.lineno - 1] + node.col_offset
        return found

    def _end(self, node: Any) -> int:
        found: int = self._starts[node.end_lineno - 1] + node.end_col_offset
        return found

    def _source(self, node: Any) -> str:
        starts = self._starts
        start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        return self._data[start:end].decode()

    # -- bodies

    def _statements(self, body: Sequence[ast.stmt]) -> list[Any]:
        """Converts statements. Simple ones on the same line become one."""
        found: list[Any] = []
        small: list[Any] = []
        last = 0  # the line where the last simple statement ends
        for node in body:
            convert = _COMPOUND.get(type(node))
            if convert is not None:
                found.append(convert(self, node))
                last = 0
            elif node.lineno == last:
                small.append(_SMALL[type(node)](self, node))
                last = node.end_lineno or 0
            else:
                small = [self._simple(node)]
                found.append(make.line(small))
                last = node.end_lineno or 0
        return found

    def _simple(self, node: ast.stmt) -> Any:
        convert = _SMALL.get(type(node))
        if convert is None:
            raise _UnusualError
        return convert(self, node)

    def _body(self, body: Sequence[ast.stmt]) -> Any:
        """Converts the body of a compound statement, on lines of its own or on the line of the colon."""
        first = body[0]
        if type(first) in _SMALL:
            start = self._starts[first.lineno - 1]
            if self._data[start : start + first.col_offset].strip():
                return make.suite([self._simple(node) for node in body])
        return make.block(self._statements(body))

    def _otherwise(self, body: Sequence[ast.stmt]) -> Any:
        return make.else_(self._body(body)) if body else None

    # -- compound statements

    def _if(self, node: ast.If) -> Any:
        orelse = node.orelse
        if len(orelse) == 1 and type(orelse[0]) is ast.If and self._data.startswith(b"elif", self._start(orelse[0])):
            other = self._if(orelse[0])
        else:
            other = self._otherwise(orelse)
        return make.if_(self._of(node.test), self._body(node.body), other)

    def _while(self, node: ast.While) -> Any:
        return make.while_(self._of(node.test), self._body(node.body), self._otherwise(node.orelse))

    def _for(self, node: ast.For | ast.AsyncFor) -> Any:
        asynchronous = make.asynchronous() if type(node) is ast.AsyncFor else None
        return make.for_(
            self._of(node.target), self._of(node.iter), self._body(node.body), self._otherwise(node.orelse),
            asynchronous,
        )  # fmt: skip

    def _with(self, node: ast.With | ast.AsyncWith) -> Any:
        items = [make.item(self._of(one.context_expr), self._named(one.optional_vars)) for one in node.items]
        return make.with_(items, self._body(node.body), make.asynchronous() if type(node) is ast.AsyncWith else None)

    def _named(self, node: ast.expr | None) -> Any:
        return make.as_name(self._of(node)) if node is not None else None

    def _try(self, node: ast.Try) -> Any:
        make_try, make_handler = make.TRIES[type(node)]
        handlers = [
            make_handler(
                self._body(one.body),
                self._of(one.type) if one.type is not None else None,
                make.as_name(make.name(one.name)) if one.name is not None else None,
            )
            for one in node.handlers
        ]
        final = make.finally_(self._body(node.finalbody)) if node.finalbody else None
        return make_try(self._body(node.body), handlers, self._otherwise(node.orelse), final)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        self._refuse_type_parameters(node)
        return make.function(
            make.name(node.name),
            self._parameters(node.args),
            self._body(node.body),
            [make.decorator(self._of(one)) for one in node.decorator_list],
            self._annotated(node.returns),
            make.asynchronous() if type(node) is ast.AsyncFunctionDef else None,
            None,
        )

    def _class(self, node: ast.ClassDef) -> Any:
        self._refuse_type_parameters(node)
        bases, keywords = self._arguments(node.bases, []), self._arguments([], node.keywords)
        decorators = [make.decorator(self._of(one)) for one in node.decorator_list]
        return make.class_(make.name(node.name), self._body(node.body), bases, keywords, decorators, None)

    def _refuse_type_parameters(self, node: ast.AST) -> None:
        if getattr(node, "type_params", None):
            raise _UnusualError

    def _parameters(self, node: ast.arguments) -> Any:
        plain = [*node.posonlyargs, *node.args]
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(node.defaults))
        found = list(map(self._parameter, plain, [*defaults, *node.defaults]))
        star: Any = make.ABSENT
        if node.vararg is not None:
            star = self._parameter(node.vararg, None, "*")
        elif node.kwonlyargs:
            star = make.param_star()
        positional = len(node.posonlyargs)
        return make.parameters(
            found[positional:],
            star,
            list(map(self._parameter, node.kwonlyargs, node.kw_defaults)),
            self._parameter(node.kwarg, None, "**") if node.kwarg is not None else None,
            found[:positional],
            make.param_slash() if positional else make.ABSENT,
        )

    def _parameter(self, node: ast.arg, default: ast.expr | None, star: str = "") -> Any:
        value = self._of(default) if default is not None else None
        return make.param(make.name(node.arg), self._annotated(node.annotation), value, star)

    def _annotated(self, node: ast.expr | None) -> Any:
        return make.annotation(self._of(node)) if node is not None else None

    # -- simple statements

    def _expression_statement(self, node: ast.Expr) -> Any:
        return make.expr(self._of(node.value))

    def _assign(self, node: ast.Assign) -> Any:
        return make.assign([make.target(self._of(one)) for one in node.targets], self._of(node.value))

    def _augmented_assign(self, node: ast.AugAssign) -> Any:
        return make.augmented(self._of(node.target), make.AUGMENTS[type(node.op)](), self._of(node.value))

    def _annotated_assign(self, node: ast.AnnAssign) -> Any:
        value = self._of(node.value) if node.value is not None else None
        return make.annotated(self._of(node.target), make.annotation(self._of(node.annotation)), value)

    def _return(self, node: ast.Return) -> Any:
        return make.return_(self._of(node.value) if node.value is not None else None)

    def _delete(self, node: ast.Delete) -> Any:
        targets = node.targets
        if len(targets) == 1 and not self._source(node).endswith(","):
            return make.del_(self._of(targets[0]))
        return make.del_(make.tuple_(self._elements(targets)))

    def _raise(self, node: ast.Raise) -> Any:
        exc = self._of(node.exc) if node.exc is not None else None
        return make.raise_(exc, make.from_(self._of(node.cause)) if node.cause is not None else None)

    def _assert(self, node: ast.Assert) -> Any:
        return make.assert_(self._of(node.test), self._of(node.msg) if node.msg is not None else None)

    def _plain(self, node: ast.stmt) -> Any:
        return make.PLAIN[type(node)]()

    def _declare(self, node: ast.Global | ast.Nonlocal) -> Any:
        return make.DECLARING[type(node)]([make.name_item(make.name(one)) for one in node.names])

    def _import(self, node: ast.Import) -> Any:
        return make.import_(list(map(_alias, node.names)))

    def _import_from(self, node: ast.ImportFrom) -> Any:
        names = make.star() if node.names[0].name == "*" else list(map(_alias, node.names))
        module = _dotted(node.module) if node.module else None
        return make.import_from(module, names, [make.dot() for _ in range(node.level)])

    # -- expressions

    def _of(self, node: ast.expr) -> Any:
        """Converts an expression."""
        if type(node) is ast.Name:
            return make.name(node.id)
        convert = _EXPRESSIONS.get(type(node))
        if convert is None:
            raise _UnusualError
        return convert(self, node)

    def _attribute(self, node: ast.Attribute) -> Any:
        return make.attribute(self._of(node.value), make.name(node.attr))

    def _call(self, node: ast.Call) -> Any:
        return make.call(self._of(node.func), self._arguments(node.args, node.keywords))

    def _arguments(self, plain: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> list[Any]:
        """Converts arguments, in the order of the source."""
        found = [
            make.arg(self._of(one.value), None, "*") if type(one) is ast.Starred else make.arg(self._of(one), None, "")
            for one in plain
        ]
        for one in keywords:
            value = self._of(one.value)
            name = make.name(one.arg) if one.arg is not None else None
            found.append(make.arg(value, name, "" if one.arg is not None else "**"))
        if plain and keywords and self._start(keywords[0]) < self._start(plain[-1]):  # f(a=1, *b)
            both: list[Any] = [*plain, *keywords]
            order = sorted(range(len(both)), key=lambda at: self._start(both[at]))
            found = [found[at] for at in order]
        return found

    def _constant(self, node: ast.Constant) -> Any:
        kind = type(node.value)
        if kind is str or kind is bytes:
            return self._strings(self._source(node))
        if node.value is ...:
            return make.ellipsis()
        number = make.NUMBERS.get(kind)
        return number(self._source(node)) if number is not None else make.name(str(node.value))

    def _strings(self, text: str) -> Any:
        """Converts one or more strings in a row."""
        found: list[str] = []
        at = 0
        while at < len(text):
            one = _STRING.match(text, at)
            if one is None or not set(one[1].lower()).isdisjoint("ft"):
                return cst.parse_expression(f"({text})")
            found.append(one[0])
            gap = _GAP.match(text, one.end())
            at = gap.end() if gap is not None else one.end()
        node = make.string(found.pop())
        while found:
            node = make.concatenated(make.string(found.pop()), node)
        return node

    def _formatted(self, node: ast.JoinedStr) -> Any:
        return cst.parse_expression(f"({self._source(node)})")

    def _binary(self, node: ast.BinOp) -> Any:
        return make.binary(self._of(node.left), make.OPERATORS[type(node.op)](), self._of(node.right))

    def _boolean(self, node: ast.BoolOp) -> Any:
        operator = make.OPERATORS[type(node.op)]
        found = self._of(node.values[0])
        for one in node.values[1:]:
            found = make.boolean(found, operator(), self._of(one))
        return found

    def _unary(self, node: ast.UnaryOp) -> Any:
        return make.unary(make.OPERATORS[type(node.op)](), self._of(node.operand))

    def _compare(self, node: ast.Compare) -> Any:
        left = self._of(node.left)
        targets = [
            make.comparison_target(
                make.OPERATORS[type(op)]() if type(op) is not ast.NotEq else make.not_equal("!="), self._of(other)
            )
            for op, other in zip(node.ops, node.comparators, strict=True)
        ]
        return make.comparison(left, targets)

    def _if_expression(self, node: ast.IfExp) -> Any:
        return make.if_expression(self._of(node.test), self._of(node.body), self._of(node.orelse))

    def _lambda(self, node: ast.Lambda) -> Any:
        return make.lambda_(self._parameters(node.args), self._of(node.body))

    def _display(self, node: ast.List | ast.Set | ast.Tuple) -> Any:
        return make.DISPLAYS[type(node)](self._elements(node.elts))

    def _elements(self, nodes: Sequence[ast.expr]) -> list[Any]:
        return [
            make.starred_element(self._of(one.value)) if type(one) is ast.Starred else make.element(self._of(one))
            for one in nodes
        ]

    def _dict(self, node: ast.Dict) -> Any:
        pairs = zip(node.keys, node.values, strict=True)
        return make.dict_(
            [
                make.pair(self._of(key), self._of(value)) if key is not None else make.starred_pair(self._of(value))
                for key, value in pairs
            ]
        )

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
        return make.COMPREHENSIONS[type(node)](self._of(node.elt), self._loops(node.generators))

    def _dict_comprehension(self, node: ast.DictComp) -> Any:
        return make.dict_comp(self._of(node.key), self._of(node.value), self._loops(node.generators))

    def _loops(self, loops: Sequence[ast.comprehension]) -> Any:
        found = None
        for one in reversed(loops):
            tests = [make.comp_if(self._of(test)) for test in one.ifs]
            asynchronous = make.asynchronous() if one.is_async else None
            found = make.comp_for(self._of(one.target), self._of(one.iter), tests, found, asynchronous)
        return found

    def _yield(self, node: ast.Yield) -> Any:
        return make.yield_(self._of(node.value) if node.value is not None else None)

    def _yield_from(self, node: ast.YieldFrom) -> Any:
        return make.yield_(make.from_(self._of(node.value)))

    def _await(self, node: ast.Await) -> Any:
        return make.await_(self._of(node.value))

    def _named_expression(self, node: ast.NamedExpr) -> Any:
        return make.named(self._of(node.target), self._of(node.value))

    # -- subscripts

    def _subscript(self, node: ast.Subscript) -> Any:
        inside = node.slice
        parts = inside.elts if type(inside) is ast.Tuple and self._is_bare(inside) else [inside]
        value = self._of(node.value)
        return make.subscript(value, [make.subscript_element(self._part(one)) for one in parts])

    def _part(self, node: ast.expr) -> Any:
        if type(node) is not ast.Slice:
            return make.index(self._of(node), None)
        bounds = [self._of(one) if one is not None else None for one in (node.lower, node.upper, node.step)]
        return make.slice_(*bounds)

    def _is_bare(self, node: ast.Tuple) -> bool:
        """Whether a tuple has no parentheses of its own."""
        elements = node.elts
        if not elements:
            return False
        start, first = self._start(node), self._start(elements[0])
        if start == first or any(type(one) is ast.Slice for one in elements):
            return True
        opened = self._data[start:first]  # `(a, b)` or `(a), b`
        after = self._start(elements[1]) if len(elements) > 1 else self._end(node)
        closed = self._data[self._end(elements[0]) : after].partition(b",")[0]
        if b"#" in opened or b"#" in closed:
            raise _UnusualError
        return opened.count(b"(") == closed.count(b")")


def _alias(node: ast.alias) -> Any:
    return make.alias(_dotted(node.name), make.as_name(make.name(node.asname)) if node.asname is not None else None)


def _dotted(text: str) -> Any:
    first, *rest = text.split(".")
    found = make.name(first)
    for one in rest:
        found = make.attribute(found, make.name(one))
    return found


_Convert = Callable[[_Conversion, Any], Any]
_COMPOUND: dict[type[ast.AST], _Convert] = {
    ast.If: _Conversion._if,
    ast.While: _Conversion._while,
    ast.For: _Conversion._for,
    ast.AsyncFor: _Conversion._for,
    ast.With: _Conversion._with,
    ast.AsyncWith: _Conversion._with,
    ast.FunctionDef: _Conversion._function,
    ast.AsyncFunctionDef: _Conversion._function,
    ast.ClassDef: _Conversion._class,
    **dict.fromkeys(make.TRIES, _Conversion._try),
}
_SMALL: dict[type[ast.AST], _Convert] = {
    ast.Expr: _Conversion._expression_statement,
    ast.Assign: _Conversion._assign,
    ast.AugAssign: _Conversion._augmented_assign,
    ast.AnnAssign: _Conversion._annotated_assign,
    ast.Return: _Conversion._return,
    ast.Delete: _Conversion._delete,
    ast.Raise: _Conversion._raise,
    ast.Assert: _Conversion._assert,
    ast.Import: _Conversion._import,
    ast.ImportFrom: _Conversion._import_from,
    **dict.fromkeys(make.PLAIN, _Conversion._plain),
    **dict.fromkeys(make.DECLARING, _Conversion._declare),
}
_EXPRESSIONS: dict[type[ast.AST], _Convert] = {
    ast.Attribute: _Conversion._attribute,
    ast.Call: _Conversion._call,
    ast.Constant: _Conversion._constant,
    ast.JoinedStr: _Conversion._formatted,
    ast.BinOp: _Conversion._binary,
    ast.BoolOp: _Conversion._boolean,
    ast.UnaryOp: _Conversion._unary,
    ast.Compare: _Conversion._compare,
    ast.IfExp: _Conversion._if_expression,
    ast.Lambda: _Conversion._lambda,
    ast.Dict: _Conversion._dict,
    ast.DictComp: _Conversion._dict_comprehension,
    ast.Yield: _Conversion._yield,
    ast.YieldFrom: _Conversion._yield_from,
    ast.Await: _Conversion._await,
    ast.NamedExpr: _Conversion._named_expression,
    ast.Subscript: _Conversion._subscript,
    **dict.fromkeys(make.DISPLAYS, _Conversion._display),
    **dict.fromkeys(make.COMPREHENSIONS, _Conversion._comprehension),
}
