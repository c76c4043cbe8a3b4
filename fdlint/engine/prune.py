"""What a test answers in a world, and what each answer teaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fdlint.dataflow.rechecked import changeable_place
from fdlint.domain.state import Contents, Role, Status, World
from fdlint.domain.values import (
    NONE,
    SOME_FUNCTION,
    UNKNOWN,
    Age,
    Any_,
    Borrowed,
    Box,
    Const,
    Fd,
    Fn,
    Iter,
    Known,
    Lazy,
    Pid,
    Rid,
    Seq,
    Some,
    Sym,
    Text,
    Typed,
    Unlike,
    Value,
    constant,
)
from fdlint.engine.eval import elements, value_of
from fdlint.engine.log import Record, Truthiness
from fdlint.engine.models.control_messages import told_by_kind
from fdlint.frontend.python.kinds import NONE_TYPE, NOT_KNOWN
from fdlint.ir import Branch, Compare, Graph, Has, Kind, Op, Operand, Question, Test, Truth

Answers = list[tuple[bool, World]]
STANDARD_STREAMS = range(3)  # 0, 1 and 2 are no duty
_LENGTHS = 4  # lengths that are told apart


class Asker:
    """Answers one function's tests. ``asked_again`` are the texts worth remembering; ``reopened`` the tests of what may
    have changed since it was last known."""

    def __init__(
        self, graph: Graph, record: Record, asked_again: frozenset[str], reopened: frozenset[int] = frozenset()
    ) -> None:
        self._graph = graph
        self._record = record
        self._asked_again = asked_again
        self._reopened = reopened
        self._types: set[str] | None = None

    def ask(self, world: World, branch: Branch) -> Answers:
        """The answers that are possible, each with the world it leaves; the world given may be one of them."""
        test = branch.test
        self._note_truthiness(world, branch)
        changeable = changeable_place(self._graph, branch)
        plain = changeable is not None and isinstance(world.env.get(changeable), (Const, Known))
        if changeable is not None and plain and id(branch.origin) in self._reopened:
            del world.env[changeable]
            world.facts.pop(test.key or "", None)
        key = test.key if test.key in self._asked_again and not self._is_mutable(world, test) else None
        if changeable is not None:
            self._record.answers.setdefault(id(branch.origin), set()).update(() if plain else (True, False))
        if key is not None and key in world.facts:
            answers = [(world.facts[key], world)]
        else:
            answers = self._answered(world, branch, key)
        if changeable is not None:
            self._record.answers[id(branch.origin)].update(truth for truth, _ in answers)
        return answers

    def _answered(self, world: World, branch: Branch, key: str | None) -> Answers:
        answers = self._answers(world, branch.test)
        if len(answers) > 1:
            for truth, answered in answers:
                if key is not None:
                    answered.facts[key] = truth
                answered.tell("true" if truth is not branch.negated else "false", branch.origin)
        return answers

    def _note_truthiness(self, world: World, branch: Branch) -> None:
        fd = doubted(world, self._graph, branch.test.question)
        if fd is not None:
            self._record.truths.setdefault(Truthiness(fd.rid, branch.origin))

    def _is_mutable(self, world: World, test: Test) -> bool:
        """Whether the answer may change without any name being rebound: a list grows and shrinks."""
        question = test.question
        operand = question.left if isinstance(question, Compare) else question.operand
        return isinstance(value_of(world, self._graph, operand), Box)

    def _answers(self, world: World, test: Test) -> Answers:
        match test.question:
            case Truth(operand):
                return self._truth(world, operand)
            case Compare():
                return told_by_kind(world, self._graph, test) or self._compare(world, test.question)
            case Kind(operand, types):
                return self._kind(world, operand, types)
            case Has(operand, attribute):
                value = value_of(world, self._graph, operand)
                return [(hasattr(0, attribute), world)] if isinstance(value, Fd) else both(world)

    # -- is it true?

    def _truth(self, world: World, operand: Operand) -> Answers:
        value = self._plain(world, operand)
        if isinstance(value, Pid):
            return self._forked(world, value, zero_is=False)
        known = truth_of(world, value)
        if known is not None:
            return [(known, world)]
        other = world.copy()
        if isinstance(value, Box):
            return [(True, world), (False, self._emptied(other, value))]
        self._learn(world, operand, value, Known.TRUTHY)
        self._learn(other, operand, value, Known.FALSY)
        return [(True, world), (False, other)]

    def _learn(self, world: World, operand: Operand, value: Value, lesson: Value) -> None:
        if isinstance(value, Sym):
            for place in [place for place, held in world.env.items() if held == value]:
                world.env[place] = lesson
        elif isinstance(operand, str) and isinstance(value, Typed):
            full = lesson is Known.TRUTHY
            world.env[operand] = Typed(value.type, full=full) if full or lesson is Known.SOME else lesson
        elif isinstance(operand, str) and isinstance(value, Known):
            before = world.env.get(operand)
            if isinstance(before, Unlike) and isinstance(lesson, Known):
                lesson = Unlike(before.types, lesson)
            world.env[operand] = lesson

    def _plain(self, world: World, operand: Operand) -> Value:
        """A value, but for the types that it is known not to have."""
        value = value_of(world, self._graph, operand)
        return value.known if isinstance(value, Unlike) else value

    def _emptied(self, world: World, box: Box) -> World:
        """The container turned out to be empty, so what it might have received never came."""
        contents = world.heap.get(box.cid)
        if contents is not None:
            for rid in world.reachable(contents.items):
                world.resources.pop(rid, None)
            world.heap[box.cid] = Contents((), True, contents.keys and (), contents.outlives)
        return world

    # -- comparisons

    def _compare(self, world: World, question: Compare) -> Answers:
        left, right = self._plain(world, question.left), self._plain(world, question.right)
        if question.length:
            return self._length(world, question.left, left, question.op, right)
        if isinstance(left, Const) and not isinstance(right, Const) and question.op in _MIRRORED:
            mirrored = Compare(_MIRRORED[question.op], question.right, question.left)
            return self._compare(world, mirrored)
        if isinstance(left, Fd):
            return self._descriptor(world, left, question.op, right)
        if isinstance(left, Pid) and isinstance(right, Const):
            return self._pid(world, left, question.op, right)
        if isinstance(left, Const) and isinstance(right, Const):
            known = _constants(question.op, left, right)
            return [(known, world)] if known is not None else both(world)
        if right == NONE and question.op in (Op.IS, Op.EQ):
            return self._is_none(world, question.left, left)
        if question.op in (Op.IS, Op.EQ) and isinstance(left, (Known, Sym)) and isinstance(right, Const):
            return self._equals(world, question.left, left, right)
        return both(world)

    def _is_none(self, world: World, operand: Operand, value: Value) -> Answers:
        if value == SOME_FUNCTION:
            return both(world)
        doubtful = isinstance(value, Typed) and not value.certain
        if not (doubtful or isinstance(value, (Known, Sym))) or value in (Known.SOME, Known.TRUTHY):
            return [(False, world)]
        other = world.copy()
        self._learn(world, operand, value, NONE)
        if doubtful or value is UNKNOWN or isinstance(value, Sym):
            self._learn(other, operand, value, Known.SOME)
        return [(True, world), (False, other)]

    def _equals(self, world: World, operand: Operand, value: Value, right: Const) -> Answers:
        if (value is Known.TRUTHY and not right.value) or (value is Known.FALSY and right.value):
            return [(False, world)]
        other = world.copy()
        self._learn(world, operand, value, right)
        return [(True, world), (False, other)]

    def _length(self, world: World, operand: Operand, value: Value, op: Op, right: Value) -> Answers:
        if not isinstance(right, Const) or not isinstance(right.value, int):
            return both(world)
        found = elements(world, value)
        if found is None:
            return self._unknown_length(world, operand, value, op, right)
        items, exact = found
        if exact:
            known = _constants(op, constant(len(items)), right)
            return [(known, world)] if known is not None else both(world)
        if not isinstance(value, Box):
            return both(world)
        yes, no = world, world.copy()
        for truth, answered in ((True, yes), (False, no)):
            self._resized(answered, value, op, right.value, truth)
        return [(True, yes), (False, no)]

    def _unknown_length(self, world: World, operand: Operand, value: Value, op: Op, right: Const) -> Answers:
        """The length of something unknown says whether it is true, and the other way round."""
        if isinstance(value, Typed) and value.type not in _BUILTIN:
            return both(world)
        known = truth_of(world, value)
        answers: Answers = []
        for truth in (True, False):
            possible = {n > 0 for n in range(_LENGTHS) if bool(_constants(op, constant(n), right)) is truth}
            if known is not None and known not in possible:
                continue
            answered = world.copy()
            if known is None and len(possible) == 1:
                self._learn(answered, operand, value, Known.TRUTHY if True in possible else Known.FALSY)
            answers.append((truth, answered))
        return answers

    def _resized(self, world: World, box: Box, op: Op, number: int, truth: bool) -> None:
        """What the answer says about the length of a list that came in."""
        possible = [n for n in range(_LENGTHS) if bool(_constants(op, constant(n), constant(number))) is truth]
        contents = world.heap[box.cid]
        if possible == [0]:
            self._emptied(world, box)
        elif len(possible) == 1 and possible[0] <= len(contents.items):
            for rid in world.reachable(contents.items[possible[0] :]):
                world.resources.pop(rid, None)
            kept = contents.items[: possible[0]]
            world.heap[box.cid] = Contents(kept, True, contents.keys, contents.outlives)

    # -- descriptors

    def _descriptor(self, world: World, fd: Fd, op: Op, right: Value) -> Answers:
        if isinstance(right, Fd) and op in (Op.IS, Op.EQ):
            if right.rid == fd.rid:
                return [(True, world)] if fd.rid.age is Age.NEWEST else both(world)
            return [(False, world)]
        if isinstance(right, Const):
            return self._number(world, fd, op, right)
        if op is Op.IN and isinstance(right, Some) and fd in right.items:
            return both(world)
        if op is Op.IN and (found := elements(world, right)) is not None:
            return self._member(world, fd, found[0], found[1])
        yes, no = world, world.copy()
        if op in (Op.IS, Op.EQ, Op.IN):
            self._released(yes, fd.rid)  # it is the same as something else, whose owner is unknown
        return [(True, yes), (False, no)]

    def _number(self, world: World, fd: Fd, op: Op, right: Const) -> Answers:
        if not isinstance(right.value, int) or right.is_bool:
            return [(False, world)] if op in (Op.IS, Op.EQ) else both(world)
        if right.value <= 0 and not (right.value == 0 and op in (Op.LE, Op.EQ)):
            # Negative numbers, and 0 as "none": a descriptor that the function owns is taken to be neither.
            return [(bool(_constants(op, constant(3), right)), world)]
        if right.value >= 3 and op in (Op.IS, Op.EQ):
            return both(world)
        high = _constants(op, constant(1 << 20), right)
        low = {bool(_constants(op, constant(n), right)) for n in STANDARD_STREAMS}
        answers: Answers = []
        for truth in (True, False):
            answered = world.copy()
            if high is not truth and right.value <= 3 and truth in low:
                self._no_duty(answered, fd.rid)
            elif high is not truth and truth not in low:
                continue
            answers.append((truth, answered))
        return answers

    def _member(self, world: World, fd: Fd, items: tuple[Value, ...], exact: bool) -> Answers:
        if exact and fd in items and fd.rid.age is Age.NEWEST:
            return [(True, world)]
        numbers = {one.value for one in items if isinstance(one, Const)}
        if exact and all(isinstance(one, (Const, Fd)) for one in items) and not numbers & set(STANDARD_STREAMS):
            return [(False, world)]
        yes, no = world, world.copy()
        self._released(yes, fd.rid)
        return [(True, yes), (False, no)]

    def _released(self, world: World, rid: Rid) -> None:
        """Somebody else's descriptor too, on this path."""
        self._no_duty(world, rid)
        self._record.released.add((rid.site, rid.slot))

    def _no_duty(self, world: World, rid: Rid) -> None:
        """A standard stream, on this path."""
        if world.is_alive(rid):
            world.resources[rid] = world.resources[rid]._replace(status=Status.HANDED)

    # -- processes and classes

    def _pid(self, world: World, pid: Pid, op: Op, right: Const) -> Answers:
        if right.value == 0 and op in (Op.EQ, Op.IS, Op.LE):
            return self._forked(world, pid, zero_is=True)
        if right.value == 0 and op is Op.GT:
            return self._forked(world, pid, zero_is=False)
        if (right.value == 0 and op is Op.LT) or (right.value == -1 and op is Op.EQ):
            return [(False, world)]
        return both(world)

    def _forked(self, world: World, pid: Pid, zero_is: bool) -> Answers:
        if world.role is not None and pid.site < 0:
            return both(world)
        child = world.copy()
        child.role, world.role = Role.CHILD, Role.PARENT
        for rid in [rid for rid in child.resources if rid.site == pid.site]:
            del child.resources[rid]
        for answered, known in ((child, constant(0)), (world, Known.TRUTHY)):
            for place in [place for place, held in answered.env.items() if held == pid]:
                answered.env[place] = known
        return [(zero_is, child), (not zero_is, world)]

    def _kind(self, world: World, operand: Operand, types: Iterable[str]) -> Answers:
        value = value_of(world, self._graph, operand)
        names = set(types)
        if isinstance(value, (Fd, Borrowed, Pid)):
            is_one = bool(names & _OF_NUMBERS)
            return both(world) if NOT_KNOWN in names and not is_one else [(is_one, world)]
        if isinstance(value, Const) and value.value is None:
            return [(NONE_TYPE in names, world)]
        value = Typed("builtins.str") if isinstance(value, Text) else value
        kind = f"builtins.{type(value.value).__name__}" if isinstance(value, Const) else getattr(value, "type", None)
        if kind in _BUILTIN and names <= _BUILTIN:
            return [(kind in names, world)]
        if isinstance(value, Unlike) and names <= value.types:
            return [(False, world)]
        other = world.copy()
        self._learn_not(other, operand, value, names & self._types_asked_again())
        if len(names) == 1 and names <= _BUILTIN:
            self._learn(world, operand, self._plain(world, operand), Typed(names.pop()))
        return [(True, world), (False, other)]

    def _learn_not(self, world: World, operand: Operand, value: Value, types: set[str]) -> None:
        """A copy that is made of it later is of none of these types, either."""
        if not types or not isinstance(operand, str):
            return
        known, before = (value.known, value.types) if isinstance(value, Unlike) else (value, frozenset[str]())
        if isinstance(known, Sym):
            self._learn(world, operand, known, Unlike(frozenset(types), UNKNOWN))
        elif isinstance(known, Known):
            world.env[operand] = Unlike(before | types, known)

    def _types_asked_again(self) -> set[str]:
        """The built-in types about which the function asks in more than one place."""
        if self._types is None:
            asked = {
                id(block.end.origin): block.end.test.question.types
                for block in self._graph.blocks
                if isinstance(block.end, Branch) and isinstance(block.end.test.question, Kind)
            }
            times = Counter(name for types in asked.values() for name in set(types) & _BUILTIN)
            self._types = {name for name, number in times.items() if number > 1}
        return self._types


_BUILTIN = frozenset(f"builtins.{name}" for name in ("int", "str", "bytes", "list", "tuple", "dict", "set", "float"))
_OF_NUMBERS = frozenset({"builtins.int", "builtins.object", "numbers.Integral"})
_ZERO = {(Op.GT, 0), (Op.GE, 1), (Op.LE, 0), (Op.LT, 1)}
_MIRRORED = {Op.EQ: Op.EQ, Op.IS: Op.IS, Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}


def doubted(world: World, graph: Graph, question: Question) -> Fd | None:
    """The descriptor that a test takes for none if it is 0."""
    match question:
        case Truth(operand):
            value = value_of(world, graph, operand)
            return value if isinstance(value, Fd) else None
        case Compare(op, left, right, False):
            one, other = value_of(world, graph, left), value_of(world, graph, right)
            if isinstance(other, Fd):
                one, other, op = other, one, _MIRRORED.get(op, op)
            if isinstance(one, Fd) and isinstance(other, Const) and not other.is_bool and (op, other.value) in _ZERO:
                return one
    return None


def both(world: World) -> Answers:
    """Nothing is known: either answer, in worlds of their own."""
    return [(True, world), (False, world.copy())]


def truth_of(world: World, value: Value) -> bool | None:
    """Whether a value is true; a descriptor is, for 0 is none that the function would have to close."""
    match value:
        case Const(constant_value):
            return bool(constant_value)
        case Typed(kind, certain, full):
            return True if full or (certain and kind not in _BUILTIN) else None
        case Fn(callee):
            return None if callee.own and callee.function is None else True  # perhaps a constant of the project
        case Known.TRUTHY | Fd() | Any_() | Lazy() | Iter() | Text():
            return True
        case Known.FALSY:
            return False
        case Seq() | Box():
            items, exact = elements(world, value) or ((), False)
            if exact:
                return bool(items)
            return True if items and not may_be_empty(items) else None
    return None


def may_be_empty(items: tuple[Value, ...]) -> bool:
    """A list that came in from another process may be empty."""
    fds = [one.rid for one in items if isinstance(one, Fd)]
    return len(fds) == len(items) and {rid.slot for rid in fds} >= {0, 1} and len({rid.site for rid in fds}) == 1


def _constants(op: Op, left: Const, right: Const) -> bool | None:
    a, b = left.value, right.value
    if op in (Op.IS, Op.EQ):
        return a == b and (a is None) == (b is None)
    if isinstance(a, int) and isinstance(b, int):
        return {Op.LT: a < b, Op.LE: a <= b, Op.GT: a > b, Op.GE: a >= b}.get(op)
    return None
