"""Where a Go file defines, calls and gives away functions, from its syntax tree."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fdlint.catalog.lifetimes import Lifetimes, lifetimes_of
from fdlint.languages.go.catalog import go_catalog
from fdlint.languages.go.lowering.constants import Node, arguments_of, text
from fdlint.languages.go.lowering.source import GoFile
from fdlint.languages.go.modules import Modules
from fdlint.languages.index.facts import Facts
from fdlint.program.kinds import MAX_STEPS, field_of, is_name, result_of
from fdlint.program.usage import TABLE, Class, Definition, Lines, Loop, Mention, Usage, UsageRules, Way, parameter_name

_DECLARATIONS = frozenset({"function_declaration", "method_declaration"})
_ASKING = frozenset({"method_elem", "method_spec"})
_LITERAL = "func_literal"
_END = "io.EOF"
_MAIN, _INIT, _INTERNAL = "main", "init", "internal"
_TYPE = re.compile(r"[^\W\d]\w*(?:\.\w+)?$")
_MISSING = re.compile(
    r"(?<!!)\bos\.IsNotExist\(|(?<!!)\berrors\.Is\([^)]*ErrNotExist|\bos\.L?[Ss]tat\(.*err != nil", re.DOTALL
)
_CHANNEL = re.compile(rb"(?<!\w)(\w+)(?=(?:\s+|\s*:?=\s*make\()(?:<-\s*)?chan\b)")
_CONTAINERS = frozenset({"literal_value", "literal_element", "keyed_element", "unary_expression"})
_FIELD = "="  # ends the name of a field in the catalog
_SKIPPED = frozenset(
    {"comment", "import_declaration", "package_clause", "interpreted_string_literal", "raw_string_literal"}
)


class _Place(NamedTuple):
    """The surroundings of a node. ``scope``: the qualified name of the function around it. ``to``: what gets it."""

    scope: str = ""
    owner: str = ""
    way: Way = Way.KEPT
    to: tuple[str, ...] = ()
    literal: str = ""  # the type of the struct that is written around
    at: int = -1  # the number of the argument


def usage_of(data: bytes, path: str, place: Path, top: Path) -> Usage:
    """Returns the facts of a file. ``path``: as reports show it."""
    file = GoFile(place, path, data)
    return _Reader(file, _module(place.parent, top), lifetimes_of("go").entries).read()


@functools.lru_cache(maxsize=4096)
def _module(directory: Path, top: Path) -> str:
    """Returns the import path of a directory, with dots."""
    found = Modules().around(directory)
    if found is None:
        parts = directory.relative_to(top).parts if directory.is_relative_to(top) else ()
    else:
        parts = (found[1], *directory.relative_to(found[0]).parts)
    return ".".join(parts).replace("/", ".")


@dataclass(slots=True)
class _Reader:
    file: GoFile
    module: str
    entries: Lifetimes
    package: str = ""
    tests: bool = False
    imports: dict[str, str] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    missing: list[Lines] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    _bound: dict[tuple[str, str], str] = field(default_factory=dict)
    _parameters: set[tuple[str, str]] = field(default_factory=set)  # by the function and the name
    _literals: dict[tuple[str, str], str] = field(default_factory=dict)  # functions of variables, in the same way
    _channels: frozenset[bytes] | None = None  # the names of channels in the file

    def read(self) -> Usage:
        """Returns the facts of the file."""
        for node in self.file.declarations():
            if node.type == "package_clause":
                self.package = text(node).removeprefix("package").strip()
            elif node.type == "import_declaration":
                self._import(node)
            else:
                pending = [(node, _Place())]
                while pending:
                    inside = [*self._visit(*pending.pop())]
                    pending.extend(reversed(inside))  # in the order of the text: a variable is declared before its use
        program = self.package == _MAIN
        sealed = program or _INTERNAL in self.module.split(".")
        return Usage(
            self.file.path, self.module, self._defined(), tuple(self.classes), tuple(self.loops),
            tuple(self.mentions), program=program, sealed=sealed,
            missing=tuple(self.missing),
        )  # fmt: skip

    def _defined(self) -> tuple[Definition, ...]:
        """Returns the functions. A method is test code, too, if its object holds a test."""
        holds = {one.name: [*one.bases, *(kind for _, kind in one.fields)] for one in self.classes}
        helpers = {name for name, kinds in holds.items() if self._tests(kinds)}
        return tuple(
            one._replace(tests=True) if one.name.partition(".")[0] in helpers else one for one in self.definitions
        )

    def _import(self, node: Node) -> None:
        pending = [node]
        while pending:
            one = pending.pop()
            if one.type != "import_spec":
                pending.extend(one.named_children)
                continue
            path = text(one.child_by_field_name("path")).strip('"`')
            parts = path.split("/")
            usual = parts[-2] if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]) else parts[-1]
            name = text(one.child_by_field_name("name"))
            self.tests = self.tests or any(map(path.startswith, self.entries.tests))
            self.imports[name or usual.removeprefix("go-")] = path.replace("/", ".")

    # -- the walk

    def _visit(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        kind = node.type
        if kind in _SKIPPED:
            return
        if kind in _DECLARATIONS:
            yield from self._function(node)
        elif kind == _LITERAL:
            yield from self._function_literal(node, place)
        elif kind == "call_expression":
            yield from self._call(node, place)
        elif kind == "identifier":
            self._mention(node, text(node), None, place)
        elif kind == "selector_expression":
            yield from self._selector(node, place)
        elif kind == "type_spec":
            self._type(node)
        elif kind == "composite_literal":
            yield from self._literal(node, place)
        elif kind == "keyed_element":
            yield from self._keyed(node, place)
        elif kind == "assignment_statement":
            yield from self._stored(node, place)
        elif kind in _CONTAINERS:
            yield from ((one, place) for one in node.named_children)
        else:
            yield from self._statement(node, place)

    def _statement(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        kind = node.type
        if kind == "for_statement":
            body = node.child_by_field_name("body")
            if body is not None:
                lines = Lines(_line(body), body.end_point[0] + 1)
                self.loops.append(Loop(lines, self._is_endless(node, body), _line(node)))
        elif kind == "if_statement":
            self._note_missing(node, place)
        elif kind == "short_var_declaration":
            self._assign(node, place)
        elif kind == "var_spec":
            named = text(node.child_by_field_name("type"))
            for one in node.children_by_field_name("name"):
                self._bind(text(one), named, place)
        inner = _Place(place.scope, place.owner)
        yield from ((one, inner) for one in node.named_children)

    def _stored(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        """Follows an assignment. A field of an object whose type is known gets what stands on the right."""
        self._assign(node, place)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        target = left.named_children[0] if left is not None and len(left.named_children) == 1 else None
        inner = _Place(place.scope, place.owner)
        given = inner
        if target is not None and target.type == "selector_expression":
            kind = self._kind(text(target.child_by_field_name("operand")), place.scope)
            name = text(target.child_by_field_name("field"))
            known = kind if kind and is_name(kind) else "*"
            given = _Place(place.scope, place.owner, Way.GIVEN, (f"{known}.{name}{_FIELD}",))
        yield from ((one, inner) for one in (left.named_children if left is not None else ()))
        yield from ((one, given) for one in (right.named_children if right is not None else ()))

    def _function(self, node: Node) -> Iterator[tuple[Node, _Place]]:
        name = text(node.child_by_field_name("name"))
        owner, receiver = self._receiver(node)
        qualified = f"{owner}.{name}" if owner else name
        inner = _Place(qualified, owner)
        types, parameters = self._declare(node, inner)
        entry = ""
        if not owner and name == _MAIN and not parameters:  # another package can have one for a table of commands
            entry = f"once per run of the program `{self.module.rpartition('.')[2] or self.file.place.stem}`"
        elif not owner and name == _INIT:
            entry = "once per process, when it starts"
        private = not name[:1].isupper() or (self.package == _MAIN and not owner)
        tests = self._tests(types)
        gives = self._gives(node)
        self.definitions.append(
            Definition(
                qualified, _lines(node), owner, types, False, False, entry, tests, private, parameters, gives
            )
        )  # fmt: skip
        if receiver:
            self._bound[qualified, receiver] = f"{self.module}.{owner}"
        body = node.child_by_field_name("body")
        if body is not None:
            yield body, inner

    def _gives(self, node: Node) -> str:
        """Returns the full name of the type of a function's first result; empty if it has no name."""
        result = node.child_by_field_name("result")
        if result is not None and result.type == "parameter_list":
            result = result.named_children[0].child_by_field_name("type") if result.named_children else None
        kind = text(result).lstrip("*")
        return self._type_name(kind) if _TYPE.match(kind) else ""

    def _tests(self, types: Sequence[str]) -> bool:
        """Whether a function with parameters of these types is test code."""
        return self.tests or any(one in self.entries.tests for one in types)

    def _receiver(self, node: Node) -> tuple[str, str]:
        """Returns the type and the name of the receiver of a method, both empty for a function."""
        listed = node.child_by_field_name("receiver")
        found = listed.named_children[0] if listed is not None and listed.named_children else None
        if found is None:
            return "", ""
        kind = text(found.child_by_field_name("type")).lstrip("*").partition("[")[0]
        return kind, text(found.child_by_field_name("name"))

    def _declare(self, node: Node, inner: _Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Binds the parameters of a function. Returns their types and their names."""
        listed = node.child_by_field_name("parameters")
        types, names = [], []
        for one in listed.named_children if listed is not None else ():
            named = text(one.child_by_field_name("type")).lstrip("*")
            for name in map(text, one.children_by_field_name("name")):
                self._bind(name, named, inner)
                self._parameters.add((inner.scope, name))
                names.append(name)
            if _TYPE.match(named):
                types.append(named)
        return tuple(types), tuple(names)

    def _function_literal(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        variable = "" if place.scope else _variable_of(node)
        name = variable or _unnamed(node)
        qualified = f"{place.scope}.{name}" if place.scope else name
        inner = _Place(qualified, place.owner)
        types, parameters = self._declare(node, inner)
        private, tests = bool(variable) and not variable[:1].isupper(), self._tests(types)
        self.definitions.append(
            Definition(qualified, _lines(node), "", types, tests=tests, private=private, parameters=parameters)
        )
        if not variable and not (place.scope and _is_of_variable(node)):
            self._note(node, name, place, f"{self.module}.{qualified}")
        body = node.child_by_field_name("body")
        if body is not None:
            yield body, inner

    def _call(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        function = node.child_by_field_name("function")
        if function is not None:
            yield function, _Place(place.scope, place.owner, Way.CALLED)
        to = (self._spelled(function, place.scope) or "*.?", *place.to[:1])
        for at, one in enumerate(arguments_of(node)):
            yield one, _Place(place.scope, place.owner, Way.GIVEN, to, at=at)

    def _selector(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        operand = node.child_by_field_name("operand")
        name = text(node.child_by_field_name("field"))
        if operand is not None and operand.type == "identifier":
            self._mention(node, name, text(operand), place)
        else:
            self._note(node, name, place, kind=self._kind_of(operand, place.scope))
            if operand is not None:
                yield operand, _Place(place.scope, place.owner)

    def _literal(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        kind = text(node.child_by_field_name("type")).removeprefix("[]").lstrip("*")
        if _TYPE.match(kind):
            self._note(node, kind.rpartition(".")[2], place._replace(way=Way.CALLED), self._type_name(kind))
        body = node.child_by_field_name("body")
        if body is not None:
            to = (TABLE,) if kind.startswith(("map[", "struct")) else ()
            literal = self._type_name(kind) if _TYPE.match(kind) else ""
            yield body, _Place(place.scope, place.owner, to=to, literal=literal)

    def _keyed(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        if len(node.named_children) == 2 and _TYPE.search(place.literal):
            key, value = node.named_children
            to = (f"{place.literal}.{text(key)}{_FIELD}",)
            yield value, _Place(place.scope, place.owner, Way.GIVEN, to, place.literal)
        else:
            yield from ((one, place) for one in node.named_children)

    # -- names

    def _mention(self, node: Node, name: str, root: str | None, place: _Place) -> None:
        if root is None:
            known = next((one for one in _scopes(place.scope) if (one, name) in self._bound), None)
            if known is None:
                self._note(node, name, place, f"{self.module}.{name}")
            elif (known, name) in self._literals:
                literal = self._literals[known, name]
                if not _is_declared(node):
                    self._note(node, literal.rpartition(".")[2], place, f"{self.module}.{literal}")
            elif (known, name) in self._parameters:
                self._note(node, name, place, parameter_name(self.module, known, name))
        elif root in self.imports and (place.scope, root) not in self._bound:
            self._note(node, name, place, f"{self.imports[root]}.{name}")
        else:
            kind = self._kind(root, place.scope)
            own = bool(place.owner) and kind == f"{self.module}.{place.owner}"
            self._note(node, name, place, kind=kind, own=own)

    def _note(self, node: Node, name: str, place: _Place, full: str = "", kind: str = "", *, own: bool = False) -> None:
        self.mentions.append(
            Mention(name, _line(node), place.way, full, kind, own, to=place.to, at=place.at, scope=place.scope)
        )

    def _kind(self, name: str, scope: str) -> str:
        """Returns the type of a variable, of a function around or of the file."""
        return next((self._bound[one, name] for one in (*_scopes(scope), "") if (one, name) in self._bound), "")

    def _kind_of(self, node: Node | None, scope: str) -> str:
        """Returns the type of what an expression means, or a name for ``Kinds``; empty if it shows none."""
        fields: list[str] = []
        while node is not None and node.type in ("selector_expression", "call_expression"):
            if len(fields) == MAX_STEPS:
                return ""
            known = self._made(node)
            if known:
                return functools.reduce(field_of, fields, known)
            called = node.type == "call_expression"
            inner = node.child_by_field_name("function") if called else node
            if inner is None or inner.type != "selector_expression":
                return ""
            name = text(inner.child_by_field_name("field"))
            fields.insert(0, result_of(name) if called else name)
            node = inner.child_by_field_name("operand")
        known = self._kind(text(node), scope) if node is not None and node.type == "identifier" else ""
        known = known or (self._made(node) if node is not None else "")
        return functools.reduce(field_of, fields, known) if known else ""

    def _spelled(self, function: Node | None, scope: str | None = None) -> str:
        """Returns the full name of a callee, or its last name behind a star. In a ``scope`` that of a method of a
        variable of the file has its type."""
        if function is None:
            return ""
        if function.type == "identifier":
            return f"{self.module}.{text(function)}"
        if function.type != "selector_expression":
            return ""
        root, name = function.child_by_field_name("operand"), text(function.child_by_field_name("field"))
        if root is not None and root.type == "identifier" and text(root) in self.imports:
            return f"{self.imports[text(root)]}.{name}"
        kind = self._bound.get(("", text(root)), "") if scope is not None else ""
        local = scope is not None and any((one, text(root)) in self._bound for one in _scopes(scope) if one)
        return f"{kind}.{name}" if kind and is_name(kind) and not local else f"*.{name}"

    def _type_name(self, kind: str) -> str:
        root, dot, name = kind.rpartition(".")
        return f"{self.imports.get(root, root)}.{name}" if dot else f"{self.module}.{kind}"

    def _bind(self, name: str, kind: str, place: _Place) -> None:
        kind = kind.lstrip("*").partition("[")[0]
        full = self._type_name(kind) if _TYPE.match(kind) else ""
        key = place.scope, name
        if self._bound.setdefault(key, full) != full:
            self._bound[key] = ""

    def _assign(self, node: Node, place: _Place) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        names = left.named_children if left is not None else []
        values = right.named_children if right is not None else []
        if node.type == "short_var_declaration":
            for one in names:
                self._bound.setdefault((place.scope, text(one)), "")
            if place.scope and values and _is_of_variable(values[0]):
                self._literals[place.scope, text(names[0])] = f"{place.scope}.{_unnamed(values[0])}"
        if names and values and names[0].type == "identifier":
            kind = self._kind_of(values[0], place.scope) if values[0].type != "identifier" else ""
            if kind:
                self._bound[place.scope, text(names[0])] = kind

    def _made(self, value: Node) -> str:
        """Returns the full name of the type of a value that shows it; empty if it does not."""
        if value.type == "unary_expression":
            value = value.child_by_field_name("operand") or value
        if value.type == "composite_literal":
            kind = text(value.child_by_field_name("type"))
            return self._type_name(kind) if _TYPE.match(kind) else ""
        if value.type == "call_expression":
            spelled = self._spelled(value.child_by_field_name("function"))
            return result_of(spelled) if spelled and not spelled.startswith("*") else ""
        return ""

    def _type(self, node: Node) -> None:
        name, kind = text(node.child_by_field_name("name")), node.child_by_field_name("type")
        bases, asks, fields = [], [], []
        if kind is not None and kind.type == "struct_type":
            for listed in kind.named_children:
                for one in listed.named_children:
                    of = text(one.child_by_field_name("type")).lstrip("*")
                    named = one.children_by_field_name("name")
                    fields += [(text(name), self._type_name(of)) for name in named if _TYPE.match(of)]
                    if one.type == "field_declaration" and not named:
                        bases.append(self._type_name(of))
        elif kind is not None and kind.type == "interface_type":
            asked = [one for one in kind.named_children if one.type in _ASKING]
            asks = [text(one.child_by_field_name("name")) for one in asked]
            fields = [(result_of(name), self._gives(one)) for name, one in zip(asks, asked, strict=True)]
        self.classes.append(Class(name, _lines(node), tuple(bases), tuple(asks), tuple(fields)))

    def _note_missing(self, node: Node, place: _Place) -> None:
        """Notes the lines that only run while a file is missing, unless a call in them gets a parameter: each caller
        may mean another file."""
        body = node.child_by_field_name("consequence")
        asked = text(node.child_by_field_name("initializer")), text(node.child_by_field_name("condition"))
        if body is not None and _MISSING.search("; ".join(asked)):
            given = (one for call in _of_the_loop(body) if call.type == "argument_list" for one in call.named_children)
            if not any((place.scope, text(one)) in self._parameters for one in given):
                self.missing.append(_lines(body))

    # -- loops

    def _is_endless(self, node: Node, body: Node) -> bool:
        clause = next((one for one in node.named_children if one.type != "comment" and one != body), None)
        if clause is not None and clause.type == "range_clause":
            return self._is_channel(text(clause.child_by_field_name("right")))
        inside = [*_of_the_loop(body)]
        reads_to_an_end = any(one.type == "selector_expression" and text(one) == _END for one in inside)
        waits = not reads_to_an_end and any(self._waits(one) for one in inside)
        if clause is None:
            return waits or not any(one.type in ("return_statement", "break_statement") for one in inside)
        return waits and clause.type in ("identifier", "unary_expression", "selector_expression")

    def _waits(self, node: Node) -> bool:
        match node.type:
            case "select_statement":
                return True
            case "unary_expression":
                return text(node).startswith("<-")
            case "call_expression":
                return text(node.child_by_field_name("function")).rpartition(".")[2] in self.entries.waiting
        return False

    def _is_channel(self, iterated: str) -> bool:
        if self._channels is None:
            self._channels = frozenset(_CHANNEL.findall(self.file.data))
        if iterated.rpartition(".")[2].encode() in self._channels:
            return True
        return any(self._is_given(iterated, *one) for one in self.entries.channels.items())

    def _is_given(self, iterated: str, source: str, field: str) -> bool:
        """Whether a value is the result of a call, a name bound to such a result or type, or the field of one."""
        if field and not iterated.endswith(f".{field}"):
            return False
        value = iterated.removesuffix(f".{field}") if field else iterated
        name = value.rpartition(".")[2]
        bound = rb"(?<!\w)%s(?:\s+|\s*:?=\s*)\*?%s\b" % (name.encode(), re.escape(source).encode())
        return value.partition("(")[0] == source or (name.isidentifier() and bool(re.search(bound, self.file.data)))


def _scopes(scope: str) -> Iterator[str]:
    """Yields the qualified name of a function and those of the functions around it."""
    yield scope
    while ".<" in scope:
        scope = scope.rpartition(".<")[0]
        yield scope


def _unnamed(node: Node) -> str:
    """Returns the name of a function literal."""
    return f"<func {_line(node)}_{node.start_point[1]}>"


def _is_of_variable(node: Node) -> bool:
    """Whether a declaration gives a function literal, and nothing else, to a variable."""
    values = node.parent if node.type == _LITERAL else None
    declared = values.parent if values is not None and values.named_child_count == 1 else None
    return declared is not None and declared.type == "short_var_declaration"


def _variable_of(node: Node) -> str:
    """Returns the name of the variable of a package that begins as a function literal; empty if there is none."""
    declared = node.parent.parent if node.parent is not None else None
    if declared is None or declared.type != "var_spec":
        return ""
    names = declared.children_by_field_name("name")
    return text(names[0]) if len(names) == 1 else ""


def _is_declared(name: Node) -> bool:
    """Whether a declaration gives the name its value here."""
    names = name.parent
    around = names.parent if names is not None else None
    return around is not None and around.type == "short_var_declaration" and around.child_by_field_name("left") == names


def _line(node: Node) -> int:
    return node.start_point[0] + 1


def _lines(node: Node) -> Lines:
    return Lines(_line(node), node.end_point[0] + 1)


def _of_the_loop(body: Node) -> Iterator[Node]:
    """Yields the nodes of a loop's body, without those of function literals, and without the ``break`` statements that
    leave something else."""
    pending = [(body, False)]
    while pending:
        node, inner = pending.pop()
        if node.type == _LITERAL:
            continue
        if not (inner and node.type == "break_statement" and not node.named_children):
            yield node
        inner = inner or node.type in (
            "for_statement",
            "select_statement",
            "expression_switch_statement",
            "type_switch_statement",
        )
        pending.extend((one, inner) for one in node.named_children)


def _defines(name: str) -> tuple[bytes, ...]:
    return f"{name} struct".encode(), f"type {name} ".encode(), f"func {name}(".encode(), f") {name}(".encode()


def _derives(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?m)^\s+\*?(?:\w+\.)?%s$" % re.escape(name).encode())


def _facts(data: bytes) -> Facts:
    """Returns the names of other packages that a file mentions, by those that the catalog has for the packages, and the
    last parts of all names."""
    reader = _Reader(GoFile(Path(), "", data), "", lifetimes_of("go").entries)
    known = {path.replace("/", "."): name for path, name in go_catalog().packages.items()}
    mentions = reader.read().mentions
    full = (one.full.rpartition(".") for one in mentions if "." in one.full)
    names = frozenset(f"{known.get(module) or module.rpartition('.')[2]}.{name}" for module, _, name in full)
    members, none = frozenset(one.name for one in mentions), frozenset[str]()
    roots = sorted({one.partition(".")[0] for one in names})
    return Facts(frozenset(), names, members, none, none, tuple(zip(roots, roots, strict=True)), gives=True, nests=True)


USAGE = UsageRules(
    usage=usage_of,
    commands=lambda _top: {},  # ``func main`` is one by itself
    defines=_defines,
    derives=_derives,
    facts=_facts,
)
