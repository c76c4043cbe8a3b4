"""Answers the tests of a function in a state, and adds to the state what each answer says about its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fdlint.core.dataflow.rechecked import changeable_place
from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.contents import MAX_PLAIN, Contents, is_object
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import Role, State
from fdlint.core.domain.values import (
    NONE,
    SOME_FUNCTION,
    UNKNOWN,
    Age,
    Ancillary,
    Any_,
    Box,
    Const,
    Descriptor,
    Fd,
    Fn,
    Iter,
    Known,
    Lazy,
    Length,
    Maker,
    Message,
    Pid,
    Seq,
    Some,
    Sym,
    Text,
    Typed,
    Unlike,
    Value,
    constant,
)
from fdlint.core.engine.comparing import OPPOSITE, compared, is_above_zero, shown_by, telling, words_of
from fdlint.core.engine.eval import elements, may_be_empty, received_in_order, value_of
from fdlint.core.engine.log import Log
from fdlint.core.engine.models.control_messages import told_by_kind
from fdlint.core.engine.models.undecoded import answers_about
from fdlint.core.engine.objects import class_of, has_objects, part_of
from fdlint.core.engine.type_tests import is_one_of
from fdlint.core.ir import (
    MIRRORED,
    RESULT,
    AccessPath,
    Branch,
    Compare,
    Condition,
    Graph,
    Has,
    IsBound,
    Kind,
    Lit,
    Member,
    Op,
    Operand,
    Question,
    Test,
    Truth,
)
from fdlint.core.ir.language import Types

Answers = list[tuple[bool, State]]
_IN_CHILD = Const(0)  # what fork returns there
STANDARD_STREAMS = range(3)  # 0, 1 and 2 need not be closed


class Pruner:
    """Answers the tests of one function.

    ``asked_again``: the conditions that are asked more than once; ``reopened``: the tests of a value that may have
    changed since it was last known; ``answers`` collects the answers to tests of such values, and of what calls return.
    """

    def __init__(
        self,
        graph: Graph,
        log: Log,
        asked_again: frozenset[Condition],
        reopened: frozenset[int],
        answers: dict[int, set[bool]],
    ) -> None:
        self._graph = graph
        self._kinds = graph.language.types
        self._log = log
        self._asked_again = asked_again
        self._reopened = reopened
        self._given = answers
        self._types: set[str] | None = None
        self._asked: Counter[Operand] | None = None
        self._methods: dict[Operand, AccessPath] | None = None

    def ask(self, state: State, branch: Branch) -> Answers:
        """Returns the possible answers, each with the state it leaves. The given state may be one of them."""
        test = branch.test
        self._note_truthiness(state, branch)
        changeable = changeable_place(self._graph, branch)
        if changeable is not None and self._is_of_own_object(state, changeable):
            changeable = None
        plain = changeable is not None and isinstance(state.env.get(changeable), (Const, Known))
        if id(branch.origin) in self._reopened:
            if changeable is not None and plain:
                del state.env[changeable]
            state.facts = {one: known for one, known in state.facts.items() if one != test.key}
        key = test.key if test.key in self._asked_again and not self._is_mutable(state, test) else None
        if changeable is not None:
            self._given.setdefault(id(branch.origin), set()).update(() if plain else (True, False))
        if key is not None and key in state.facts:
            answers = [(state.facts[key], state)]
        else:
            answers = self._answered(state, branch, key)
        if changeable is not None or "(" in (test.key or ""):
            self._given.setdefault(id(branch.origin), set()).update(truth for truth, _ in answers)
        return answers

    def _is_of_own_object(self, state: State, place: AccessPath) -> bool:
        """Whether a place is an attribute of an object that the function has made and that nobody else has."""
        base = value_of(state, self._graph, place.base) if place.is_attribute else UNKNOWN
        contents = state.heap.get(base.container) if isinstance(base, Box) else None
        return is_object(contents) and contents is not None and not contents.outlives

    def _excuse_objects(self, state: State, test: Test) -> None:
        """Ends the duty for an object if a test may ask it whether it holds something: the answer is not known."""
        question = test.question
        if not has_objects(state):
            return
        if self._methods is None:
            self._methods = _methods_asked(self._graph)
        operands = (question.left, question.right) if isinstance(question, Compare) else (question.operand,)
        for operand in operands:
            part = part_of(state, self._graph, self._methods.get(operand, operand))
            if part is not None and part.flag:
                self._released(state, part.object.descriptor)

    def _answered(self, state: State, branch: Branch, key: Condition | None) -> Answers:
        self._excuse_objects(state, branch.test)
        question = branch.test.question
        asked = value_of(state, self._graph, question.left if isinstance(question, Compare) else question.operand)
        if isinstance(asked, Message) or (isinstance(asked, Ancillary) and not asked.level):
            right = value_of(state, self._graph, question.right) if isinstance(question, Compare) else UNKNOWN
            return answers_about(state, branch, asked, right)
        telling = self._is_about_an_error(state, branch.test)
        answers = self._answers(state, branch.test)
        if len(answers) > 1 or telling:
            for truth, answered in answers:
                if key is not None:
                    answered.facts[key] = truth
                answered.tell(Event.TRUE if truth is not branch.negated else Event.FALSE, branch.origin)
        return answers

    def _is_about_an_error(self, state: State, test: Test) -> bool:
        """Whether a test asks about an error that the path has returned, with a descriptor open."""
        question = test.question
        if not self._graph.language.returns_errors or not isinstance(question, Compare):
            return False
        if question.right != Lit(None) or not any(map(state.is_open, state.resources)):
            return False
        return isinstance(value_of(state, self._graph, question.left), Known | Typed)

    def _note_truthiness(self, state: State, branch: Branch) -> None:
        if (fd := doubted(state, self._graph, branch.test.question)) is not None:
            self._log.note(Event.TESTED, fd.descriptor, branch.origin)

    def _is_mutable(self, state: State, test: Test) -> bool:
        """Whether the answer may change without any name being rebound: a list grows and shrinks."""
        question = test.question
        operand = question.left if isinstance(question, Compare) else question.operand
        return isinstance(value_of(state, self._graph, operand), Box)

    def _answers(self, state: State, test: Test) -> Answers:
        match test.question:
            case Truth(operand):
                return self._truth(state, operand)
            case Compare():
                return told_by_kind(state, self._graph, test) or self._compare(state, test.question)
            case Kind(operand, types):
                return self._kind(state, operand, types)
            case Has(operand, attribute):
                value = value_of(state, self._graph, operand)
                if isinstance(value, Fd) and class_of(state, value) is None:
                    return [(self._kinds.number_has(attribute), state)]
                calls = attribute == self._graph.language.methods.call
                return self._truth(state, operand) if calls else both(state)  # a function, or none
            case IsBound(variable):
                return [(True, state)] if state.env.get(variable, UNKNOWN) is not UNKNOWN else both(state)

    # -- is it true?

    def _truth(self, state: State, operand: Operand) -> Answers:
        value = self._plain(state, operand)
        if isinstance(value, Length):
            return self._counted(state, value, Op.GT, Const(0))
        if (pid := self._pid_of(state, value)) is not None:
            return self._forked(state, operand, pid, zero_is=False)
        if (known := truth_of(state, self._kinds, value)) is not None:
            return [(known, state)]
        other = state.copy()
        if isinstance(value, Box):
            return [(True, state), (False, self._emptied(other, value))]
        if isinstance(value, Seq):  # a copy, the first part or the rest of a list that came in
            _without(other, value.items)
        self._learn(state, operand, value, Known.TRUTHY)
        self._learn(other, operand, value, Known.FALSY)
        return [(True, state), (False, other)]

    def _learn(self, state: State, operand: Operand, value: Value, lesson: Value) -> None:
        if isinstance(value, Sym):
            for place in [place for place, held in state.env.items() if held == value]:
                state.env[place] = lesson
        elif isinstance(operand, AccessPath) and isinstance(value, Typed):
            full = lesson is Known.TRUTHY
            state.env[operand] = Typed(value.type, full=full) if full or lesson is Known.SOME else lesson
        elif isinstance(operand, AccessPath) and isinstance(value, Known):
            before = state.env.get(operand)
            if isinstance(before, Unlike) and isinstance(lesson, Known):
                lesson = Unlike(before.types, lesson)
            state.env[operand] = lesson

    def _plain(self, state: State, operand: Operand) -> Value:
        """Returns the value of an operand, without the types that it is known not to have."""
        value = value_of(state, self._graph, operand)
        if value is UNKNOWN and (held := part_of(state, self._graph, operand)) is not None and held.number:
            return Known.POSITIVE if state.is_alive(held.object.descriptor) else UNKNOWN
        return value.known if isinstance(value, Unlike) else value

    def _emptied(self, state: State, box: Box) -> State:
        """Empties a container that turned out to be empty: the descriptors that it might hold never came."""
        contents = state.heap.get(box.container)
        if contents is not None:
            _without(state, contents.items)
            state.heap[box.container] = Contents((), True, contents.keys and (), contents.outlives)
        return state

    # -- comparisons

    def _compare(self, state: State, question: Compare) -> Answers:
        left, right = self._plain(state, question.left), self._plain(state, question.right)
        if isinstance(left, Length):
            return self._counted(state, left, question.op, right)
        if question.op is Op.EQ and isinstance(left, Box) and elements(state, right) == ((), True):  # `fds == []`
            return self._length(state, question.left, left, Op.EQ, Const(0))
        if question.length:
            return self._length(state, question.left, left, question.op, right)
        if isinstance(left, Const) and not isinstance(right, Const) and question.op in MIRRORED:
            mirrored = Compare(MIRRORED[question.op], question.right, question.left)
            return self._compare(state, mirrored)
        if isinstance(left, Fd):
            return self._descriptor(state, left, question.op, right)
        if isinstance(left, Any_) and isinstance(right, Const) and all(isinstance(one, Fd) for one in left.items):
            return self._number(state, left.items, question.op, right)
        if isinstance(right, Const) and (pid := self._pid_of(state, left, right)) is not None:
            return self._pid(state, question.left, pid, question.op, right)
        if left is Known.POSITIVE and isinstance(right, Const) and not is_above_zero(right):
            return [(question.op in (Op.GT, Op.GE), state)]
        if isinstance(left, Const) and isinstance(right, Const):
            known = compared(question.op, left, right)
            return [(known, state)] if known is not None else both(state)
        if right == NONE and question.op in (Op.IS, Op.EQ):
            return self._is_none(state, question.left, left)
        if question.op in (Op.IS, Op.EQ) and isinstance(left, (Known, Sym)) and isinstance(right, Const):
            return self._equals(state, question.left, left, right)
        if question.op in (Op.IS, Op.EQ) and right is Known.SOME and (left is UNKNOWN or isinstance(left, Sym)):
            other = state.copy()
            self._learn(state, question.left, left, Known.SOME)
            return [(True, state), (False, other)]
        if question.op is Op.IN and isinstance(left, Const) and (words := words_of(elements(state, right), left)):
            return [(left in words, state)]
        if question.op is Op.EQ and isinstance(right, Const) and isinstance(left, Typed) and left.full:
            return both(state) if right.value else [(False, state)]
        if question.op in OPPOSITE and isinstance(right, Const) and isinstance(left, (Known, Sym)):
            return self._ordered(state, question.left, left, question.op, right)
        return both(state)

    def _ordered(self, state: State, operand: Operand, value: Value, op: Op, right: Const) -> Answers:
        """Answers whether a value is greater or less than a constant. Either answer may show that it is not 0."""
        other = state.copy()
        if value is UNKNOWN or isinstance(value, Sym):
            for answered, shown in ((state, shown_by(op, right)), (other, shown_by(OPPOSITE[op], right))):
                if shown is not None and self._is_asked_again(operand):
                    self._learn(answered, operand, value, shown)
        return [(True, state), (False, other)]

    def _is_none(self, state: State, operand: Operand, value: Value) -> Answers:
        if value == SOME_FUNCTION:
            return both(state)
        doubtful = isinstance(value, Typed) and not value.certain
        if not (doubtful or isinstance(value, (Known, Sym))) or value in (Known.SOME, Known.TRUTHY, Known.POSITIVE):
            return [(False, state)]
        other = state.copy()
        self._learn(state, operand, value, NONE)
        if doubtful or value is UNKNOWN or isinstance(value, Sym):
            self._learn(other, operand, value, Known.SOME)
        return [(True, state), (False, other)]

    def _equals(self, state: State, operand: Operand, value: Value, right: Const) -> Answers:
        told = truth_of(state, self._kinds, right)
        if (value is Known.TRUTHY and told is False) or (value is Known.FALSY and told):
            return [(False, state)]
        other = state.copy()
        self._learn(state, operand, value, right)
        return [(True, state), (False, other)]

    def _is_asked_again(self, operand: Operand) -> bool:
        """Whether the function tests a place more than once."""
        if self._asked is None:
            questions = (branch.test.question for branch in self._graph.branches())
            self._asked = Counter(
                one.left if isinstance(one, Compare) else one.operand
                for one in questions
                if isinstance(one, (Compare, Truth))
            )
        return self._asked[operand] > 1

    def _length(self, state: State, operand: Operand, value: Value, op: Op, right: Value) -> Answers:
        if not isinstance(right, Const) or not isinstance(right.value, int):
            return both(state)
        found = elements(state, value)
        if found is None:
            return self._unknown_length(state, operand, value, op, right.value)
        items, exact = found
        if exact:
            known = compared(op, constant(len(items)), right)
            return [(known, state)] if known is not None else both(state)
        if isinstance(value, Seq):
            return self._unknown_length(state, operand, value, op, right.value)
        if not isinstance(value, Box):
            return both(state)
        contents = state.heap[value.container]
        came_in = may_be_empty(contents.items)
        items = received_in_order(contents.items) if came_in else contents.items
        single = value.container.site.maker is Maker.RECEIVING_CALL and len(items) == 1  # there was room for one
        lengths = telling(contents.least, right.value, 1 if single else max(MAX_PLAIN, right.value + 2, len(items)))
        answers: Answers = []
        for truth in (True, False):
            possible = [n for n in lengths if bool(compared(op, constant(n), right)) is truth]
            apart = came_in and possible[:1] == [0] and 1 not in possible  # nothing came, or more than one descriptor
            for numbers in (possible[:1], possible[1:]) if apart else (possible,):
                if numbers or not came_in:
                    answered = state.copy()
                    self._resized(answered, value, items, numbers)
                    answers.append((truth, answered))
        return answers

    def _counted(self, state: State, length: Length, op: Op, right: Value) -> Answers:
        """Returns the answers about a length that a name keeps, if nothing has changed the container since."""
        if state.heap.get(length.container) != length.contents:
            return both(state)
        answers = self._length(state, RESULT, Box(length.container), op, right)
        for _, answered in answers:
            now = Length(length.container, answered.heap[length.container])
            answered.env.update([(place, now) for place, held in answered.env.items() if held == length])
        return answers

    def _unknown_length(self, state: State, operand: Operand, value: Value, op: Op, number: int) -> Answers:
        """Returns the answers about the length of an unknown value, which says whether the value is true."""
        if isinstance(value, Typed) and value.type not in self._kinds.plain:
            return both(state)
        known = truth_of(state, self._kinds, value)
        answers: Answers = []
        lengths = telling(0, number, max(MAX_PLAIN, number + 2))
        for truth in (True, False):
            possible = {n > 0 for n in lengths if bool(compared(op, constant(n), constant(number))) is truth}
            if known is not None and known not in possible:
                continue
            answered = state.copy()
            if possible == {False} and isinstance(value, Seq):
                _without(answered, value.items)
            if known is None and len(possible) == 1:
                self._learn(answered, operand, value, Known.TRUTHY if True in possible else Known.FALSY)
            answers.append((truth, answered))
        return answers

    def _resized(self, state: State, box: Box, items: tuple[Value, ...], possible: Sequence[int]) -> None:
        """Adapts a list to its possible lengths."""
        contents = state.heap[box.container]
        if possible == [0]:
            self._emptied(state, box)
        elif len(possible) == 1 and possible[0] <= len(items):
            _without(state, items[possible[0] :])
            state.heap[box.container] = replace(contents, items=items[: possible[0]], exact=True)
        elif possible and may_be_empty(items):
            _without(state, items[max(possible) :])
            state.heap[box.container] = replace(contents, items=items[: max(possible)], least=possible[0])

    # -- descriptors

    def _descriptor(self, state: State, fd: Fd, op: Op, right: Value) -> Answers:
        if isinstance(right, Fd) and op in (Op.IS, Op.EQ):
            if right.descriptor == fd.descriptor:
                return [(True, state)] if fd.descriptor.age is Age.NEWEST else both(state)
            return [(False, state)]
        if isinstance(right, Const) and class_of(state, fd) is not None:
            return [(False, state)] if op in (Op.IS, Op.EQ) else both(state)
        if isinstance(right, Const):
            return self._number(state, (fd,), op, right)
        if op is Op.IN and isinstance(right, Some) and fd in right.items:
            return both(state)
        if op is Op.IN and (found := elements(state, right)) is not None:
            return self._member(state, fd, found[0], found[1])
        yes, no = state, state.copy()
        if op in (Op.IS, Op.EQ, Op.IN):
            self._released(yes, fd.descriptor)  # it equals a value with an unknown owner
        return [(True, yes), (False, no)]

    def _number(self, state: State, fds: Iterable[Value], op: Op, right: Const) -> Answers:
        """Compares a descriptor, which may be any of the given ones, with a constant."""
        if not isinstance(right.value, int) or right.is_bool:
            return [(False, state)] if op in (Op.IS, Op.EQ) else both(state)
        if right.value <= 0 and not (right.value == 0 and op in (Op.LE, Op.EQ)):
            # Negative numbers, and 0 as "none": a descriptor that the function owns is taken to be neither.
            return [(bool(compared(op, constant(3), right)), state)]
        if right.value >= 3 and op in (Op.IS, Op.EQ):
            return both(state)
        high = compared(op, constant(1 << 20), right)
        low = {bool(compared(op, constant(n), right)) for n in STANDARD_STREAMS}
        answers: Answers = []
        for truth in (True, False):
            answered = state.copy()
            if high is not truth and right.value <= 3 and truth in low:
                for fd in state.reachable(fds):
                    self._no_duty(answered, fd)
            elif high is not truth and truth not in low:
                continue
            answers.append((truth, answered))
        return answers

    def _member(self, state: State, fd: Fd, items: tuple[Value, ...], exact: bool) -> Answers:
        if exact and fd in items and fd.descriptor.age is Age.NEWEST:
            return [(True, state)]
        numbers = {one.value for one in items if isinstance(one, Const)}
        if exact and all(isinstance(one, (Const, Fd)) for one in items) and not numbers & set(STANDARD_STREAMS):
            return [(False, state)]
        yes, no = state, state.copy()
        self._released(yes, fd.descriptor)
        return [(True, yes), (False, no)]

    def _released(self, state: State, fd: Descriptor) -> None:
        """Notes that a descriptor may have another owner on this path, so that the function need not close it."""
        self._no_duty(state, fd)
        self._log.note(Event.EXCUSED, fd)

    def _no_duty(self, state: State, fd: Descriptor) -> None:
        """Marks a descriptor that need not be closed on this path, for example because it is a standard stream."""
        if state.is_alive(fd):
            apply_event(state, None, fd, Event.DISOWNED)

    # -- processes and classes

    def _pid_of(self, state: State, value: Value, number: Const = _IN_CHILD) -> Pid | None:
        """Returns the id of the fork that a value is. An unknown one that is compared with 0 may be the id, too, if it
        is nowhere else: the item of an unknown dict, or an attribute that a callee has filled."""
        pid = state.role
        if isinstance(value, Pid):
            return value
        if value is not UNKNOWN or not isinstance(pid, Pid) or number != _IN_CHILD or pid in state.env.values():
            return None
        return None if any(pid in one.items for one in state.heap.values()) else pid

    def _pid(self, state: State, operand: Operand, pid: Pid, op: Op, right: Const) -> Answers:
        if right.value == 0 and op in (Op.EQ, Op.IS, Op.LE):
            return self._forked(state, operand, pid, zero_is=True)
        if right.value == 0 and op is Op.GT:
            return self._forked(state, operand, pid, zero_is=False)
        if (right.value == 0 and op is Op.LT) or (right.value == -1 and op is Op.EQ):
            return [(False, state)]
        return both(state)

    def _forked(self, state: State, operand: Operand, pid: Pid, zero_is: bool) -> Answers:
        child = state.copy()
        child.role, state.role = Role.CHILD, Role.PARENT
        for fd in [fd for fd in child.resources if fd.site == pid.site]:
            del child.resources[fd]
        for answered, known in ((child, constant(0)), (state, Known.POSITIVE)):
            for place in [place for place, held in answered.env.items() if held == pid]:
                answered.env[place] = known
            if isinstance(operand, AccessPath):
                answered.env[operand] = known
            for container in [one for one, contents in answered.heap.items() if pid in contents.items]:
                contents = answered.heap[container]
                items = tuple(known if item == pid else item for item in contents.items)
                answered.heap[container] = replace(contents, items=items)
        return [(zero_is, child), (not zero_is, state)]

    def _kind(self, state: State, operand: Operand, types: Iterable[str]) -> Answers:
        value = value_of(state, self._graph, operand)
        names = set(types)
        if (known := is_one_of(state, self._graph.language, value, names)) is not None:
            return [(known, state)]
        other = state.copy()
        self._learn_not(other, operand, value, names & self._types_asked_again())
        if len(names) == 1 and names <= self._kinds.plain:
            self._learn(state, operand, self._plain(state, operand), Typed(names.pop()))
        return [(True, state), (False, other)]

    def _learn_not(self, state: State, operand: Operand, value: Value, types: set[str]) -> None:
        """Remembers the types that a value does not have. A later copy of it does not have them either."""
        if not types or not isinstance(operand, AccessPath):
            return
        known, before = (value.known, value.types) if isinstance(value, Unlike) else (value, frozenset[str]())
        if isinstance(known, Sym):
            self._learn(state, operand, known, Unlike(frozenset(types), UNKNOWN))
        elif isinstance(known, Known):
            state.env[operand] = Unlike(before | types, known)

    def _types_asked_again(self) -> set[str]:
        """Returns the built-in types that the function asks about in more than one place."""
        if self._types is None:
            asked = {
                id(branch.origin): branch.test.question.types
                for branch in self._graph.branches()
                if isinstance(branch.test.question, Kind)
            }
            times = Counter(name for types in asked.values() for name in set(types) & self._kinds.plain)
            self._types = {name for name, number in times.items() if number > 1}
        return self._types


def _methods_asked(graph: Graph) -> dict[Operand, AccessPath]:
    """Returns the methods whose results a function may test, by the places of the results."""
    found: dict[Operand, AccessPath] = {}
    for call in graph.calls():
        if isinstance(call.callee.receiver, AccessPath) and call.callee.receiver and not call.args:
            found[call.result] = call.callee.receiver.attribute(call.callee.name)
    return found


_ZERO = {(Op.GT, 0), (Op.GE, 1), (Op.LE, 0), (Op.LT, 1)}


def doubted(state: State, graph: Graph, question: Question) -> Fd | None:
    """Returns the descriptor that a test would take for "none" if its number were 0; None if there is none."""
    match question:
        case Truth(operand):
            value = value_of(state, graph, operand)
            return value if isinstance(value, Fd) and class_of(state, value) is None else None
        case Compare(op, left, right, False):
            one, other = value_of(state, graph, left), value_of(state, graph, right)
            if isinstance(other, Fd):
                one, other, op = other, one, MIRRORED.get(op, op)
            if isinstance(one, Fd) and isinstance(other, Const) and not other.is_bool and (op, other.value) in _ZERO:
                return one if class_of(state, one) is None else None
    return None


def both(state: State) -> Answers:
    """Returns both answers, each with a state of its own, because nothing is known."""
    return [(True, state), (False, state.copy())]


def truth_of(state: State, types: Types, value: Value) -> bool | None:
    """Returns whether a value is true; None if it is not known.

    A descriptor counts as true, because the function need not close descriptor 0.
    """
    match value:
        case Const(constant_value):
            return None if isinstance(constant_value, Member) else bool(constant_value)
        case Typed(kind, certain, full):
            return True if full or (certain and kind not in types.plain) else None
        case Fn(callee):
            return None if callee.own and callee.function is None else True  # perhaps a constant of the project
        case Known.TRUTHY | Known.POSITIVE | Fd() | Any_() | Lazy() | Iter() | Text():
            return True
        case Known.FALSY:
            return False
        case Seq() | Box():
            items, exact = elements(state, value) or ((), False)
            if exact:
                return bool(items)
            rest = isinstance(value, Seq) and all(
                isinstance(one, Fd) and one.descriptor.slot for one in items
            )  # fds[1:]
            return True if items and not rest and not may_be_empty(items) else None
    return None


def none_came(state: State, iterator: Iter) -> bool:
    """Whether a list that came in may have been empty. If so, drops its descriptors: nothing was received."""
    if iterator.exact or not may_be_empty(iterator.items):
        return False
    _without(state, iterator.items)
    return True


def _without(state: State, items: Iterable[Value]) -> None:
    """Drops the descriptors of items that never came."""
    for fd in state.reachable(items):
        state.resources.pop(fd, None)
