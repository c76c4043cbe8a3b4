"""Compares the engine with the machine on a Go program, place by place."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..compare import Comparison
from ..decisions import Decisions, PathPruned, explore
from ..oracle import LEAK_CODES
from ..shape import Place
from ..table import How, State
from .machine import Ended, Machine
from .syntax import functions
from .table import Misdeed

_MAX_PATHS = 3_000
_RUNS = itertools.count(1_000_000)


@dataclass(slots=True)
class _Site:
    """The fates of the descriptors of one call, over all runs. ``indexes``: those that a run opened. ``captured``: a
    function literal had a lost one, so silence is right as well."""

    losses: set[tuple[How, bool]] = field(default_factory=set)
    indexes: set[int] = field(default_factory=set)
    released: set[int] = field(default_factory=set)
    captured: bool = False

    def code(self) -> str | None:
        """Returns the first code that holds, in the order of the contract."""
        hows = {how for how, _ in self.losses}
        if How.DISCARDED in hows:
            return "FD107"
        if any(sent for _, sent in self.losses):
            return "FD104"
        if How.REBOUND in hows:
            return "FD106"
        if not hows:
            return None
        return "FD102" if self.indexes <= self.released else "FD101"


@dataclass(slots=True)
class Truth:
    """What the runs have shown. ``sites``: the calls that a run has reached."""

    sites: dict[Place, _Site] = field(default_factory=dict)
    misdeeds: set[Misdeed] = field(default_factory=set)

    def learn(self, machine: Machine) -> None:
        """Adds one run."""
        for place in machine.reached:
            self.sites.setdefault(place, _Site())
        self.misdeeds |= machine.table.misdeeds
        for one in machine.table.descriptors:
            if one.depth:
                continue
            site = self.sites.setdefault(one.place, _Site())
            site.indexes.add(one.index)
            if one.lost is not None:
                site.losses.add((one.lost, one.sent))
                site.captured |= one.captured
            elif one.state is not State.OPEN:
                site.released.add(one.index)


def truth(source: str) -> Truth:
    """Runs each function of a program along all its paths. Raises ``InvalidProgram`` or ``TooManyPaths``."""
    known, found = functions(source), Truth()

    def run(name: str, decisions: Decisions) -> None:
        machine = Machine(known, decisions)
        try:
            with contextlib.suppress(Ended):
                machine.run(name)
        except PathPruned:
            return
        found.learn(machine)

    for name in known:
        if "." in name:
            continue  # a method runs when another function calls it
        explore(lambda decisions, name=name: run(name, decisions), _MAX_PATHS)  # type: ignore[misc]
    return found


def reported(source: str) -> dict[Place, str]:
    """Returns the engine's codes by place: line and column of a leak, line and number of a misuse."""
    from fdlint.scan.config import UNCONFIGURED
    from fdlint.scan.files.bundle import Bundle
    from fdlint.scan.files.discover import FileToScan
    from fdlint.scan.package import analyse_package

    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "generated.go")
        place.write_text(source, encoding="utf-8")
        file = FileToScan(str(place), "generated.go", UNCONFIGURED)
        (result,) = analyse_package(Bundle((file,), place.parent), run=next(_RUNS))
    if result.skipped:
        return {(0, 0): f"skipped: {result.skipped[0].reason}"}
    found: dict[Place, str] = {}
    for one in result.findings:
        if one.code in LEAK_CODES:
            found[one.span.line, one.span.column] = one.code
        elif one.code in ("FD201", "FD202", "FD203"):
            found[one.span.line, int(one.code[2:])] = one.code
    return found


def compare_go(source: str) -> Comparison:
    """Compares truth and engine on one program. Raises ``InvalidProgram`` or ``TooManyPaths`` if that is impossible."""
    known = truth(source)
    said = reported(source)
    due: dict[Place, str | None] = {place: site.code() for place, site in known.sites.items()}
    due |= {_line(one): one.code for one in known.misdeeds if not one.doubtful}
    allowed = {_line(one) for one in known.misdeeds if one.doubtful} - due.keys()
    allowed |= {place for place, site in known.sites.items() if site.captured and place not in said}
    places: Sequence[Place] = sorted((due.keys() | said.keys()) - allowed)
    return Comparison(source, {place: (due.get(place), said.get(place)) for place in places})


def _line(misdeed: Misdeed) -> Place:
    return misdeed.place[0], int(misdeed.code[2:])
