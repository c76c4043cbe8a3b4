"""What has been worked out so far about the functions of a program."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from fdlint.catalog import Catalog
from fdlint.graph import Loop, Place
from fdlint.ownership.ended import Endings
from fdlint.ownership.outcomes import Summary
from fdlint.ownership.prospected import Prospected
from fdlint.ownership.relevance import Relevance
from fdlint.ownership.seeds import Seeds
from fdlint.ownership.units import Units
from fdlint.program import Function, Program
from fdlint.workers.making import Produced


@dataclass(slots=True)
class Knowledge:
    """What has been worked out so far about all functions of a program."""

    program: Program
    catalog: Catalog
    relevance: Relevance
    summaries: dict[Hashable, Summary | None] = field(default_factory=dict)
    acquiring: dict[Hashable, bool] = field(default_factory=dict)
    giving: dict[Hashable, bool] = field(default_factory=dict)
    filling: dict[Hashable, bool] = field(default_factory=dict)
    exits: dict[Hashable, tuple[bool, bool]] = field(default_factory=dict)
    called: dict[int, list[Function]] = field(default_factory=dict)
    closures: dict[Hashable, Function] = field(default_factory=dict)
    decorated: dict[int, Function | None] = field(default_factory=dict)
    touched: dict[Hashable, frozenset[str]] = field(default_factory=dict)
    kept: dict[int, frozenset[Place]] = field(default_factory=dict)
    asked: dict[int, frozenset[Place]] = field(default_factory=dict)
    filled: dict[tuple[int, Place | None], frozenset[str]] = field(default_factory=dict)
    makers: dict[tuple[int, str], tuple[tuple[Function, Place], ...]] = field(default_factory=dict)  # by class
    made: dict[int, frozenset[str]] = field(default_factory=dict)  # by file
    workers: dict[int, Produced] = field(default_factory=dict)
    rounds: dict[int, list[tuple[Loop, frozenset[int]]]] = field(default_factory=dict)
    visits: int = 0  # how many blocks callees have taken
    enough: int | None = None  # no callee is followed any more when it is this many
    active: list[Hashable] = field(default_factory=list)  # calls being followed, the caller before the called
    believed: dict[Hashable, Summary] = field(default_factory=dict)  # of functions that call themselves, so far
    beliefs: int = 0  # how often what is believed has changed
    functions: list[Hashable] = field(default_factory=list)  # the functions of ``active``
    leaning: set[Hashable] = field(default_factory=set)  # those on which what is being followed leans
    endings: Endings = field(init=False)
    prospected: Prospected = field(init=False)
    cut: bool = False  # recursion or depth has cut short what is being followed

    def __post_init__(self) -> None:
        self.endings = Endings(self.catalog)
        self.prospected = Prospected(Seeds(self.program, self.catalog, self.relevance), Units(self.program))
