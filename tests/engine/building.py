"""Handmade graphs and states, and states as text, for the unit tests of the engine's core.

``given({"fd": FD}, fd0="open bound")`` is a state. ``shown`` writes it as ``fd=fd0 | fd0 open bound``: the values of
places, then each descriptor's typestate with its marks, then everything else that differs from the initial state. The
name of a descriptor has the number of its site: ``fd0`` and ``fd1`` were acquired before the step under test, ``fd2``
and its second slot ``fd2.1`` were received in a list, the step itself acquires ``fd3`` and the following. An older one
of the same site is ``fd0'``, and ``fd0''`` stands for all before that. Places are written as in the graph's text:
``%1``, ``!1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, cast

from fdlint.catalog import default_catalog
from fdlint.core.dataflow.nested_functions import steps_giving_away
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.event import Event
from fdlint.core.domain.raising import Raising
from fdlint.core.domain.state import Resource, Role, State
from fdlint.core.domain.typestate import Status, Violation
from fdlint.core.domain.values import (
    Age,
    AllocationSite,
    Any_,
    Box,
    Const,
    Container,
    ContainerSite,
    Descriptor,
    Fd,
    Fn,
    Iter,
    Known,
    Lazy,
    Maker,
    Pid,
    Seq,
    Some,
    Sym,
    Text,
    Typed,
    Unlike,
    Value,
)
from fdlint.core.engine.log import LetGo, Log, Loss, Occurrence, Site
from fdlint.core.engine.prune import Pruner
from fdlint.core.engine.transfer import RunOptions, Transfer
from fdlint.core.ir import (
    RAISE,
    RETURN,
    AccessPath,
    Arg,
    Block,
    Branch,
    Call,
    Callee,
    CaughtException,
    Condition,
    Effect,
    Graph,
    Jump,
    Operand,
    Place,
    Question,
    Signature,
    Step,
    Temporary,
    Terminator,
    Test,
)
from fdlint.languages.python.lowering.language import PYTHON

CATALOG = default_catalog()
FD, OTHER = (Fd(Descriptor(AllocationSite(site), 0, Age.NEWEST)) for site in range(2))
RECEIVED = tuple(Fd(Descriptor(AllocationSite(2), slot, Age.NEWEST)) for slot in range(2))
LIST, DICT = (Box(Container(ContainerSite(Maker.ANYBODY, site), Age.NEWEST)) for site in range(2))
ENTRY, NEXT, HANDLER, DONE = range(2, 6)  # the block under test, and its possible successors
EDGES = {NEXT: "next", HANDLER: "raises", DONE: "done", RETURN: "return", RAISE: "raise"}
GOES_ON = Jump((NEXT,))
PADS = {"Exception": (HANDLER,)}
NUMBERS = {f"fd{one.descriptor.site}": one.descriptor for one in (FD, OTHER, RECEIVED[0])}
NUMBERS["fd2_1"] = RECEIVED[1].descriptor
AGES = {Age.NEWEST: "", Age.PREVIOUS: "'", Age.OLDER: "''"}


# -- places


def place(text: str) -> Place:
    """Parses a place."""
    if isinstance(text, AccessPath):
        return text
    return _KINDS.get(text[0], AccessPath)(text)


_KINDS = {"%": Temporary, "!": CaughtException}
_PLACES = re.compile("Place|Operand|RValue|CaughtException")


def typed(one: Any, annotation: str = "") -> Any:
    """Returns an effect, a question or a value with its text replaced by places."""
    if isinstance(one, str) and _PLACES.search(annotation):
        return place(one)
    if is_dataclass(one):
        return replace(one, **{it.name: typed(getattr(one, it.name), it.type) for it in fields(one)})  # type: ignore
    return tuple(typed(item, annotation) for item in one) if type(one) is tuple else one


# -- states


def given(
    env: Mapping[str, Value],
    heap: Mapping[Box, Contents] | None = None,
    facts: Mapping[str, bool] | None = None,
    raising: Raising | None = None,
    armed: Iterable[str] = (),
    **typestates: str,
) -> State:
    """Returns a state with the values of its places, and with the typestate of each descriptor: ``fd0="open
    bound"``."""
    contents = {box.container: contents for box, contents in (heap or {}).items()}
    resources = {NUMBERS[name]: resource(words) for name, words in typestates.items()}
    known = {Condition(text): answer for text, answer in (facts or {}).items()}
    places = {place(name): typed(value) for name, value in env.items()}
    return State(places, contents, resources, known, raising, armed=frozenset(map(place, armed)))


def resource(words: str) -> Resource:
    """Parses a typestate with its marks."""
    status, *marks = words.upper().split()
    known = {**Event.__members__, **Violation.__members__}
    found = frozenset(known[mark] for mark in marks if mark != "CERTAIN")
    return Resource(Status[status], found, certain="CERTAIN" in marks)


def shown(state: State) -> str:
    """Formats a state without its story."""
    env = ", ".join(f"{place}={value_shown(state, value)}" for place, value in sorted(state.env.items()))
    fds = ", ".join(f"{name(fd)} {typestate(one)}" for fd, one in sorted(state.resources.items()))
    return " | ".join(part for part in (env, fds, *_else(state)) if part)


def typestate(one: Resource) -> str:
    """Formats a typestate with its marks."""
    marks = [*sorted(mark.name for mark in one.marks), *(["certain"] if one.certain else [])]
    stream = [f"stream {one.stream}"] if one.stream is not None else []
    return " ".join([one.status.name, *marks, *stream]).lower()


def name(fd: Descriptor) -> str:
    """Returns the name of a descriptor."""
    return f"fd{fd.site}{f'.{fd.slot}' if fd.slot else ''}{AGES[fd.age]}"


def _else(state: State) -> Iterator[str]:
    yield from (f"{text}: {answer}" for text, answer in sorted(state.facts.items()))
    if state.armed:
        yield f"armed {', '.join(sorted(state.armed))}"
    if state.raising is not None:
        yield f"raising {state.raising.value}"
    if state.role is not None:
        yield state.role.value if isinstance(state.role, Role) else "forked"
    for one, alone in state.pending:
        assert isinstance(one, Occurrence)
        yield f"{lost(one)} if {'its parent has ended' if alone else 'it goes on'}"
    if state.free:
        yield f"free {sorted(state.free)}"
    if state.widened:
        yield "widened"


def value_shown(state: State, value: Value) -> str:
    """Formats a value; a list or dict with its contents."""

    def several(items: Iterable[Value], exact: bool = True) -> str:
        return ", ".join([*(value_shown(state, item) for item in items), *(() if exact else ("...",))])

    match value:
        case Fd(descriptor):
            return name(descriptor)
        case Const(constant):
            return repr(constant)
        case Known():
            return value.name.lower()
        case Sym(known_as):
            return f"<{known_as}>"
        case Typed(kind, certain, full):
            return f"<{kind}{'' if certain else ' or none'}{', full' if full else ''}>"
        case Unlike(types, known):
            return f"{value_shown(state, known)}, not {', '.join(sorted(types))}"
        case Seq(items, exact):
            return f"({several(items, exact)})"
        case Box(container):
            contents = state.heap[container]
            shared = "shared " if contents.outlives else ""
            if contents.keys is None:
                return f"{shared}[{several(contents.items, contents.exact)}]"
            pairs = [
                f"{key!r}: {value_shown(state, item)}" for key, item in zip(contents.keys, contents.items, strict=True)
            ]
            return f"{shared}{{{', '.join([*pairs, *(() if contents.exact else ('...',))])}}}"
        case Iter(items, exact, raises):
            return f"{'nothrow ' if raises is None else ''}iterator({several(items, exact)})"
        case Any_(items) | Some(items) | Lazy(_, items) | Text(items):
            return f"{type(value).__name__.strip('_').lower()}({several(items)})"
        case Fn(callee):
            return f"{callee.name}()"
        case Pid():
            return "pid"
    raise NotImplementedError(value)


# -- graphs


def graph(before: State, *steps: Step, end: Terminator = GOES_ON, **known: object) -> Graph:
    """Returns a method of one block, which leads to other blocks. The names in the state are its own. ``known``:
    attributes of ``Graph``."""
    blocks = [Block(), Block(), Block(list(steps), typed(end)), Block(), Block(), Block()]
    parameters = (place("self"), *(one for one in before.env if one.isidentifier()))
    signature = Signature(parameters[:1], bound=True)
    return Graph("C.f", PYTHON, parameters, signature, "C", blocks=blocks, **known)  # type: ignore[arg-type]


def step(effect: Effect, statement: int = 0, pads: Mapping[str, tuple[int, ...]] = PADS) -> Step:
    """Returns a step whose exceptions land in the handler."""
    return Step(typed(effect), f"step of statement {statement}", statement, pads)


def call(dotted: str, *operands: Operand, unused: bool = False, **keywords: Operand) -> Call:
    """Returns ``%1 = dotted(*operands)``. For a method ``.append`` the first operand is the receiver."""
    receiver, operands = (operands[0], operands[1:]) if dotted[0] == "." else (None, operands)
    callee = Callee(dotted.rpartition(".")[2], dotted if receiver is None else None, receiver)
    args = (*map(Arg, operands), *(Arg(operand, keyword) for keyword, operand in keywords.items()))
    return Call(place("%1"), callee, args, unused)


# -- runs


class Case(NamedTuple):
    """A line of a table: the effect of a step on a state."""

    name: str
    before: State
    effect: Effect
    lines: tuple[str, ...]


def case(name: str, before: State, effect: Effect, *lines: str) -> Case:
    """Returns the line from its columns."""
    return Case(name, before, effect, lines)


def log() -> Log:
    """Returns a log with the sites of ``fd0``, ``fd1`` and ``fd2``."""
    made = Log("C.f")
    for number in range(3):
        made.adopt(Site(f"site {number}", "os.open", received=number == 2, statement=number + 10))
    return made


def transfer(before: State, *effects: Effect | Step, **known: object) -> list[str]:
    """Runs steps on a state. Returns a line with the new state for each edge, then the log. ``known``: attributes of
    the graph."""
    steps = [one if isinstance(one, Step) else step(one) for one in effects]
    return run(before, graph(before, *steps, **known), ENTRY)


def run(before: State, function: Graph, index: int) -> list[str]:
    """Runs one block of a function. Returns the same lines."""
    record = log()
    left = leave(before, function, index, record)
    return [*(f"{EDGES[target]}: {shown(state)}".rstrip() for target, state in left), *told(record)]


def leave(before: State, function: Graph, index: int, record: Log | None = None) -> list[tuple[int, State]]:
    """Returns the states that leave a block, each with its target."""
    machine = Transfer(
        function, CATALOG, record or log(), frozenset(), RunOptions(giving_away=steps_giving_away(function))
    )
    return [one for leaves in machine.run(index, before.copy()) for one in leaves]


def ask(before: State, question: Question, key: str | None = None, **known: object) -> list[str]:
    """Tests a question. Returns a line for each result with the new facts, then the log."""
    record = log()
    text = Condition(key) if key is not None else None
    branch = Branch(Test(typed(question), text), "test", NEXT, DONE)
    pruner = Pruner(graph(before, end=branch, **known), record, frozenset({text} if text else ()), frozenset(), {})
    return [
        *(f"{answer}: {shown(state)}".rstrip() for answer, state in pruner.ask(before.copy(), branch)),
        *told(record),
    ]


def told(record: Log) -> list[str]:
    """Returns the entries of the log that a rule may report. Only this function knows the format of the log."""
    losses = [one for history in record.histories().values() for one in history.losses()]
    let_go = record.of(Event.REPLACED, Event.DETACHED)
    return sorted(
        [
            *map(lost, losses),
            *(f"{words(one)} in {cast(LetGo, one.detail).place}: {name(one.descriptor)}" for one in let_go),
            *(f"{words(one)}: {name(one.descriptor)}" for one in record.of(Event.TESTED, *Violation)),
        ]
    )


def lost(one: Occurrence) -> str:
    return f"lost {name(one.descriptor)}: {cast(Loss, one.detail).death.value}"


def words(one: Occurrence) -> str:
    return f"{'' if one.certain else 'perhaps '}{one.event.name.lower().replace('_', ' ')}"
