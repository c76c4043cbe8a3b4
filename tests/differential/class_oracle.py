"""Computes the lines of a class that need FD105, FD108 or FD204 by the contract.

The contract is read as follows where a method overwrites an attribute (``_overwrites``):

* The same run of a method stored the old value: FD105.
* A sentinel over a value of another method: FD105. A sentinel over a value that the same method stored in an earlier
  call is a declaration, and silent.
* Another descriptor: FD105 if ``__init__`` itself filled the attribute, or if the method's name means a replacement. A
  method that is merely called twice, or one beside another that also fills the attribute, is silent.

The cases that this leaves open are in ``doubtful``: neither expected nor counted as wrong.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from .drive import Life, compile_class, live
from .lives import ClosedAgain, Overwritten

Report = tuple[str, int]
"""Code and line."""
CODES = frozenset({"FD105", "FD108", "FD204"})
REPLACING = re.compile(r"re_?(open|set|start|load|new|fresh|connect|place)|rotate|switch|rollover")


class Answer(enum.Enum):
    """The verdict on an event."""

    DUE = "due"
    DOUBTFUL = "doubtful"
    SILENT = "silent"


@dataclass(slots=True)
class Expected:
    """The required reports, and the permitted ones."""

    due: set[Report]
    doubtful: set[Report]
    reached: set[int]  # lines that acquired or closed something in a run
    declined: bool  # a run closed a non-descriptor: an engine that accepts this gets further


def expected_of_class(source: str) -> Expected:
    """Drives the class in ``source``, and judges the result."""
    program = compile_class(source)
    life = live(program)
    answers: dict[Report, set[Answer]] = {}
    attributes: dict[str, set[Answer]] = {}
    for event in life.overwritten:
        answer = _overwrites(event, life) if event.attribute not in program.outside else Answer.DOUBTFUL
        answers.setdefault(("FD105", event.at.line), set()).add(answer)
        attributes.setdefault(event.attribute, set()).add(answer)
    for again in life.again:
        answers.setdefault(("FD204", again.first.line), set()).add(_stale(again, life))
    for attribute, places in life.acquired.items():
        said = attributes.get(attribute, set())
        if attribute in life.released | program.outside or Answer.DUE in said:
            continue
        # A close that never has a descriptor may be meant for this one. FD108 is content with one that no run reaches.
        doubtful = Answer.DOUBTFUL in said or bool(life.declined - life.reached) or attribute in program.closing
        for place in places:
            answer = Answer.DOUBTFUL if doubtful or place in life.strayed else Answer.DUE
            answers.setdefault(("FD108", place[0]), set()).add(answer)
    due = {report for report, found in answers.items() if Answer.DUE in found}
    return Expected(
        due,
        {report for report, found in answers.items() if Answer.DOUBTFUL in found} - due,
        life.reached,
        bool(life.declined),
    )


def _overwrites(event: Overwritten, life: Life) -> Answer:
    at, filled = event.at, event.filled
    if at.entry == filled.entry:
        return Answer.DUE
    if event.fills:
        answer = _fills(event)
        return Answer.DOUBTFUL if answer is Answer.SILENT and event.moved else answer
    if at.public == filled.public:
        return Answer.DOUBTFUL if REPLACING.search(at.public) else Answer.SILENT
    if _publics(at.chain) & _publics(filled.chain):
        return Answer.DOUBTFUL
    declares = (event.attribute, at.public) in life.fillers and filled.public != "__init__"
    return Answer.DOUBTFUL if declares else Answer.DUE


def _fills(event: Overwritten) -> Answer:
    at, filled = event.at, event.filled
    if REPLACING.search(at.public):
        return Answer.DUE
    if any(REPLACING.search(name) for name in at.chain):
        return Answer.DOUBTFUL
    if filled.public != "__init__":
        return Answer.SILENT
    through = _publics(filled.chain) - {"__init__"}
    if not through:
        return Answer.DUE
    return Answer.SILENT if at.public in through else Answer.DOUBTFUL


def _stale(event: ClosedAgain, life: Life) -> Answer:
    """Another method closes it again, or the same method after an exception ended its first call before the reset.

    Nobody calls a method of an object after its block, or two methods of which one is a part of the other.
    """
    first, again = event.first, event.again
    by_itself = again.public in ("__exit__", "__del__")
    nested = first.line == again.line and (again.public in first.chain or first.public in again.chain)
    if not by_itself and (first.public == "__exit__" or (nested and event.normal)):
        return Answer.SILENT
    if first.public != again.public:
        return Answer.DUE
    resets = first.line in life.reset
    if not event.normal:
        return Answer.DUE if resets else Answer.DOUBTFUL
    return Answer.DOUBTFUL if resets else Answer.SILENT


def _publics(chain: tuple[str, ...]) -> set[str]:
    return {name for name in chain if not name.startswith("_") or name.endswith("__")}
