"""Parses ``returns``, the small language for results. The docstring of each shape shows its syntax."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from fdlint.catalog.errors import suggestion
from fdlint.catalog.model import (
    Ancillary,
    AnyOf,
    Argument,
    Borrowed,
    Counted,
    CountOf,
    ElementsOf,
    ErrorNumber,
    FlatOf,
    ForkPid,
    Fresh,
    FreshList,
    FreshObject,
    Instance,
    Keywords,
    NoneResult,
    Nothing,
    Number,
    NumberIn,
    PairsOf,
    Shape,
    SomeOf,
    TextOf,
    TupleOf,
    Zipped,
    ZippedLongest,
)
from fdlint.core.domain.owner import OwnerClass

_WORDS: dict[str, Shape] = {
    "_": Nothing(),
    "None": NoneResult(),
    "fd": Fresh(),
    "[fd]": FreshList(),
    "ancillary": Ancillary(),
    "pid": ForkPid(),
    "keywords": Keywords(),
    "range": Counted(),
    "borrowed": Borrowed(),
    "error": ErrorNumber(),
}
_OF_PARAMETER: dict[str, Callable[[str], Shape]] = {
    "arg": Argument,
    "each": ElementsOf,
    "flat": FlatOf,
    "zip": Zipped,
    "longest": ZippedLongest,
    "some": SomeOf,
    "any": AnyOf,
    "pairs": PairsOf,
    "text": TextOf,
    "number": NumberIn,
    "count": CountOf,
}
_TYPE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


def parse_shape(text: str, params: Sequence[str], made_by: str = "") -> Shape:
    """Parses one shape; ``made_by`` is the function that returns it. Raises ``ValueError``, whose message is why."""
    text = text.strip()
    if text in _WORDS:
        return _WORDS[text]
    if text.isascii() and text.isdigit():
        return Number(int(text))
    if text.startswith("(") and text.endswith(")"):
        return TupleOf(tuple(parse_shape(item, params) for item in _items(text[1:-1])))
    word, _, name = text.partition(" ")
    if word in _OF_PARAMETER:
        return _OF_PARAMETER[word](_parameter(name.strip(), params))
    if word == "object" and name:
        closing, _, number = name.partition(" ")
        ends, fields = frozenset({closing}), frozenset({number})
        return FreshObject(
            OwnerClass(made_by, text, ends=ends, closing=closing, fields=fields, number=number, listed=True)
        )
    if _TYPE.fullmatch(text):
        return Instance(text)
    raise ValueError(f"bad shape `{text}`{suggestion(word, [*_WORDS, *_OF_PARAMETER])}")


def _parameter(name: str, params: Sequence[str]) -> str:
    if name not in params:
        raise ValueError(f"no parameter `{name}`{suggestion(name, params)}")
    return name


def _items(text: str) -> list[str]:
    """Splits at the commas that no inner parenthesis encloses."""
    items, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
        if char == "," and not depth:
            items.append("")
        else:
            items[-1] += char
    if depth:
        raise ValueError(f"unbalanced parentheses in `({text})`")
    return items


def acquires(shape: Shape) -> bool:
    """Whether part of the shape is a new descriptor."""
    match shape:
        case Fresh() | FreshObject() | FreshList() | Ancillary():
            return True
        case TupleOf(items):
            return any(acquires(item) for item in items)
        case _:
            return False


def class_made(shape: Shape) -> OwnerClass | None:
    """Returns the class of the objects with worker processes in a shape; None if there are none."""
    match shape:
        case FreshObject(of) | TupleOf((FreshObject(of), *_)):
            return of
    return None


def instance_types(shape: Shape) -> tuple[str, ...]:
    """Returns the types that the shape names."""
    match shape:
        case Instance(name):
            return (name,)
        case TupleOf(items):
            return tuple(name for item in items for name in instance_types(item))
        case _:
            return ()
