"""Remembers results together with the inputs that they were worked out from, so that an edit drops only some of them.

An input is a bit of a number: the code of one function, or the answer to a question about the code of all functions. A
result has the bits of what it reads, and of the results that it uses. Nothing is noted unless something is watched.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar, cast

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")
_NOTHING = object()
_ALL = -1  # all bits
_NEVER = 1 << 60  # deeper than any result


class Question(NamedTuple):
    """A question about the code of functions: its bit, and the answer for one function, None if ``drop`` gets the bits
    of questions with another answer."""

    bit: int
    answer: Callable[[str], object] | None


@dataclass(slots=True)
class Watch:
    """The inputs whose changes matter: functions by name, and questions about them."""

    _bits: dict[str, int] = field(default_factory=dict)
    _questions: dict[Hashable, Question] = field(default_factory=dict)
    _memos: dict[int, Memo[Hashable, object]] = field(default_factory=dict)
    _used: int = 0  # bits

    def read(self, name: str) -> None:
        """Notes that the code of a function is read."""
        if _reading.watch is self:
            _reading.seen |= self.bit_of(name)

    def bit_of(self, name: str) -> int:
        """Returns the bit of a function."""
        if name not in self._bits:
            self._bits[name] = self._next()
        return self._bits[name]

    def ask(self, question: Hashable, answer: Callable[[str], object] | None = None) -> None:
        """Notes that the answer to a question is used. ``answer``: that for one function."""
        if _reading.watch is self:
            if question not in self._questions:
                self._questions[question] = Question(self._next(), answer)
            _reading.seen |= self._questions[question].bit

    def answers(self, name: str) -> dict[int, object]:
        """Returns the answers for one function to all questions so far, by their bits."""
        return {one.bit: one.answer(name) for one in self._questions.values() if one.answer is not None}

    def bit_of_question(self, question: Hashable) -> int:
        """Returns the bit of a question; 0 if nobody has asked it."""
        return self._questions[question].bit if question in self._questions else 0

    def drop(self, bits: int) -> None:
        """Drops the results that have read one of these inputs."""
        for memo in self._memos.values():
            memo.drop(bits)

    def note(self, memo: Memo[Hashable, object]) -> None:
        """Notes that a memory has results that have read something."""
        self._memos[id(memo)] = memo

    def clear(self) -> None:
        """Forgets all of it."""
        self._memos.clear()
        self._questions.clear()

    def _next(self) -> int:
        self._used += 1
        return 1 << self._used


class _Reading:
    """What the results that are being worked out have read so far.

    ``open``: the depth of each result that is being worked out. ``lowest``: the least depth of one whose provisional
    answer was used. ``loose``: results that have used one; they lack its inputs.
    """

    __slots__ = ("depth", "loose", "lowest", "open", "seen", "watch")

    def __init__(self) -> None:
        self.watch: Watch | None = None
        self.begin()

    def begin(self) -> None:
        self.seen = self.depth = 0
        self.lowest = _NEVER
        self.open: dict[tuple[int, Hashable], int] = {}
        self.loose: list[tuple[Memo[Hashable, object], Hashable]] = []


_reading = _Reading()


@contextmanager
def watching(watch: Watch | None) -> Iterator[None]:
    """Notes what results read that are worked out inside."""
    before, _reading.watch = _reading.watch, watch
    _reading.begin()
    try:
        yield
    finally:
        _reading.watch = before
        _reading.begin()


class Reader:
    """Collects what is read inside of it, in ``bits``. ``apart``: a result around it does not depend on that."""

    __slots__ = ("_apart", "_before", "bits")

    def __init__(self, *, apart: bool = False) -> None:
        self._apart = apart
        self.bits = 0

    def __enter__(self) -> Reader:
        self._before, _reading.seen = _reading.seen, 0
        return self

    def __exit__(self, *_: object) -> None:
        self.bits |= _reading.seen
        _reading.seen = self._before if self._apart else _reading.seen | self._before


class Working(Generic[K, V]):
    """Notes what is read while a result is worked out inside. ``name``: the name under which it is kept."""

    __slots__ = ("_depth", "_first", "_lowest", "_memo", "_outer", "_seen", "_spot", "name")

    def __init__(self, memo: Memo[K, V], name: K) -> None:
        self._memo, self.name = memo, name

    def __enter__(self) -> Working[K, V]:
        now = _reading
        self._seen, now.seen = now.seen, 0
        self._lowest, now.lowest = now.lowest, _NEVER
        now.depth += 1
        self._depth, self._first = now.depth, len(now.loose)
        self._spot = id(self._memo), self.name
        self._outer = now.open.get(self._spot)
        now.open[self._spot] = self._depth
        return self

    def __exit__(self, error: object, *_: object) -> None:
        now = _reading
        if self._outer is None:
            del now.open[self._spot]
        else:
            now.open[self._spot] = self._outer
        now.depth -= 1
        seen, lowest = now.seen, now.lowest
        now.seen |= self._seen
        now.lowest = min(self._lowest, lowest) if lowest < self._depth else self._lowest
        inside = now.loose[self._first :]
        for memo, other in inside:
            memo.reads[other] = memo.reads.get(other, 0) | seen if error is None else _ALL
        if lowest >= self._depth or error is not None:
            del now.loose[self._first :]
        if error is None:
            self._memo.note(self.name, seen)
            if lowest < self._depth and now.watch is not None:
                now.loose.append((cast("Memo[Hashable, object]", self._memo), self.name))


class Memo(dict[K, V], Generic[K, V]):
    """Results by their names. ``dropped``: is told each name that an edit drops."""

    __slots__ = ("dropped", "reads")

    def __init__(self, dropped: Callable[[K], object] | None = None) -> None:
        super().__init__()
        self.reads: dict[K, int] = {}
        self.dropped = dropped

    def of(self, key: K, work_out: Callable[[], V], meanwhile: object = _NOTHING) -> V:
        """Returns a result, and works it out if it is not known. ``meanwhile``: the answer while it is worked out, for
        what depends on itself; it is removed if that fails."""
        if self.has(key):
            return self[key]
        if meanwhile is not _NOTHING:
            self[key] = cast(V, meanwhile)
        try:
            if _reading.watch is None:
                found = work_out()
            else:
                with Working(self, key):
                    found = work_out()
        except BaseException:
            if meanwhile is not _NOTHING:
                self.pop(key, None)
            raise
        self[key] = found
        return found

    def has(self, key: K) -> bool:
        """Whether a result is known, which is then used."""
        if key not in self:
            return False
        if _reading.watch is not None:
            self.use(key)
        return True

    def look(self, key: K) -> V | None:
        """Returns a result, None if it is not known."""
        return self[key] if self.has(key) else None

    def use(self, key: K) -> None:
        """Notes the use of a result, or of its provisional answer."""
        now = _reading
        now.seen |= self.reads.get(key, 0)
        depth = now.open.get((id(self), key))
        if depth is not None and depth < now.lowest:
            now.lowest = depth

    def put(self, key: K, value: V) -> None:
        """Keeps a result that depends on all that was read for the one that is being worked out."""
        self[key] = value
        self.note(key, _reading.seen)

    def note(self, key: K, bits: int) -> None:
        """Notes what a result has read."""
        if bits and _reading.watch is not None:
            self.reads[key] = bits
            _reading.watch.note(cast("Memo[Hashable, object]", self))

    def drop(self, bits: int) -> None:
        """Drops the results that have read one of these inputs."""
        for key in [key for key, read in self.reads.items() if read & bits]:
            del self.reads[key]
            self.pop(key, None)
            if self.dropped is not None:
                self.dropped(key)
