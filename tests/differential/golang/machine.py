"""Runs a Go function of the generated subset along one path, over a virtual descriptor table."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..decisions import Decisions, PathPruned
from ..execute import InvalidProgram
from ..shape import Place
from ..table import State
from .structs import Pointer, Struct, captured, keyed
from .syntax import Node
from .table import Handle, Holder, OsFile, Table

ACQUIRES = {
    "unix.Open": 1, "unix.Dup": 1, "unix.Socket": 1, "os.Open": 1, "os.Create": 1, "os.Pipe": 2, "unix.Socketpair": 2,
}  # fmt: skip
"""The number of descriptors of each acquiring call. Those of ``os`` are files, a socket pair is an array."""
USES = frozenset({"unix.Fsync", "unix.Fchmod", "unix.SetNonblock", "unix.Listen", "unix.Ftruncate"})
ENDS = frozenset({"os.Exit", "log.Fatal", "panic"})
_PREDECLARED = frozenset({"unix", "os", "errors", "fmt", "log", "uintptr", "int", "append", "len", "panic"})
_CHOICES: dict[str, Sequence[object]] = {
    "bool": (False, True), "int": (0, 5), "string": ("x", "y", "z"), "[]string": ([], ["one"], ["one", "two", "three"]),
}  # fmt: skip
_BINDS = frozenset({"assignment_statement", "short_var_declaration", "var_declaration"})
_MAX_STEPS = 2_000
_MAX_ROUNDS = 2  # of a loop whose condition is unknown


class Ended(BaseException):
    """The program ends: no duty is left."""


@dataclass(eq=False)
class _Jump(BaseException):
    kind: str
    label: str | None = None


class _Return(BaseException):
    pass


class Failure:
    """An error that is not nil."""


@dataclass(eq=False, slots=True)
class Scope(Holder):
    """The variables of a block."""

    outer: Scope | None = None
    names: dict[str, Any] = field(default_factory=dict)

    def find(self, name: str) -> dict[str, Any]:
        """Returns the variables of the block that declares a name. Raises ``InvalidProgram`` if none does."""
        if name in self.names:
            return self.names
        if self.outer is None:
            raise InvalidProgram(name)
        return self.outer.find(name)

    def held(self) -> Iterator[object]:
        """Yields the values of the variables, and the block around."""
        yield from self.names.values()
        if self.outer is not None:
            yield self.outer


@dataclass(eq=False, slots=True)
class Literal(Holder):
    """A function literal with the block in which it stands."""

    node: Node
    scope: Scope

    def held(self) -> Iterator[object]:
        """Yields the block: a literal keeps only what it names, but generated blocks are small."""
        used = {one.text for one in self.node.walk() if one.type == "identifier"}
        scope: Scope | None = self.scope
        while scope is not None:
            yield from (value for name, value in scope.names.items() if name in used)
            scope = scope.outer


@dataclass(eq=False, slots=True)
class _Frame(Holder):
    """A function that runs. ``here``: the block that runs."""

    scope: Scope
    here: Scope
    results: list[str]
    deferred: list[tuple[Any, list[Any], Node]] = field(default_factory=list)
    returned: list[Any] = field(default_factory=list)

    def held(self) -> Iterator[object]:
        yield self.here
        yield from self.returned
        for function, arguments, _ in self.deferred:
            yield function
            yield from arguments


class Opaque:
    """A parameter that was not read yet."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class Machine:
    """One run of one function. ``reached``: the places of the acquiring calls on the path."""

    def __init__(self, functions: dict[str, Node], decisions: Decisions) -> None:
        self._functions, self._decisions = functions, decisions
        self.table = Table()
        self.reached: set[Place] = set()
        self._frames: list[_Frame] = []
        self._started: list[tuple[Any, list[Any], Node]] = []  # goroutines: they run after the function
        self._depth = 0
        self._statement = 0
        self._steps = 0

    def run(self, name: str) -> None:
        """Runs a function with unknown arguments. What is open at its end and not returned is lost."""
        node = self._functions[name]
        arguments = [Opaque(kind) for _, kind in parameters(node.get("parameters"))]
        values = self._enter(node, Scope(), arguments)
        self.table.hand_over(values)
        self.table.lose([], statement=-1, since=None, rebinds=False)
        for function, given, call in self._started:
            self._apply(function, given, call, wanted=False)

    def _enter(self, node: Node, outer: Scope, arguments: Sequence[Any]) -> list[Any]:
        names = [name for name, _ in (*parameters(node.get("receiver")), *parameters(node.get("parameters")))]
        scope = Scope(outer, dict(zip(names, arguments, strict=True)))
        results = [(name, kind) for name, kind in parameters(node.get("result")) if name]
        scope.names.update((name, _zero(kind)) for name, kind in results)
        frame = _Frame(scope, scope, [name for name, _ in results])
        self._frames.append(frame)
        with contextlib.suppress(_Return):
            self._block(node.child("body"), scope)
        for function, values, call in reversed(frame.deferred):
            self._apply(function, values, call, wanted=False)
        self._frames.pop()
        return [scope.names[name] for name in frame.results] if frame.results else frame.returned

    def _block(self, node: Node, scope: Scope) -> None:
        statements = [one for part in node.parts for one in (part.parts if part.type == "statement_list" else [part])]
        if any(one.type == "fallthrough_statement" for one in statements[:-1]):
            raise InvalidProgram("fallthrough")
        for statement in statements:
            self._run(statement, scope)

    def _run(self, node: Node, scope: Scope) -> None:
        if node.type == "comment":
            return
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise PathPruned("steps")
        self._statement = node.start
        self.table.decided = len(self._decisions.trail)
        statement = _STATEMENTS.get(node.type)
        if statement is None:
            raise InvalidProgram(node.type)
        before = len(self.table.descriptors)
        statement(self, node, scope)
        self._frames[-1].here = scope
        if len(self._frames) == 1:
            rebinds = node.type in _BINDS
            since = before if rebinds or node.type == "expression_statement" else None
            self.table.lose(self._frames, statement=node.start, since=since, rebinds=rebinds)

    # Statements

    def _assign(self, node: Node, scope: Scope) -> None:
        values = self._values(node.listed("right"), scope, len(node.listed("left")))
        for target, value in zip(node.listed("left"), values, strict=True):
            name = target.text
            if target.type == "identifier" and name != "_":
                scope.find(name)[name] = value
            elif name != "_":
                self._store(target, value, scope)

    def _store(self, target: Node, value: Any, scope: Scope) -> None:
        """Assigns to the field of a struct, or through a pointer."""
        inner = self._value(target.parts[0], scope)
        if target.type == "selector_expression" and isinstance(inner, Struct):
            inner.fields[target.child("field").text] = value
        elif target.type == "unary_expression" and isinstance(inner, Pointer):
            inner.names[inner.name] = value
        elif not isinstance(inner, Opaque):
            raise InvalidProgram("target")

    def _declare(self, node: Node, scope: Scope) -> None:
        names = [one.text for one in node.listed("left")]
        if all(name in scope.names or name == "_" for name in names):
            raise InvalidProgram("nothing new")
        values = self._values(node.listed("right"), scope, len(names))
        scope.names.update((name, value) for name, value in zip(names, values, strict=True) if name != "_")

    def _var(self, node: Node, scope: Scope) -> None:
        for spec in node.parts:
            name = spec.child("name").text
            if name in scope.names:
                raise InvalidProgram("declared twice")
            value = spec.get("value")
            kind = spec.get("type")
            given = (
                self._value(value.parts[0], scope)
                if value is not None
                else _zero(kind.text if kind is not None else "")
            )
            scope.names[name] = given

    def _if(self, node: Node, scope: Scope) -> None:
        inner = Scope(scope)
        self._initialise(node, inner)
        chosen = "consequence" if self._truth(node.child("condition"), inner) else "alternative"
        branch = node.get(chosen)
        if branch is None:
            return
        if branch.type == "if_statement":
            self._if(branch, inner)
        else:
            self._block(branch, Scope(inner))

    def _initialise(self, node: Node, scope: Scope) -> None:
        initializer = node.get("initializer")
        if initializer is not None:
            before = self._statement
            self._run(initializer, scope)
            self._statement = before

    def _for(self, node: Node, scope: Scope, label: str | None = None) -> None:
        head = next((one for one in node.parts if one.type != "block"), None)
        body = node.child("body")
        if head is not None and head.type == "range_clause":
            self._range(head, body, scope, label)
            return
        inner = Scope(scope)
        clause = head if head is not None and head.type == "for_clause" else None
        if clause is not None:
            self._initialise(clause, inner)
        condition = clause.get("condition") if clause is not None else head
        update = clause.get("update") if clause is not None else None
        rounds = 0
        while condition is None or self._truth(condition, inner):
            rounds += 1
            if rounds > _MAX_ROUNDS:
                raise PathPruned("rounds")
            if self._round(body, Scope(inner), label):
                break
            if update is not None:
                self._run(update, inner)

    def _range(self, head: Node, body: Node, scope: Scope, label: str | None) -> None:
        names = [one.text for one in head.listed("left")]
        values = self._value(head.child("right"), scope)
        if not isinstance(values, list):
            raise InvalidProgram("range")
        for number, value in enumerate(list(values)):
            inner = Scope(scope)
            inner.names.update((name, given) for name, given in zip(names, (number, value), strict=False))
            inner.names.pop("_", None)
            if self._round(body, Scope(inner), label):
                break

    def _round(self, body: Node, scope: Scope, label: str | None) -> bool:
        """Runs one round of a loop. Returns whether the loop ends."""
        try:
            self._block(body, scope)
        except _Jump as jump:
            if jump.label not in (None, label) or jump.kind == "fallthrough":
                raise
            return jump.kind == "break"
        return False

    def _labeled(self, node: Node, scope: Scope) -> None:
        loop = node.parts[-1]
        if loop.type != "for_statement":
            raise InvalidProgram("label")
        self._for(loop, scope, node.child("label").text)

    def _switch(self, node: Node, scope: Scope) -> None:
        inner = Scope(scope)
        self._initialise(node, inner)
        tag = node.get("value")
        asked = self._value(tag, inner) if tag is not None else True
        cases = [one for one in node.parts if one.type in ("expression_case", "default_case")]
        at = self._chosen(cases, asked, inner)
        while at is not None and at < len(cases):
            try:
                for part in cases[at].parts:
                    if part.type == "statement_list":
                        self._block(part, Scope(inner))
                return
            except _Jump as jump:
                if jump.kind == "fallthrough":
                    at += 1
                elif jump.kind == "break" and jump.label is None:
                    return
                else:
                    raise

    def _chosen(self, cases: Sequence[Node], asked: Any, scope: Scope) -> int | None:
        for at, case in enumerate(cases):
            listed = case.get("value")
            if listed is not None and any(_same(self._value(one, scope), asked) for one in listed.parts):
                return at
        return next((at for at, case in enumerate(cases) if case.type == "default_case"), None)

    def _defer(self, node: Node, scope: Scope) -> None:
        call = node.parts[0]
        function, values = self._prepared(call, scope)
        self._frames[-1].deferred.append((function, values, call))

    def _go(self, node: Node, scope: Scope) -> None:
        function, values = self._prepared(node.parts[0], scope)
        self.table.hand_over([function, *values])
        self._started.append((function, values, node.parts[0]))

    def _send(self, node: Node, scope: Scope) -> None:
        self.table.hand_over([self._value(node.child("value"), scope)])

    def _return(self, node: Node, scope: Scope) -> None:
        frame = self._frames[-1]
        listed = node.parts[0].parts if node.parts else []
        if listed:
            frame.returned = self._values(listed, scope, len(frame.results) or None)
            for name, value in zip(frame.results, frame.returned, strict=False):
                frame.scope.names[name] = value
        raise _Return

    def _jump(self, node: Node, scope: Scope) -> None:
        label = node.parts[0].text if node.parts else None
        raise _Jump(node.type.partition("_")[0], label)

    def _step(self, node: Node, scope: Scope) -> None:
        name = node.parts[0].text
        scope.find(name)[name] += 1

    def _expression(self, node: Node, scope: Scope) -> None:
        self._call(node.parts[0], scope, wanted=False)

    def _inner_block(self, node: Node, scope: Scope) -> None:
        self._block(node, Scope(scope))

    # Expressions

    def _values(self, nodes: Sequence[Node], scope: Scope, count: int | None) -> list[Any]:
        if len(nodes) == 1 and nodes[0].type == "call_expression":
            values = self._call(nodes[0], scope, wanted=True)
        else:
            values = [self._value(one, scope) for one in nodes]
        if count is not None and len(values) != count:
            raise InvalidProgram("count")
        return values

    def _value(self, node: Node, scope: Scope) -> Any:
        match node.type:
            case "identifier":
                return self._name(node.text, scope)
            case "int_literal":
                return int(node.text, 0)
            case "interpreted_string_literal":
                return node.text[1:-1]
            case "selector_expression":
                return self._selected(node, scope)
            case "nil":
                return None
            case "true" | "false":
                return node.type == "true"
            case "parenthesized_expression":
                return self._value(node.parts[0], scope)
            case "func_literal":
                for name in captured(node) - self._functions.keys() - _PREDECLARED:
                    scope.find(name)
                literal = Literal(node, scope)
                self.table.capture(literal)
                return literal
            case "composite_literal" if node.child("type").type == "type_identifier":
                fields = {name: self._value(value, scope) for name, value in keyed(node)}
                return Struct(node.child("type").text, fields)
            case "composite_literal":
                return [self._value(one.parts[0], scope) for one in node.child("body").parts]
            case "index_expression":
                listed, at = self._value(node.child("operand"), scope), self._value(node.child("index"), scope)
                if not isinstance(listed, list) or not 0 <= at < len(listed):
                    raise InvalidProgram("index")
                return listed[at]
            case "unary_expression" | "binary_expression":
                return self._operator(node, scope)
            case "call_expression":
                values = self._call(node, scope, wanted=True)
                if len(values) != 1:
                    raise InvalidProgram("values")
                return values[0]
        raise InvalidProgram(node.type)

    def _name(self, name: str, scope: Scope) -> Any:
        found = scope.find(name)
        value = found[name]
        if isinstance(value, Opaque) and value.kind in _CHOICES:
            options = _CHOICES[value.kind]
            found[name] = value = options[self._decisions.choose(len(options))]
        return value

    def _selected(self, node: Node, scope: Scope) -> Any:
        """Returns the value of a field; any other selector is a constant of a package."""
        try:
            base = self._value(node.child("operand"), scope)
        except InvalidProgram:
            return 0
        return base.read(node.child("field").text) if isinstance(base, Struct) else 0

    def _pointer(self, node: Node, scope: Scope) -> Any:
        """Returns what ``&`` makes of a variable, or of a struct."""
        value = self._value(node, scope)
        return value if isinstance(value, Struct) else Pointer(scope.find(node.text), node.text)

    def _operator(self, node: Node, scope: Scope) -> Any:
        operator = node.child("operator").text
        if node.type == "unary_expression":
            if operator == "&":
                return self._pointer(node.child("operand"), scope)
            value = self._value(node.child("operand"), scope)
            return not value if operator == "!" else -value
        left = self._value(node.child("left"), scope)
        if operator in ("&&", "||"):
            return self._value(node.child("right"), scope) if left == (operator == "&&") else left
        right = self._value(node.child("right"), scope)
        if operator in ("==", "!="):
            return _same(left, right) == (operator == "==")
        if operator == "|":  # flags, on which nothing depends here
            return left
        left, right = _number(left), _number(right)
        return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[operator]

    def _truth(self, node: Node, scope: Scope) -> bool:
        value = self._value(node, scope)
        if not isinstance(value, bool):
            raise InvalidProgram("condition")
        return value

    # Calls

    def _prepared(self, node: Node, scope: Scope) -> tuple[Any, list[Any]]:
        """Returns the function of a call, and its arguments."""
        function = node.child("function")
        values = [self._value(one, scope) for one in node.child("arguments").parts]
        if function.type == "selector_expression":
            name = function.text
            if name in ACQUIRES or name in _KNOWN or name in USES or name in ENDS:
                return name, values
            receiver, method = self._value(function.child("operand"), scope), function.child("field").text
            return f"{receiver.kind if isinstance(receiver, Struct) else '*'}.{method}", [receiver, *values]
        if function.type == "identifier":
            name = function.text
            if name in self._functions or name in _KNOWN or name in ENDS:
                return name, values
        return self._value(function, scope), values

    def _call(self, node: Node, scope: Scope, *, wanted: bool) -> list[Any]:
        if node.type != "call_expression":
            raise InvalidProgram(node.type)
        function, values = self._prepared(node, scope)
        return self._apply(function, values, node, wanted=wanted)

    def _apply(self, function: Any, values: list[Any], node: Node, *, wanted: bool) -> list[Any]:
        place = node.place
        if isinstance(function, Literal):
            return self._enter(function.node, function.scope, values)
        if isinstance(function, Opaque):
            return [bool(self._decisions.choose(2))]
        if not isinstance(function, str):
            raise InvalidProgram("call")
        if function in ENDS:
            raise Ended
        if function in self._functions:
            return self._own(function, values, place)
        if function in ACQUIRES:
            return self._acquire(function, values, place)
        if function in USES:
            self.table.use(values[0], place)
            return [self._error(wanted)]
        if function not in _KNOWN:
            raise InvalidProgram(function)
        return _KNOWN[function](self, values, place, wanted)

    def _own(self, function: str, values: list[Any], place: Place) -> list[Any]:
        statement = self._statement
        if self._depth == 0:
            self.table.call = place
        self._depth += 1
        results = self._enter(self._functions[function], Scope(), values)
        self._depth -= 1
        self._statement = statement
        if self._depth == 0:
            self.reached.add(place)
            self.table.call = None
            self.table.rise(results, place, statement)
        return results

    def _acquire(self, function: str, values: list[Any], place: Place) -> list[Any]:
        if function == "unix.Dup":
            self.table.use(values[0], place)
        count, is_file = ACQUIRES[function], function.startswith("os.")
        if self._depth == 0:
            self.reached.add(place)
        if self._decisions.choose(2):
            nothing = None if is_file else -1
            return [[-1, -1], Failure()] if function == "unix.Socketpair" else [*[nothing] * count, Failure()]
        made = [self.table.open(place, index, self._statement, self._depth) for index in range(count)]
        if function == "unix.Socketpair":
            return [[Handle(one) for one in made], None]
        for one in made:
            one.wrapped = is_file
        return [*(OsFile(one) if is_file else Handle(one) for one in made), None]

    def _error(self, wanted: bool) -> Failure | None:
        return Failure() if wanted and self._decisions.choose(2) else None

    def _close(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        self.table.close(values[0], place)
        return [self._error(wanted)]

    def _read(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        self.table.use(values[0], place)
        error = self._error(wanted)
        return [-1 if error else 5, error]

    def _new_file(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        self.table.use(values[0], place)
        if not isinstance(values[0], Handle):
            return [None]
        values[0].descriptor.wrapped = True
        return [OsFile(values[0].descriptor)]

    def _sendmsg(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        error = self._error(wanted)
        for one in values[2] if isinstance(values[2], list) else []:
            if isinstance(one, Handle) and error is None:
                one.descriptor.sent = True
        return [error]

    def _rights(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        for one in values:
            self.table.use(one, place)
        return [list(values)]

    def _same(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        return values[:1]

    def _append(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        for one in values[1:]:
            if isinstance(one, Handle | OsFile):
                one.descriptor.listed = True
        return [[*(values[0] or []), *values[1:]]]

    def _length(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        return [len(values[0] or [])]

    def _no_error(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        return [Failure()]

    def _descriptor_of(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        """Returns the number of a file: -1 after its end."""
        is_open = isinstance(values[0], OsFile) and values[0].descriptor.state is not State.CLOSED
        return [Handle(values[0].descriptor)] if is_open else [-1]

    def _of_file(self, values: list[Any], place: Place, wanted: bool) -> list[Any]:
        return [self._error(wanted)]


_KNOWN: dict[str, Callable[[Machine, list[Any], Place, bool], list[Any]]] = {
    "unix.Close": Machine._close,
    "unix.Read": Machine._read,
    "unix.Write": Machine._read,
    "unix.Sendmsg": Machine._sendmsg,
    "unix.UnixRights": Machine._rights,
    "os.NewFile": Machine._new_file,
    "uintptr": Machine._same,
    "int": Machine._same,
    "append": Machine._append,
    "len": Machine._length,
    "errors.New": Machine._no_error,
    "fmt.Errorf": Machine._no_error,
    "*.Close": Machine._close,
    "*.Fd": Machine._descriptor_of,
    "*.Sync": Machine._of_file,
    "*.Chmod": Machine._of_file,
}
_STATEMENTS: dict[str, Callable[[Machine, Node, Scope], None]] = {
    "assignment_statement": Machine._assign,
    "short_var_declaration": Machine._declare,
    "var_declaration": Machine._var,
    "if_statement": Machine._if,
    "for_statement": Machine._for,
    "labeled_statement": Machine._labeled,
    "expression_switch_statement": Machine._switch,
    "defer_statement": Machine._defer,
    "go_statement": Machine._go,
    "send_statement": Machine._send,
    "return_statement": Machine._return,
    "break_statement": Machine._jump,
    "continue_statement": Machine._jump,
    "fallthrough_statement": Machine._jump,
    "inc_statement": Machine._step,
    "expression_statement": Machine._expression,
    "block": Machine._inner_block,
}


def parameters(node: Node | None) -> list[tuple[str, str]]:
    """Returns the names and types of a list of parameters or results; a name is empty if there is none."""
    if node is None:
        return []
    if node.type != "parameter_list":
        return [("", node.text)]
    found: list[tuple[str, str]] = []
    for one in node.parts:
        names = one.fields.get("name", ())
        kind = one.child("type").text
        found += [(name.text, kind) for name in names] or [("", kind)]
    return found


def _zero(kind: str) -> object:
    return {"int": 0, "bool": False, "string": ""}.get(kind, [] if kind.startswith("[]") else None)


def _same(left: object, right: object) -> bool:
    left, right = _number(left), _number(right)
    return left == right and type(left) is type(right)


def _number(value: Any) -> Any:
    """Returns a number in the place of a descriptor."""
    return 7 if isinstance(value, Handle) else value
