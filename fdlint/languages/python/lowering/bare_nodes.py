"""Makes nodes of libcst without layout: only their contents are set.

A call of a node's class takes five times as long, because it makes whitespace, brackets and commas, and checks them.
Code that reads a field without a value gets an ``AttributeError``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import libcst as cst


def _maker(kind: Any, *fields: str) -> Callable[..., Any]:
    """Returns a function that makes a node with these fields only."""
    new = object.__new__
    setters = [getattr(kind, name).__set__ for name in fields]
    if not setters:
        return lambda: new(kind)
    if len(setters) == 1:
        (only,) = setters

        def make_1(value: object) -> object:
            node = new(kind)
            only(node, value)
            return node

        return make_1
    if len(setters) == 2:
        first, second = setters

        def make_2(one: object, other: object) -> object:
            node = new(kind)
            first(node, one)
            second(node, other)
            return node

        return make_2

    def make(*values: object) -> object:
        node = new(kind)
        for put, value in zip(setters, values, strict=True):
            put(node, value)
        return node

    return make


name = _maker(cst.Name, "value")
attribute = _maker(cst.Attribute, "value", "attr")
call = _maker(cst.Call, "func", "args")
arg = _maker(cst.Arg, "value", "keyword", "star")
element = _maker(cst.Element, "value")
starred_element = _maker(cst.StarredElement, "value")
as_name = _maker(cst.AsName, "name")
param = _maker(cst.Param, "name", "annotation", "default", "star")
parameters = _maker(
    cst.Parameters, "params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params", "posonly_ind"
)
annotation = _maker(cst.Annotation, "annotation")
else_ = _maker(cst.Else, "body")
line = _maker(cst.SimpleStatementLine, "body")
block = _maker(cst.IndentedBlock, "body")
suite = _maker(cst.SimpleStatementSuite, "body")
asynchronous = _maker(cst.Asynchronous)
string = _maker(cst.SimpleString, "value")
concatenated = _maker(cst.ConcatenatedString, "left", "right")
target = _maker(cst.AssignTarget, "target")
comparison_target = _maker(cst.ComparisonTarget, "operator", "comparator")
subscript_element = _maker(cst.SubscriptElement, "slice")
index = _maker(cst.Index, "value", "star")
comp_for = _maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in", "asynchronous")
ABSENT = cst.MaybeSentinel.DEFAULT
integer, float_, imaginary = (_maker(one, "value") for one in (cst.Integer, cst.Float, cst.Imaginary))
NUMBERS = {int: integer, float: float_, complex: imaginary}
_BINARY = {
    ast.Add: cst.Add, ast.Sub: cst.Subtract, ast.Mult: cst.Multiply, ast.Div: cst.Divide, ast.Mod: cst.Modulo,
    ast.FloorDiv: cst.FloorDivide, ast.Pow: cst.Power, ast.MatMult: cst.MatrixMultiply, ast.BitAnd: cst.BitAnd,
    ast.BitOr: cst.BitOr, ast.BitXor: cst.BitXor, ast.LShift: cst.LeftShift, ast.RShift: cst.RightShift,
}  # fmt: skip
_AUGMENTED = {
    ast.Add: cst.AddAssign, ast.Sub: cst.SubtractAssign, ast.Mult: cst.MultiplyAssign, ast.Div: cst.DivideAssign,
    ast.Mod: cst.ModuloAssign, ast.FloorDiv: cst.FloorDivideAssign, ast.Pow: cst.PowerAssign,
    ast.MatMult: cst.MatrixMultiplyAssign, ast.BitAnd: cst.BitAndAssign, ast.BitOr: cst.BitOrAssign,
    ast.BitXor: cst.BitXorAssign, ast.LShift: cst.LeftShiftAssign, ast.RShift: cst.RightShiftAssign,
}  # fmt: skip
_COMPARISONS = {
    ast.Eq: cst.Equal, ast.Lt: cst.LessThan, ast.LtE: cst.LessThanEqual, ast.Gt: cst.GreaterThan,
    ast.GtE: cst.GreaterThanEqual, ast.Is: cst.Is, ast.IsNot: cst.IsNot, ast.In: cst.In, ast.NotIn: cst.NotIn,
}  # fmt: skip
_UNARY = {ast.Not: cst.Not, ast.USub: cst.Minus, ast.UAdd: cst.Plus, ast.Invert: cst.BitInvert}
OPERATORS: dict[type[ast.AST], Callable[[], Any]] = {
    **{kind: _maker(node) for kind, node in (*_BINARY.items(), *_COMPARISONS.items(), *_UNARY.items())},
    ast.And: _maker(cst.And),
    ast.Or: _maker(cst.Or),
}
AUGMENTS = {kind: _maker(node) for kind, node in _AUGMENTED.items()}
not_equal = _maker(cst.NotEqual, "value")
module = _maker(cst.Module, "body")
return_ = _maker(cst.Return, "value")
expr = _maker(cst.Expr, "value")
assign = _maker(cst.Assign, "targets", "value")
if_ = _maker(cst.If, "test", "body", "orelse")
binary = _maker(cst.BinaryOperation, "left", "operator", "right")
boolean = _maker(cst.BooleanOperation, "left", "operator", "right")
comparison = _maker(cst.Comparison, "left", "comparisons")
unary = _maker(cst.UnaryOperation, "operator", "expression")
subscript = _maker(cst.Subscript, "value", "slice")
slice_ = _maker(cst.Slice, "lower", "upper", "step")
tuple_ = _maker(cst.Tuple, "elements")
function = _maker(cst.FunctionDef, "name", "params", "body", "decorators", "returns", "asynchronous", "type_parameters")
class_ = _maker(cst.ClassDef, "name", "body", "bases", "keywords", "decorators", "type_parameters")
alias = _maker(cst.ImportAlias, "name", "asname")
import_ = _maker(cst.Import, "names")
import_from = _maker(cst.ImportFrom, "module", "names", "relative")
star = _maker(cst.ImportStar)
dot = _maker(cst.Dot)
ellipsis = _maker(cst.Ellipsis)
for_ = _maker(cst.For, "target", "iter", "body", "orelse", "asynchronous")
while_ = _maker(cst.While, "test", "body", "orelse")
with_ = _maker(cst.With, "items", "body", "asynchronous")
item = _maker(cst.WithItem, "item", "asname")
TRIES: dict[type[ast.AST], tuple[Callable[..., Any], Callable[..., Any]]] = {
    ast.Try: (
        _maker(cst.Try, "body", "handlers", "orelse", "finalbody"),
        _maker(cst.ExceptHandler, "body", "type", "name"),
    )
}
if hasattr(ast, "TryStar"):  # since Python 3.11
    TRIES[ast.TryStar] = (
        _maker(cst.TryStar, "body", "handlers", "orelse", "finalbody"),
        _maker(cst.ExceptStarHandler, "body", "type", "name"),
    )
finally_ = _maker(cst.Finally, "body")
raise_ = _maker(cst.Raise, "exc", "cause")
from_ = _maker(cst.From, "item")
assert_ = _maker(cst.Assert, "test", "msg")
del_ = _maker(cst.Del, "target")
augmented = _maker(cst.AugAssign, "target", "operator", "value")
annotated = _maker(cst.AnnAssign, "target", "annotation", "value")
decorator = _maker(cst.Decorator, "decorator")
name_item = _maker(cst.NameItem, "name")
lambda_ = _maker(cst.Lambda, "params", "body")
if_expression = _maker(cst.IfExp, "test", "body", "orelse")
dict_ = _maker(cst.Dict, "elements")
pair = _maker(cst.DictElement, "key", "value")
starred_pair = _maker(cst.StarredDictElement, "value")
dict_comp = _maker(cst.DictComp, "key", "value", "for_in")
comp_if = _maker(cst.CompIf, "test")
yield_ = _maker(cst.Yield, "value")
await_ = _maker(cst.Await, "expression")
named = _maker(cst.NamedExpr, "target", "value")
param_star = _maker(cst.ParamStar)
param_slash = _maker(cst.ParamSlash)
DISPLAYS = {ast.List: _maker(cst.List, "elements"), ast.Set: _maker(cst.Set, "elements"), ast.Tuple: tuple_}
COMPREHENSIONS = {
    ast.ListComp: _maker(cst.ListComp, "elt", "for_in"),
    ast.SetComp: _maker(cst.SetComp, "elt", "for_in"),
    ast.GeneratorExp: _maker(cst.GeneratorExp, "elt", "for_in"),
}
PLAIN = {ast.Pass: _maker(cst.Pass), ast.Break: _maker(cst.Break), ast.Continue: _maker(cst.Continue)}
DECLARING = {ast.Global: _maker(cst.Global, "names"), ast.Nonlocal: _maker(cst.Nonlocal, "names")}
