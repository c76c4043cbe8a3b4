"""How often a piece of code runs: once in a process, as often as a loop says, again and again in a process that lives
on, or as often as unknown callers like.

The answer goes from a function to the places that call it, give it away or make objects of its class, and so on up to
what starts a program. The worst way decides, and the shortest chain of calls is its witness.
"""

from __future__ import annotations

import enum
import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from fdlint.catalog.lifetimes import Caller, Runs, Table, unmarked
from fdlint.core.finding import UNKNOWN_CALLERS, Cost
from fdlint.program.handed import Defining, calls_of_field, classes_named, repeats
from fdlint.program.kinds import Kinds
from fdlint.program.usage import TABLE, Definition, Loop, Mention, Usage, Way, Where, full_name, last_name, means

CLOSED_BY_RETURN = "the loop has an end, and the return of its function closes what it has opened"
UNSEEN = "its callers are not known"
MADE_ONCE = "only while the file is missing that it makes"
_MAX_FUNCTIONS = 100  # that are followed for one question
_MAX_NAMED = 2  # calls of a chain that a reason names


class Often(enum.IntEnum):
    """How often code runs, the rarest first."""

    ONCE = 0
    BOUNDED = 1
    UNKNOWN = 2  # code of the project calls it, and nobody knows how often
    PUBLIC = 3  # code outside of the project may call it as often as it likes
    REPEATED = 4


COSTS = {
    Often.ONCE: Cost.LOW,
    Often.BOUNDED: Cost.MEDIUM,
    Often.UNKNOWN: Cost.MEDIUM,
    Often.PUBLIC: Cost.MEDIUM,
    Often.REPEATED: Cost.HIGH,
}


class Project(Defining, Protocol):
    """The files of a project, as far as they are asked for."""

    def usage(self, path: str) -> Usage | None:
        """Returns the facts of a file by its path in reports; None if it cannot be read."""

    def deriving(self, name: str) -> Iterable[Usage]:
        """Yields the facts of the files that may derive a class from one of a name."""

    def command(self, full: str) -> str | None:
        """Returns the command that runs a function, by the full name of the function; None if there is none."""


class Answer(NamedTuple):
    """How often code runs, and why, as a phrase. ``near``: a loop is seen to call the function itself."""

    often: Often
    reason: str
    near: bool = False


_IN_TESTS = Answer(Often.ONCE, "in test code")


class _Step(NamedTuple):
    """A function on the way up. ``below``: the step that it leads to; ``line``: the place in it that does; ``how``:
    what it does there, with a place for the name of the function below. ``doubt``: why it may not lead there.
    ``each``: what it starts there the function below for, each time that it comes there."""

    usage: Usage
    definition: Definition
    below: _Step | None = None
    line: int = 0
    how: str = "calls"
    doubt: str = ""
    each: str = ""


@dataclass(slots=True)
class Lifetimes:
    """Answers for one project in one language. It remembers its answers. ``unknown``: the reason if no caller is
    known."""

    project: Project
    table: Table
    unknown: str = UNKNOWN_CALLERS.reason
    kinds: Kinds = field(init=False)
    _known: dict[tuple[str, str, int], Answer] = field(default_factory=dict)
    _classes: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kinds = Kinds(self.project)

    def of(
        self, path: str, line: int, *, leaves: bool, until_return: bool = False, makes_missing: bool = False
    ) -> Answer:
        """Returns how often a defect at a line happens. ``leaves``: the call of the function ends with the defect, so
        its own loops do not repeat it. ``until_return``: it ends when the function returns. ``makes_missing``: it makes
        a file, and does not come again if that was missing."""
        usage = self.project.usage(path)
        if usage is None:
            return Answer(Often.PUBLIC, self.unknown)
        if until_return and not self._stays(usage, line):
            return Answer(Often.ONCE, CLOSED_BY_RETURN)
        if makes_missing and any(lines.has(line) for lines in usage.missing):
            return Answer(Often.ONCE, MADE_ONCE)
        return self._at(usage, line, leaves=leaves)

    @staticmethod
    def _stays(usage: Usage, line: int) -> bool:
        """Whether a loop around a line in its function has no end."""
        loop = usage.loop(line, usage.around(line))
        return loop is not None and loop.endless

    def tests(self, path: str, line: int) -> bool:
        """Whether a line is in a function that is test code wherever it stands."""
        usage = self.project.usage(path)
        function = usage.around(line) if usage is not None else None
        return function is not None and function.tests

    def _at(self, usage: Usage, line: int, *, leaves: bool) -> Answer:
        """Returns the answer for a line."""
        function = usage.around(line)
        loop = None if leaves else usage.loop(line, function)
        own = Answer(Often.ONCE, "")
        if loop is not None:
            own = Answer(_how_often(loop), _in_loop(usage, loop, None))
            if loop.endless:
                return own
        above = self._of(usage, function) if function is not None else _at_top(usage, line, None)
        return max(above, own, key=lambda one: one.often)

    def _of(self, usage: Usage, function: Definition) -> Answer:
        key = usage.path, function.name, function.lines.first
        if key not in self._known:
            self._known[key] = _Climb(self, _Step(usage, function)).answer()
        return self._known[key]

    # -- classes

    def relatives(self, full: str) -> frozenset[str]:
        """Returns the full names of a class and its bases. Those of the project are the names of their definitions."""
        if full not in self._classes:
            self._classes[full] = frozenset((full,))  # a circle
            found: set[str] = set()
            for usage, known in classes_named(self.project, full):
                found.add(full_name(usage, known.name))
                found.update(*map(self.relatives, known.bases))
            self._classes[full] = frozenset(found or (full,))
        return self._classes[full]

    def asked_by(self, full: str) -> tuple[str, ...]:
        """Returns the methods of an interface of the project."""
        return next((known.asks for _, known in classes_named(self.project, full)), ())

    def has_all(self, full: str, methods: Sequence[str]) -> bool:
        """Whether a class defines all of some methods, and there are some."""
        return bool(methods) and all(
            any(
                full_name(usage, one.owner) == full
                for usage in self.project.defining(name)
                for one in usage.defined.get(name, ())
            )
            for name in methods
        )

    def are_related(self, one: str, other: str) -> bool:
        """Whether one class is the other, or its base or subclass."""
        return _among(one, self.relatives(other)) or _among(other, self.relatives(one))

    def are_kin(self, one: str, other: str) -> bool:
        """Whether two classes share a base that the project defines, or one is the base of the other."""
        return any(":" in base for base in self.relatives(one) & self.relatives(other))


def _as_sure(step: _Step, found: Answer) -> Answer:
    """Returns an answer as far as it is sure that the step leads there: in doubt, only what runs once counts."""
    return Answer(Often.UNKNOWN, step.doubt) if step.doubt and found.often is not Often.ONCE else found


def _is_within(step: _Step, usage: Usage, mention: Mention) -> bool:
    """Whether a function calls itself."""
    return usage.function(mention) == step.definition


def _started_again(step: _Step, function: Definition, each: str) -> str:
    """Returns for what a function runs once more if it leads to itself by a timer; empty if it does not. ``each``: what
    it starts the step for."""
    below: _Step | None = step
    while below is not None and below.definition != function:
        each, below = each or below.each, below.below
    return each if below is not None else ""


def _among(full: str, others: frozenset[str]) -> bool:
    return any(means(full, one) for one in others)


class _Climb:
    """The search for the callers of one function, breadth first."""

    def __init__(self, lifetimes: Lifetimes, start: _Step) -> None:
        self._lifetimes = lifetimes
        self._project = lifetimes.project
        self._table = lifetimes.table
        self._pending = deque((start,))
        self._seen = {self._key(start)}
        self._found: Answer | None = None

    def answer(self) -> Answer:
        """Returns the worst answer."""
        while self._pending:
            step = self._pending.popleft()
            if step.doubt and self._found is not None and self._found.often >= Often.UNKNOWN:
                continue  # what is in doubt tells no worse
            for one in map(functools.partial(_as_sure, step), self._above(step)):
                self._worst(one)
                if one.often is Often.REPEATED:
                    return one
            if len(self._seen) > _MAX_FUNCTIONS:
                self._worst(Answer(Often.PUBLIC, "it is called from many places"))
                break
        return self._found or Answer(Often.PUBLIC, self._lifetimes.unknown)

    def _worst(self, one: Answer) -> None:
        """Keeps an answer if it is worse than those before. A caller in the product tells more than one in a test."""
        found = self._found
        near = one.near or (found is not None and found.near)
        if found is None or one.often > found.often or (found == _IN_TESTS and one.often is found.often):
            found = one
        self._found = found._replace(near=near)

    @staticmethod
    def _key(step: _Step) -> tuple[str, str, int, bool]:
        return step.usage.path, step.definition.name, step.definition.lines.first, bool(step.doubt)

    def _above(self, step: _Step) -> Iterator[Answer]:
        """Yields what calls a function and is no function of the project, and puts off its callers."""
        usage, function = step.usage, step.definition
        full = full_name(usage, function.name)
        found = [*self._declared(step, full)]
        yield from found
        if step.definition.entry:
            return
        known, others = bool(found), list[tuple[Usage, Mention]]()
        is_sole = functools.cache(functools.partial(self._is_sole, step))
        for where, mention in self._mentions(step, full):
            if self._is_told(step, mention) or (not self._is_common(step, mention) and is_sole()):
                known = known or not _is_within(step, where, mention)
                yield from self._through(step, where, mention)
            elif not known and not _is_within(step, where, mention):
                others.append((where, mention))
        if not known:
            yield from self._in_doubt(step, others) if others else (self._unknown(step),)

    def _unknown(self, step: _Step) -> Answer:
        """Returns the answer for a function that nothing is seen to call."""
        usage, function = step.usage, step.definition
        if usage.sealed and not function.owner:
            return Answer(Often.ONCE, _chain(step, "nothing calls it, and no other project can"))
        if usage.sealed:
            return Answer(Often.UNKNOWN, _outside(step, UNSEEN))
        return Answer(Often.PUBLIC, _outside(step, self._lifetimes.unknown))

    def _in_doubt(self, step: _Step, others: Sequence[tuple[Usage, Mention]]) -> Iterator[Answer]:
        """Yields the answers for a method if each place that may call it may also call another of the same name: these
        places decide if they all run once."""
        usage, mention = others[0]
        doubt = f"{_shown(step)} may be called by `{mention.name}()` of an object that is not known"
        told = _chain(step, f"{doubt} ({_place(usage.path, mention.line)})")
        doubted = step._replace(doubt=told)
        for where, one in others:
            yield from map(functools.partial(_as_sure, doubted), self._through(doubted, where, one))

    # -- what is known without a call

    def _declared(self, step: _Step, full: str) -> Iterator[Answer]:
        """Yields what calls a function by its declaration: a command, a framework, a base class."""
        usage, function = step.usage, step.definition
        command = self._project.command(full)
        if command is not None:
            yield Answer(Often.ONCE, _chain(step, f"once per run of the command `{command}`"))
        if function.entry:
            yield Answer(Often.ONCE, _chain(step, function.entry))
        if function.tests:
            yield _IN_TESTS
        by = self._decorated(function)
        if by is not None:
            what = by_name(function.decorators, self._table).removeprefix("*.")
            yield self._by(step, by, f"is declared with `{what}`")
        if function.owner:
            owner = full_name(usage, function.owner)
            for base in sorted(self._lifetimes.relatives(owner)):
                caller = self._table.base(base)
                if caller is not None and caller.runs is not Runs.HERE and caller.calls(function.last_name):
                    yield self._by(step, caller, f"belongs to a `{base}`")
                    break

    def _decorated(self, function: Definition) -> Caller | None:
        """Returns what calls a function by its decorators."""
        by = self._table.declared_by(function.decorators)
        return None if by is not None and by.plain and function.owner else by

    def _by(self, step: _Step, caller: Caller, what: str) -> Answer:
        if caller.runs is Runs.FOR_EACH:
            return Answer(Often.REPEATED, _chain(step, f"once for each {caller.each}: {_shown(step)} {what}"))
        if caller.runs is Runs.TEST:
            return _IN_TESTS
        return Answer(Often.ONCE, _chain(step, _ONCE.get(caller.runs, _command)(step)))

    # -- calls

    def _mentions(self, step: _Step, full: str) -> Iterator[tuple[Usage, Mention]]:
        """Yields the places that may call a function."""
        function = step.definition
        if function.created or self._starts_itself(step):
            yield from self._creations(step)
            if function.created:
                return
        name = function.last_name
        if name.startswith("<"):
            yield from ((step.usage, one) for one in step.usage.by_name.get(name, ()) if means(one.full, full))
            return
        owner = full_name(step.usage, function.owner) if function.owner else ""
        where = Where(step.usage.path, step.usage.module, bool(function.owner), function.private)
        for usage in self._project.mentioning(name, where):
            if function.private and usage.module != step.usage.module:
                continue
            for mention in usage.by_name.get(name, ()):
                kind = self._lifetimes.kinds.of(mention, usage)
                one = mention if kind == mention.kind else mention._replace(kind=kind)
                if self._may_be(one, full, owner, function) and not self._is_of_others(step, usage, one):
                    yield usage, one

    def _starts_itself(self, step: _Step) -> bool:
        """Whether a base class calls a method once for each object, as a thread its ``run``."""
        function = step.definition
        if not function.owner:
            return False
        bases = self._lifetimes.relatives(full_name(step.usage, function.owner))
        callers = filter(None, map(self._table.base, sorted(bases)))
        return any(one.runs is Runs.HERE and one.calls(function.last_name) for one in callers)

    def _creations(self, step: _Step) -> Iterator[tuple[Usage, Mention]]:
        owner = full_name(step.usage, step.definition.owner)
        own = step.usage.path, step.usage.module
        for family, path, module in ((owner, *own), *self._subclasses(owner)):
            name = last_name(family)
            for usage in self._project.mentioning(name, Where(path, module)):
                for one in usage.by_name.get(name, ()):
                    if one.full and means(one.full, family) and one.way is not Way.KEPT:
                        yield usage, one

    def _subclasses(self, owner: str) -> Iterator[tuple[str, str, str]]:
        """Yields the full names of the classes that are derived from a class, with their files and modules."""
        for usage in self._project.deriving(last_name(owner)):
            for one in usage.classes:
                if any(means(base, owner) for base in one.bases):
                    yield full_name(usage, one.name), usage.path, usage.module

    def _may_be(self, mention: Mention, full: str, owner: str, function: Definition) -> bool:
        """Whether a mention of its name is one of the function."""
        if mention.way is Way.KEPT and not function.read and not mention.full and not mention.own:
            return False  # an attribute with data
        if mention.full:
            return means(mention.full, full) or self._is_inherited(mention.full, owner, function)
        if not owner:
            return False
        if mention.exact:
            return _among(owner, self._lifetimes.relatives(mention.kind)) or means(mention.kind, owner)
        if mention.kind:
            lifetimes = self._lifetimes
            return lifetimes.are_related(mention.kind, owner) or lifetimes.has_all(
                owner, lifetimes.asked_by(mention.kind)
            )
        return True

    def _is_of_others(self, step: _Step, usage: Usage, mention: Mention) -> bool:
        """Whether a method with a common name is called on an object that is not known, far from the class."""
        function = step.definition
        if not self._is_common(step, mention) or usage.module == step.usage.module:
            return False
        near = usage.module.rpartition(".")[0] == step.usage.module.rpartition(".")[0]
        return not near and last_name(function.owner) not in usage.by_name

    def _is_common(self, step: _Step, mention: Mention) -> bool:
        return not self._is_told(step, mention) and step.definition.last_name in self._table.entries.common

    @staticmethod
    def _is_told(step: _Step, mention: Mention) -> bool:
        """Whether a mention tells the class whose method it means, or the function has none."""
        return bool(mention.full or mention.kind or not step.definition.owner)

    def _is_inherited(self, full: str, owner: str, function: Definition) -> bool:
        """Whether a full name such as ``module.Class.method`` means the method, which the class there inherits."""
        kind, _, name = full.rpartition(".")
        return bool(owner and kind) and name == function.last_name and _among(owner, self._lifetimes.relatives(kind))

    def _is_sole(self, step: _Step) -> bool:
        """Whether all methods of its name that can be meant belong to the family of its class."""
        name = step.definition.last_name
        where = Where(step.usage.path, step.usage.module, private=True)
        private = step.definition.private
        usages = self._project.mentioning(name, where) if private else self._project.defining(name)
        definers = (full_name(usage, one.owner or one.name) for usage in usages for one in usage.defined.get(name, ()))
        owner = full_name(step.usage, step.definition.owner)
        return all(self._lifetimes.are_kin(one, owner) for one in definers)

    def _through(self, step: _Step, usage: Usage, mention: Mention) -> list[Answer]:
        """Follows one place. Returns the answers that it gives itself."""
        name = _shown(step)
        place = _place(usage.path, mention.line)
        how, each = "calls", ""
        is_declared = self._decorated(step.definition) is not None  # then that tells how often it runs
        if mention.way is Way.GIVEN:
            caller = self._table.given_to(mention.to[:1]) or self._table.command(mention.to[1:])
            what = ".".join(unmarked(mention.to[0]).split(".")[-2:]).removeprefix("*.") if mention.to else "a call"
            if (caller is None and is_declared) or (caller is not None and caller.runs is Runs.NEVER):
                return []
            if caller is None or caller.runs is Runs.TEST:
                told = f"{name} is given to `{what}` ({place}), which decides how often it runs"
                handed = self._handed(step, usage, mention)
                return handed if handed is not None else [Answer(Often.UNKNOWN, _chain(step, told))]
            if caller.runs is Runs.FOR_EACH:
                return [
                    Answer(
                        Often.REPEATED,
                        _chain(step, f"once for each {caller.each}: {name} is given to `{what}` ({place})"),
                    )
                ]
            if caller.runs in _ONCE:
                return [Answer(Often.ONCE, _chain(step, _ONCE[caller.runs](step)))]
            how, each = "starts", caller.each
        elif mention.to == (TABLE,) and usage.program:
            how = "keeps"  # in a table of commands
        elif mention.way is Way.KEPT and not step.definition.read:
            if is_declared or (usage is step.usage and self._follow_wrapper(step)):
                return []
            return [
                Answer(
                    Often.UNKNOWN,
                    _chain(step, f"{name} is kept ({place}), and whoever has it decides how often it runs"),
                )
            ]
        return self._from(step, usage, mention, how, each)

    def _follow_wrapper(self, step: _Step) -> bool:
        """Goes on with what is decorated with a function around this one, a wrapper. Returns whether there is any."""
        usage, found = step.usage, False
        around, dot, _ = step.definition.name.rpartition(".")
        while dot:
            full = full_name(usage, around)
            for where in self._project.mentioning(last_name(around), Where(usage.path, usage.module)):
                for one in where.definitions:
                    if any(means(by, full) for by in one.decorators):
                        found = True
                        self._put_off(_Step(where, one, step, one.lines.first, "is wrapped by", step.doubt))
            around, dot, _ = around.rpartition(".")
        return found

    def _put_off(self, above: _Step) -> None:
        if self._key(above) not in self._seen:
            self._seen.add(self._key(above))
            self._pending.append(above)

    def _handed(self, step: _Step, usage: Usage, mention: Mention) -> list[Answer] | None:
        """Follows a place that gives the function to another one of the project, which calls it, or to a field that
        others call. None if it is not known who calls it."""
        calls = calls_of_field(self._project, self._lifetimes.kinds.of, usage, mention)
        if calls:
            return [answer for where, one in calls for answer in self._from(step, where, one, "calls")]
        loops = repeats(self._project, mention)
        if loops is None:
            return None
        inside = [Answer(_how_often(loop), _in_loop(where, loop, step)) for where, loop in loops]
        return [*inside, *self._from(step, usage, mention, "runs")]

    def _from(self, step: _Step, usage: Usage, mention: Mention, how: str, each: str = "") -> list[Answer]:
        """Goes on with the function around a place. ``each``: what the place starts the function of the step for."""
        function = usage.function(mention)
        loop = usage.loop(mention.line, function)
        answers = []
        if loop is not None:
            answers.append(Answer(_how_often(loop), _in_loop(usage, loop, step), step.below is None))
        if function is None:
            answers.append(_at_top(usage, mention.line, step))
            return answers
        again = _started_again(step, function, each)
        if again:
            told = f"once for each {again}, which `{function.name}` starts again ({_place(usage.path, mention.line)})"
            answers.append(Answer(Often.REPEATED, _chain(step, told)))
        elif function == step.definition:
            answers.append(Answer(Often.BOUNDED, f"{_shown(step)} calls itself ({_place(usage.path, mention.line)})"))
        self._put_off(_Step(usage, function, step, mention.line, how, step.doubt, each))
        return answers


# -- the words of the reasons


def by_name(decorators: Sequence[str], table: Table) -> str:
    """Returns the first decorator that the table knows."""
    return next((one for one in decorators if table.declared_by((one,)) is not None), decorators[0])


def _shown(step: _Step) -> str:
    name = step.definition.name
    return "an unnamed function" if "<" in name else f"`{name}`"


def _command(step: _Step) -> str:
    """Returns how often a function runs that is a command."""
    unnamed = "<" in step.definition.name
    return "once per run of a command" if unnamed else f"once per run of the command `{step.definition.last_name}`"


def _child(step: _Step) -> str:
    """Returns how often a function runs that a child process is started for."""
    return f"once in each child process that runs {_shown(step)}"


def _ending(step: _Step) -> str:
    """Returns how often a function runs that cleans up before the end."""
    return f"once, when a signal asks the program to end: {_shown(step)} is its handler"


def _single(_: _Step) -> str:
    """Returns how often a function runs that a process runs once."""
    return "once in each process"


_ONCE: dict[Runs, Callable[[_Step], str]] = {
    Runs.COMMAND: _command,
    Runs.PROCESS: _single,
    Runs.CHILD: _child,
    Runs.END: _ending,
}


def _place(path: str, line: int) -> str:
    return f"{path.rpartition('/')[2]}:{line}"


def _how_often(loop: Loop) -> Often:
    return Often.REPEATED if loop.endless else Often.BOUNDED


def _in_loop(usage: Usage, loop: Loop, below: _Step | None) -> str:
    kind = "in each round of the loop without end" if loop.endless else "in each round of the loop"
    inside = usage.around(loop.line)
    where = f" in `{inside.name}`" if inside is not None and "<" not in inside.name else ""
    told = f"{kind}{where} ({_place(usage.path, loop.line)})"
    return f"{told}, which calls {_shown(below)}" if below is not None else told


def _at_top(usage: Usage, line: int, below: _Step | None) -> Answer:
    """Returns the answer for code outside of functions."""
    if usage.program or any(one.has(line) for one in usage.start):
        return Answer(Often.ONCE, _chain(below, f"once per run of {usage.path.rpartition('/')[2]}"))
    reason = f"once in each process that imports {usage.path.rpartition('/')[2]}"
    if below is None:
        return Answer(Often.UNKNOWN, reason)  # nobody knows how long those live that import it
    return Answer(Often.ONCE, _chain(below, reason))


def _outside(step: _Step, unknown: str) -> str:
    if step.below is None:
        return unknown
    return unknown.replace("its callers", f"the callers of {_shown(step)}, which {step.how} it,")


def _chain(step: _Step | None, reason: str) -> str:
    """Returns a reason with the calls that lead from its function down to the one that was asked for."""
    named: list[str] = []
    while step is not None and step.below is not None and len(named) < _MAX_NAMED:
        named.append(f"{_shown(step)} {step.how} {_shown(step.below)} ({_place(step.usage.path, step.line)})")
        step = step.below
    more = ", …" if step is not None and step.below is not None else ""
    return f"{reason}, where {' and '.join(named)}{more}" if named else reason
