"""What the analyses have to know of the language that a graph was lowered from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fdlint.ir.effects import Constant, Place


@dataclass(frozen=True, slots=True)
class Exceptions:
    """Exceptions by name. A step may raise ``unknown`` if nothing is known of it, ``system`` if the operating system
    refuses, ``wrong_type`` and ``no_member`` if a value is misused. ``base_of(kind, known)``: the one among known names
    that stands for a kind: its own, or that of a base."""

    unknown: str
    system: str
    wrong_type: str
    no_member: str
    base_of: Callable[[str, Iterable[str]], str | None]


@dataclass(frozen=True, slots=True)
class Types:
    """Types by name. A value of a ``plain`` type is true or false by its contents; ``numbers``: the types that a
    descriptor's number has; ``unknown`` stands for one that is not known. ``of``: the type of a constant;
    ``number_has``: whether numbers have an attribute."""

    none: str
    text: str
    unknown: str
    plain: frozenset[str]
    numbers: frozenset[str]
    of: Callable[[Constant], str]
    number_has: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Methods:
    """Methods that the language calls by itself, by name. ``makers`` make an object, ``constructor`` fills it, and
    ``after_constructor`` completes it; ``of_classes`` are called on the class. ``managers``: the methods that enter a
    context manager, with those that leave it."""

    constructor: str
    after_constructor: str
    makers: frozenset[str]
    of_classes: frozenset[str]
    finalizer: str
    call: str
    managers: Mapping[str, str]

    @property
    def before_the_object(self) -> frozenset[str]:
        """Those that nobody calls on an object that is complete."""
        return self.makers | self.of_classes | {self.after_constructor}


@dataclass(frozen=True, slots=True)
class Decorators:
    """Decorators, by the last part of their names. ``managers`` make a context manager of a generator; ``fixtures``
    make one into which nothing is thrown; ``caches`` return the same result again, and so do ``properties``;
    ``cache_clear`` empties a cache."""

    class_method: str
    static_method: str
    managers: frozenset[str]
    fixtures: frozenset[str]
    caches: frozenset[str]
    properties: frozenset[str]
    cache_clear: str

    @property
    def lending(self) -> frozenset[str]:
        """Those that keep what a function gives: its caller only borrows it."""
        return self.managers | self.fixtures | self.caches | self.properties


@dataclass(frozen=True, slots=True)
class Language:
    """What differs between languages. ``receiver`` and ``class_receiver``: the names that methods give to their object
    and to their class; ``builtins``: how the names begin that need no import; ``is_constant``: whether a variable of
    this name is bound once; ``is_private``: whether a method of this name is for its own class."""

    exceptions: Exceptions
    types: Types
    methods: Methods
    decorators: Decorators
    receiver: Place
    class_receiver: Place
    builtins: str
    is_constant: Callable[[str], bool]
    is_private: Callable[[str], bool]
