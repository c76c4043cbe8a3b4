"""The contents of one container, and their normal forms, which keep their number small."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from fdlint.core.domain.values import (
    COMPOSED,
    LEADING,
    NONE,
    PLAIN,
    Borrowed,
    Box,
    Const,
    Container,
    Fd,
    Known,
    Length,
    Seq,
    Success,
    Sym,
    Text,
    Typed,
    Value,
    boxes,
    descriptors,
    inner,
    mentions_any,
)
from fdlint.core.ir import Constant

K = TypeVar("K", bound=Hashable)
OBJECT = ""
"""The first key of an object that only holds attributes: no attribute has this name."""
_FLAGS = frozenset({NONE, Const(-1), Const(True, is_bool=True), Const(False, is_bool=True), Const(0), Known.POSITIVE})
MAX_ITEMS = 12  # a longer sequence loses its order
_MAX_COMPARED = 50  # each item with each other: a table in the source has thousands
MAX_PLAIN = 4  # so does a longer list without descriptors; other plain things are told apart up to this number


@dataclass(frozen=True, slots=True)
class Contents:
    """A container's contents. The ``keys`` of a dict match ``items``; None is an unknown key.

    Not ``exact``: the container may have other, uninteresting items too. ``outlives``: the function is not the only
    holder of the container. ``least``: a list that came in has at least that many items.
    """

    items: tuple[Value, ...] = ()
    exact: bool = True
    keys: tuple[Constant, ...] | None = None
    outlives: bool = False
    least: int = 0


def is_object(contents: Contents | None) -> bool:
    """Whether these are the attributes of an object, and no items."""
    return contents is not None and contents.keys is not None and contents.keys[:1] == (OBJECT,)


def normal(contents: Contents) -> Contents:
    """Normalises contents: a long sequence, or one with a repeated descriptor, loses its order.

    So does a list of texts. For contents without anything of interest, only emptiness counts, unless they are places
    for descriptors or for flags: ``[None]``, ``[-1, -1]``, ``[False]``, values that came in: ``[fd]``, known objects.
    """
    plain = contents.items and contents.keys is None and not any(mentions_any(item) for item in contents.items)
    if plain and not (contents.exact and len(contents.items) <= MAX_PLAIN and all(map(_is_told, contents.items))):
        return Contents((Known.UNKNOWN,), False, None, contents.outlives)
    if not contents.exact and contents.keys is not None:
        contents = _without_repetitions(contents, contents.keys)
    if _repeats(contents.items) or len(contents.items) > MAX_ITEMS or _is_a_long_text(contents):
        return unordered(contents)
    return contents


def _repeats(items: Iterable[Value]) -> bool:
    """Whether a descriptor, or a container, is in two of the items: a loop puts one more in with each round."""
    seen: set[Hashable] = set()
    for item in items:
        held = {*descriptors(item), *boxes(item)} if type(item) in LEADING else set[Hashable]()
        if not seen.isdisjoint(held):
            return True
        seen |= held
    return False


def _is_told(value: Value) -> bool:
    return value in _FLAGS or isinstance(value, Sym | Typed | Borrowed | Success)


class Leads:
    """Which values hold a descriptor, also through containers. All containers are looked through once, when one is
    asked for: each may hold the next one."""

    def __init__(self, heap: Mapping[Container, Contents]) -> None:
        self._heap = heap
        self._leading: set[Container] | None = None

    def anywhere(self, value: Value) -> bool:
        """Whether a value holds any descriptor."""
        kind = type(value)
        if kind is Box:
            container: Container = value.container  # type: ignore[union-attr]
            if self._leading is None:
                kinds = {type(item) for item in self._heap[container].items} if container in self._heap else set()
                if Fd in kinds or kinds.isdisjoint(LEADING):  # most contain nothing that leads further
                    return Fd in kinds
                self._leading = self._found()
            return container in self._leading
        return kind is Fd or (kind in COMPOSED and any(map(self.anywhere, inner(value))))

    def _found(self) -> set[Container]:
        holders: dict[Container, list[Container]] = {}
        pending: list[Container] = []
        for container, contents in self._heap.items():
            for item in contents.items:
                kind = type(item)
                if kind is Box:
                    holders.setdefault(item.container, []).append(container)  # type: ignore[union-attr]
                elif kind is Fd:
                    pending.append(container)
                elif kind in COMPOSED:
                    pending.extend([container for _ in descriptors(item)])
                    for inside in boxes(item):
                        holders.setdefault(inside, []).append(container)
        leading: set[Container] = set()
        while pending:
            container = pending.pop()
            if container not in leading:
                leading.add(container)
                pending.extend(holders.get(container, ()))
        return leading


def _is_a_long_text(contents: Contents) -> bool:
    """Whether contents are a command line or the like: many plain values, and no descriptor but in a string. Programs
    build such lists piece by piece under many conditions."""
    is_long = len(contents.items) > MAX_PLAIN and contents.keys is None
    return is_long and all(type(item) in PLAIN or type(item) is Text for item in contents.items)


def _without_repetitions(contents: Contents, keys: tuple[Constant, ...]) -> Contents:
    """Returns the contents of a dict without the items that stand under an unknown key a second time. A loop that fills
    a dict adds one more in each round."""
    pairs = list(zip(keys, contents.items, strict=True))
    beside = _distinct(item for key, item in pairs if key is None)
    if sum(key is None for key in keys) == len(beside):
        return contents
    kept = [pair for pair in pairs if pair[0] is not None] + [(None, item) for item in beside]
    return Contents(tuple(item for _, item in kept), False, tuple(key for key, _ in kept), contents.outlives)


def _distinct(items: Iterable[Value]) -> list[Value]:
    """Returns the items of which none covers another: where nobody knows which item is which, one is enough."""
    found: list[Value] = []
    once = list(dict.fromkeys(items))
    for item in once if len(once) <= _MAX_COMPARED else ():
        if not any(_covers(one, item) for one in found):
            found = [one for one in found if not _covers(item, one)] + [item]
    return found or once


def _covers(one: Value, other: Value) -> bool:
    """Whether a tuple has each descriptor of another one in the same place, and tells no less than it otherwise."""
    if not (isinstance(one, Seq) and isinstance(other, Seq) and one.exact and other.exact):
        return False
    return len(one.items) == len(other.items) and all(map(_stands_for, one.items, other.items))


def _stands_for(one: Value, other: Value) -> bool:
    vague = [isinstance(value, Sym) or value is Known.UNKNOWN for value in (one, other)]
    return one == other or all(vague) or (mentions_any(one) and (vague[1] or other == NONE))


def unordered(contents: Contents) -> Contents:
    """Returns the contents without order, count and keys."""
    interesting = _distinct(item for item in contents.items if not isinstance(item, (Const, Known, Typed, Length)))
    items = tuple(sorted(interesting, key=_rank))
    keys = None if contents.keys is None else (None,) * len(items)
    return Contents(items, False, keys, contents.outlives)


def _rank(value: Value) -> tuple[str, tuple[int, ...], str]:
    """Returns a sort key that gives values a stable order."""
    if isinstance(value, Fd):
        return "", value.descriptor, ""
    return type(value).__name__, (), repr(value)


def forget_plain_fields(heap: dict[K, Contents], containers: Iterable[K], matters: Callable[[Value], bool]) -> None:
    """Drops the fields of records that do not matter: a field that is not there is unknown. A record that had fields
    keeps at least one, because an empty map is empty."""
    for container in containers:
        contents = heap[container]
        pairs = [pair for pair in zip(contents.keys or (), contents.items, strict=False) if matters(pair[1])]
        if contents.keys is None or len(pairs) == len(contents.items):
            continue
        pairs = sorted(pairs, key=_by_name) or [(contents.keys[0], Known.UNKNOWN)]
        keys, items = tuple(key for key, _ in pairs), tuple(item for _, item in pairs)
        heap[container] = Contents(items, contents.exact, keys, contents.outlives)


def _by_name(pair: tuple[Constant, Value]) -> str:
    return repr(pair[0])


def merged(one: Contents, other: Contents) -> Contents:
    """Returns contents that cover both."""
    if one == other:
        return one
    keys = None if one.keys is None and other.keys is None else (None,) * (len(one.items) + len(other.items))
    return unordered(Contents((*one.items, *other.items), False, keys, one.outlives or other.outlives))
