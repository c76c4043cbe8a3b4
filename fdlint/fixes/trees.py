"""Compares two syntax trees of Python: the second may differ from the first only in the changes that a fix declares.

Positions and layout do not count. Each declared change must occur exactly once.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Inserted:
    """A new statement, in Python."""

    code: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A statement that is no longer there. ``early``: a later one does the same on every path, with nothing between."""

    code: str
    early: bool = False


@dataclass(frozen=True, slots=True)
class Wrapped:
    """Some statements in a row become the body of a ``try``. ``rest``: its other clauses, as after ``try: pass``."""

    rest: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """An expression, or the target of an assignment, has another form."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Managed:
    """An assignment becomes the head of a ``with``, and the statements behind it become its body. ``head``: the
    ``with`` without a body."""

    code: str
    head: str


Change = Inserted | Removed | Wrapped | Managed | Replaced
_Declared = tuple[str, ...]
_FIELDS_OF_TRY = ("handlers", "orelse", "finalbody")


def differs_only(before: str, after: str, changes: Iterable[Change]) -> bool:
    """Whether one text differs from another in these changes and in nothing else. Raises ``SyntaxError`` and
    ``ValueError`` for a text that the running Python cannot parse."""
    allowed = _Allowed(Counter(map(_declared, changes)))
    return allowed.same(_parsed(before), _parsed(after)) and not +allowed.left


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _declared(change: Change) -> _Declared:
    if isinstance(change, Inserted):
        return "inserted", _statement(change.code)
    if isinstance(change, Removed):
        return "removed", _statement(change.code)
    if isinstance(change, Wrapped):
        made = _parsed(f"try:\n    pass\n{change.rest}").body[0]
        return "wrapped", _clauses(made)
    if isinstance(change, Managed):
        return "managed", _statement(change.code), _items(_parsed(f"{change.head}\n    pass\n").body[0])
    return "replaced", _expression(change.before), _expression(change.after)


def _statement(code: str) -> str:
    return ast.dump(_parsed(code).body[0])


def _expression(code: str) -> str:
    statement = _parsed(code).body[0]
    assert isinstance(statement, ast.Expr)
    return _loaded(statement.value)


def _loaded(node: ast.AST) -> str:
    """Returns an expression as a text, the same whether it is read or assigned."""
    return ast.dump(node).replace("ctx=Store()", "ctx=Load()")


def _clauses(node: ast.AST) -> str:
    dumped = ([ast.dump(one) for one in getattr(node, name)] for name in _FIELDS_OF_TRY)
    return repr(list(dumped))


def _items(node: ast.AST) -> str:
    return repr([ast.dump(one) for one in getattr(node, "items", ())])


@dataclass(slots=True)
class _Allowed:
    """The declared changes that have not been found yet."""

    left: Counter[_Declared] = field(default_factory=Counter)

    def same(self, before: object, after: object) -> bool:
        """Whether two parts of the trees are equal apart from declared changes, which are then used up."""
        if isinstance(before, list) and isinstance(after, list):
            if any(isinstance(one, ast.stmt) for one in (*before, *after)):
                return self._consumed(before, after) == len(before)
            return len(before) == len(after) and all(map(self.same, before, after))
        if not isinstance(before, ast.AST) or not isinstance(after, ast.AST):
            return type(before) is type(after) and before == after
        if isinstance(before, ast.expr) and isinstance(after, ast.expr):
            if ast.dump(before) == ast.dump(after):
                return True
            if self._uses("replaced", _loaded(before), _loaded(after)):
                return True
        if type(before) is not type(after):
            return False
        return all(self.same(getattr(before, name, None), getattr(after, name, None)) for name in before._fields)

    def _consumed(self, before: Sequence[ast.stmt], after: Sequence[ast.stmt]) -> int | None:
        """Returns how many statements of one list the other one stands for; None if they do not fit."""
        at = 0
        for new in after:
            while True:
                old = before[at] if at < len(before) else None
                if old is not None and ast.dump(old) == ast.dump(new):
                    at += 1
                elif self._uses("inserted", ast.dump(new)):
                    pass
                elif old is not None and self._uses("removed", ast.dump(old)):
                    at += 1
                    continue
                elif isinstance(new, ast.Try) and self._uses("wrapped", _clauses(new)):
                    inside = self._consumed(before[at:], new.body)
                    if inside is None:
                        return None
                    at += inside
                elif old is not None and isinstance(new, ast.With) and self._manages(old, new):
                    inside = self._consumed(before[at + 1 :], new.body)
                    if inside is None:
                        return None
                    at += 1 + inside
                elif old is not None and self.same(old, new):
                    at += 1
                else:
                    return None
                break
        while at < len(before) and self._uses("removed", ast.dump(before[at])):
            at += 1
        return at

    def _manages(self, old: ast.stmt, new: ast.With) -> bool:
        return self._uses("managed", ast.dump(old), _items(new))

    def _uses(self, *declared: str) -> bool:
        found = self.left[declared] > 0
        if found:
            self.left[declared] -= 1
        return found
