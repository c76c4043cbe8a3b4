"""The control-flow graph itself: blocks of steps, and the edges between them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple, TypeAlias

from fdlint.core.ir.access_path import AccessPath
from fdlint.core.ir.effects import Arg, Call, Callee, Condition, Constant, Effect, Leaving, Operand, Place, Test
from fdlint.core.ir.language import Language

NESTED = ".<locals>."  # between the qualified names of a function and of one nested in it
RETURN = 0  # the exit block for a normal return
RAISE = 1  # the exit block for an uncaught exception


@dataclass(frozen=True, slots=True)
class Step:
    """One effect and the targets of its exceptions: exception name -> landing blocks, any of which may catch it.

    ``statement`` and ``node`` are the numbers, in the function, of the statement and of its syntax node; copies of a
    cleanup share them. ``expected``: the surrounding code wants the step to fail (a test).
    """

    effect: Effect
    origin: object
    statement: int
    pads: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    expected: bool = False
    node: int = 0

    def landings(self) -> Iterator[int]:
        """The blocks where its exceptions may land."""
        return (pad for pads in self.pads.values() for pad in pads)


@dataclass(frozen=True, slots=True)
class Jump:
    """Continues in any of the targets; without targets the path ends here."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """Continues in the target that the result of a test selects."""

    test: Test
    origin: object
    if_true: int
    if_false: int
    negated: bool = False  # the source asks the opposite (``is not``, ``!=``)


@dataclass(frozen=True, slots=True)
class Advance:
    """Takes the next item of an iterator, or leaves the loop."""

    iterator: Place
    item: Place
    origin: object
    statement: int
    body: int
    done: int
    pads: Mapping[str, tuple[int, ...]]


Terminator: TypeAlias = Jump | Branch | Advance


@dataclass(slots=True)
class Block:
    """Steps that run one after another, then a terminator."""

    steps: list[Step] = field(default_factory=list)
    end: Terminator = Jump(())


class Bound(enum.Enum):
    """How often a loop runs."""

    FEW = "over the items of a display"
    ENDS = "until something is used up"
    ENDLESS = "until something happens"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: the first block of each iteration, and the iterated place, None for a ``while``. ``done``: the block
    after a ``while`` whose test is false."""

    head: int
    bound: Bound
    origin: object
    over: Operand | None = None
    done: int | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a function and how a call fills them. ``bound``: the first parameter is the object or class
    that a method is called on."""

    positional: tuple[Place, ...] = ()
    keyword_only: tuple[Place, ...] = ()
    star: Place | None = None
    double_star: Place | None = None
    defaults: Mapping[Place, Operand] = field(default_factory=dict)
    bound: bool = False

    def fits(self, args: Sequence[Arg]) -> bool:
        """Whether a call of the method on an object may have these arguments, by their number and their keywords."""
        plain = sum(arg.keyword is None and not arg.stars for arg in args)
        positional = self.positional[1:] if self.bound else self.positional
        if plain > len(positional) and self.star is None:
            return False
        named = {arg.keyword for arg in args if arg.keyword is not None}
        left = {*positional[plain:], *self.keyword_only}
        if self.double_star is None and not named <= left:
            return False
        return any(arg.stars for arg in args) or left - self.defaults.keys() <= named


@dataclass(frozen=True, slots=True)
class LiveAt:
    """What is live at the entry of a block: the places whose plain values are still used, and the texts of the
    conditions that may be tested again."""

    places: frozenset[Place]
    conditions: frozenset[Condition]


@dataclass(frozen=True, slots=True)
class Live:
    """What is live at the entry of each block. ``conditions`` and ``places`` list those of all blocks; ``bits`` selects
    those of each block, the conditions first. One set per block would take memory quadratic in the length of the
    function."""

    conditions: Sequence[Condition]
    places: Sequence[Place]
    bits: Sequence[int]

    @property
    def size(self) -> int:
        """The number of places and conditions that may be live."""
        return len(self.conditions) + len(self.places)

    def at(self, block: int) -> LiveAt:
        """Returns the live places and conditions at the entry of one block."""
        selected = [bit == "1" for bit in reversed(f"{self.bits[block]:b}")]
        places = compress(self.places, selected[len(self.conditions) :])
        return LiveAt(frozenset(places), frozenset(compress(self.conditions, selected)))


class Prepared(NamedTuple):
    """What every run of a function needs from its graph: the conditions that are asked more than once, the live places,
    the order of the blocks, those that do nothing with their targets, and those that only one other block leads to.
    ``giving_away``: the nested functions that steps, by their ids, let others have."""

    asked_again: frozenset[Condition]
    live: Live
    order: Mapping[int, int]
    passing: Mapping[int, int]
    lone: frozenset[int]
    giving_away: Mapping[int, tuple[tuple[str, frozenset[Place]], ...]]


@dataclass(slots=True)
class Graph:
    """One function. ``entry`` is its first block; blocks ``RETURN`` and ``RAISE`` are its exits.

    Names and nested functions: ``captures`` maps each nested function to the names that it captures, ``sinks`` to those
    that it closes or hands on. ``throwaways`` are names that are bound and never read, ``globals`` names declared
    global, ``shared`` names that a nested function rebinds, ``fixed`` names of the outer function that are bound once.
    ``constants`` are those of the module.

    The function itself: ``abstract``: it only reports that it is not implemented. ``ruled_out``: another definition
    of the same name replaces it. ``excluded``: it is for another platform, and there is one for this. ``elsewhere``:
    it runs on systems other than Linux only. ``owner`` is the class of a method.
    ``is_object`` tells whether the declared type of a place rules out that it holds a number. ``decorators`` are the
    last parts of their names; ``wrappers`` are those that the catalog does not know, innermost first. ``types`` are
    the known classes of parameters and attributes, ``classes`` those of parameters that may be the project's.
    ``methods`` are the functions that places have if nothing else is known of them: the methods of its object that it
    uses as values, and the classes that are defaults.
    ``module``: this is the body of a module, whose names live as long as the process. ``returns_error``: the last of
    its results is an error, or nothing if it did not fail. ``numbers``: the
    positions of those that are declared to be numbers.

    Caches: ``prepared`` keeps results that depend only on the graph, ``bindings`` the classes of the objects that its
    places are bound to.
    """

    name: str | None
    language: Language
    parameters: tuple[Place, ...] = ()
    signature: Signature = field(default_factory=Signature)
    owner: str | None = None
    generator: bool = False
    abstract: bool = False
    ruled_out: bool = False
    elsewhere: bool = False
    is_object: Callable[[Place], bool] | None = None
    excluded: bool = False
    decorators: tuple[str, ...] = ()
    wrappers: tuple[Callee, ...] = ()
    blocks: list[Block] = field(default_factory=list)
    entry: int = 2
    sinks: dict[str, frozenset[Place]] = field(default_factory=dict)
    captures: dict[str, frozenset[Place]] = field(default_factory=dict)
    throwaways: frozenset[Place] = frozenset()
    types: dict[Place, str] = field(default_factory=dict)
    classes: dict[Place, str] = field(default_factory=dict)
    methods: dict[Place, Callee] = field(default_factory=dict)
    free: frozenset[Place] = frozenset()
    fixed: frozenset[Place] = frozenset()
    globals: frozenset[Place] = frozenset()
    constants: Mapping[str, Constant] = field(default_factory=dict)
    shared: frozenset[Place] = frozenset()
    module: bool = False
    returns_error: bool = False
    numbers: frozenset[int] = frozenset()
    loops: list[Loop] = field(default_factory=list)
    too_large: bool = False
    prepared: Prepared | None = None
    bindings: dict[Place, frozenset[str | None]] | None = None

    @property
    def receiver(self) -> Place | None:
        """The name of the object that a method is called on. A function nested in a method sees it too."""
        if self.signature.bound and self.signature.positional and not self.of_class:
            return self.signature.positional[0]
        return self.language.receiver if self.language.receiver in self.free else None

    @property
    def lends(self) -> bool:
        """Whether a decorator keeps the function's result."""
        return not self.language.decorators.lending.isdisjoint(self.decorators)

    @property
    def of_object(self) -> bool:
        """Whether a method is called on an object."""
        return not self.of_class and self.language.decorators.static_method not in self.decorators

    @property
    def of_class(self) -> bool:
        """Whether a method is called on a class."""
        return self.language.decorators.class_method in self.decorators

    def steps(self) -> Iterator[Step]:
        """The steps of all blocks."""
        return (step for block in self.blocks for step in block.steps)

    def effects(self) -> Iterator[Effect]:
        """The effects of all steps."""
        return (step.effect for block in self.blocks for step in block.steps)

    def calls(self) -> Iterator[Call]:
        """All calls."""
        return (effect for effect in self.effects() if isinstance(effect, Call))

    def returned(self) -> set[Place]:
        """The places whose values it returns."""
        values = (effect.value for effect in self.effects() if isinstance(effect, Leaving))
        return {value for value in values if isinstance(value, AccessPath)}

    def calls_own(self, call: Call) -> bool:
        """Whether a method calls ``self.method()`` or ``super().method()``."""
        return self.receiver is not None and call.callee.receiver == self.receiver

    def branches(self) -> Iterator[Branch]:
        """The terminators that test a condition."""
        return (block.end for block in self.blocks if isinstance(block.end, Branch))

    def successors(self, index: int) -> list[int]:
        """Returns all blocks that may follow, by any edge."""
        block = self.blocks[index]
        landings = [pad for step in block.steps for pads in step.pads.values() for pad in pads]
        return list(dict.fromkeys([*landings, *self.targets(block.end)]))

    def targets(self, end: Terminator) -> list[int]:
        """Returns the blocks that a terminator leads to."""
        match end:
            case Jump(targets):
                return list(targets)
            case Branch(_, _, yes, no):
                return [yes, no]
            case Advance(_, _, _, _, body, done, pads_by_name):
                return [body, done, *(target for pads in pads_by_name.values() for target in pads)]


def outermost(name: str) -> str:
    """Returns the qualified name of the outermost function or method around a nested one."""
    return name.partition(NESTED)[0].partition("#")[0]
