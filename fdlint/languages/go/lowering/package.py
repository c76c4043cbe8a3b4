"""The declarations of a Go package: imports, types with their fields, functions and methods with their results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from fdlint.catalog import Catalog
from fdlint.languages.go.lowering.constants import (
    MAX_DEPTH,
    MAX_HOPS,
    NUMBERS,
    TEXTS,
    Node,
    arguments_of,
    number_of,
    parts,
    text,
)
from fdlint.languages.go.lowering.errors import has_error
from fdlint.languages.go.lowering.source import GoFile
from fdlint.languages.go.lowering.type_names import MAP, SLICE, item_type

_OBJECTS = frozenset({"string", "bool", "error", "context.Context"})
_MAPS = frozenset(f"{MAP}{kind}" for kind in ("", "any", *_OBJECTS))
_SETTING = re.compile(rb"(?<![\w.])(\w+)(?=(?:,\s*[\w.]+){0,4}\s*[-+*/%&|^]?=(?!=))|&(\w+)")


@dataclass(frozen=True, slots=True)
class Declared:
    """A function, a method, a function literal or the value of a variable: the number of its file, the file, its first
    and last byte, and the types of its results."""

    file: int
    source: GoFile
    start: int
    end: int
    results: tuple[str, ...]

    @property
    def node(self) -> Node:
        """Its node. The tree around it is parsed again if it was dropped meanwhile."""
        found = self.source.node(self.start, self.end)
        assert found is not None  # it was found there before
        return found


FUNCTION = "func"
"""The name of the type of any function."""


@dataclass(slots=True)
class Package:
    """The declarations of the files of one directory. ``imports``: for each file, the local names of packages with
    their import paths. ``fields``: for each struct, the types of its fields. Types are written without ``*``: ``T``,
    ``os.File``, ``[]T``. ``forwards``: the functions and constants that only stand for one of another package, with its
    dotted name. ``numbers``: the values of constants, and of variables that are set once. ``texts``: the literals of
    constant texts. ``constants``: the values of each type, None for one that is not known. ``values``: the first values
    of variables. ``interfaces``: their methods; none of one that embeds others. ``nil_types``: the types whose
    variables begin as nil. ``lists``: the slices and maps that have a name, each with its file. ``targets``: the
    functions that variables stand for, as far as somebody asked. ``other`` returns a package of the same module by its
    import path."""

    files: Sequence[GoFile]
    catalog: Catalog
    other: Callable[[str], Package | None] = lambda _: None
    imports: list[dict[str, str]] = field(default_factory=list)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    embedded: dict[str, list[str]] = field(default_factory=dict)
    functions: dict[str, Declared] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    interfaces: dict[str, tuple[str, ...]] = field(default_factory=dict)
    nil_types: set[str] = field(default_factory=lambda: {FUNCTION})
    lists: dict[str, tuple[int, Node]] = field(default_factory=dict)
    forwards: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    constants: dict[str, list[int | str | None]] = field(default_factory=dict)
    values: dict[str, Declared] = field(default_factory=dict)
    targets: dict[str, str | None] = field(default_factory=dict)
    _others: dict[str, Package | None] = field(default_factory=dict)
    _twins: Counter[str] = field(default_factory=Counter)  # the definitions of each function so far
    _settings: Counter[bytes] = field(default_factory=Counter)  # how often each name is set, or its address taken
    _settled: set[str] = field(default_factory=set)  # constants: the first file counts, others are for other systems
    _typed: set[str] = field(default_factory=set)  # the variables that are declared with a type
    _keeping: dict[str, bool] = field(default_factory=dict)
    _methods: dict[str, list[str]] = field(default_factory=dict)
    _closers: set[str] | None = None

    def __post_init__(self) -> None:
        for number, file in enumerate(self.files):
            self.imports.append(dict(self._imported(file)))
            for node in file.declarations():
                self._declare(number, node)

    def _declare(self, number: int, node: Node) -> None:
        match node.type:
            case "function_declaration" | "method_declaration" if not has_error(node):
                self._function(number, node)
            case "type_declaration":
                for spec in parts(node):
                    self._type(number, spec)
            case "const_declaration":
                self._constants(number, node)
            case "var_declaration":
                for spec in specs(node):
                    self._variables(number, spec)

    def _variables(self, number: int, spec: Node) -> None:
        """Declares the variables of one line, with their values."""
        names = [text(one) for one in spec.children_by_field_name("name")]
        listed = spec.child_by_field_name("value")
        self.variables.update(names)
        if spec.child_by_field_name("type") is not None:
            self._typed.update(names)
        if names:  # not a comment
            self._literals(number, names[0], listed)
        values = parts(listed)
        if len(values) != len(names):
            return
        for name, value in zip(names, values, strict=True):
            self.values.setdefault(name, Declared(number, self.files[number], value.start_byte, value.end_byte, ()))
            known = number_of(value, self.numbers)
            if known is not None and self._is_set_once(name):
                self.numbers.setdefault(name, known)

    def _imported(self, file: GoFile) -> Iterator[tuple[str, str]]:
        for declaration in file.declarations():
            if declaration.type != "import_declaration":
                continue
            for spec in specs(declaration):
                path = text(spec.child_by_field_name("path")).strip('"`')
                name, known = text(spec.child_by_field_name("name")), self.catalog.packages.get(path)
                if not name and known is not None:
                    yield known, known  # its own name may differ from that of its directory
                yield name or _usual_name(path), self._module(path)

    def _module(self, path: str) -> str:
        """Returns the name of an imported package: of one in the standard library, only the last part of its path."""
        own = "." in path.partition("/")[0] or self.package_at(path) is not None
        return self.catalog.packages.get(path) or (path if own else path.rpartition("/")[2])

    def _function(self, number: int, node: Node) -> None:
        name = text(node.child_by_field_name("name"))
        owner = self.receiver_of(number, node)
        qualified = f"{owner[1]}.{name}" if owner is not None else name
        results = tuple(one for _, one in self.parameters(number, node.child_by_field_name("result")))
        twins = self._twins[qualified]  # `init`, or files for other platforms
        self._twins[qualified] += 1
        qualified += "#" * twins
        self._note(qualified, number, node, results)
        forwarded = _forwarded(node) if owner is None else None
        if forwarded is not None:
            self._forward(number, qualified, forwarded)

    def _note(self, name: str, number: int, node: Node, results: tuple[str, ...]) -> None:
        self.functions[name] = Declared(number, self.files[number], node.start_byte, node.end_byte, results)

    def _literals(self, number: int, variable: str, value: Node | None) -> None:
        """Declares the function literals in the value of a variable: `var once = sync.OnceValue(func() int { … })`."""
        pending, count = [value] if value is not None else [], 0
        while pending:
            node = pending.pop()
            if node.type == "func_literal":
                count += 1
                results = tuple(one for _, one in self.parameters(number, node.child_by_field_name("result")))
                self._note(f"{variable}.func{count}", number, node, results)
            else:
                pending.extend(reversed(node.named_children))

    def _constants(self, number: int, declaration: Node) -> None:
        """Declares constants. One without a value has the expression of the one before it, with the next ``iota``."""
        listed: list[Node] = []
        kind = ""
        for iota, spec in enumerate(specs(declaration)):
            names, values = spec.children_by_field_name("name"), spec.child_by_field_name("value")
            listed = values.named_children if values is not None else listed
            kind = text(spec.child_by_field_name("type")) if values is not None else kind
            for name, value in zip((one for one in names if one.is_named), listed, strict=False):
                if values is not None:
                    self._forward(number, text(name), value)
                known = number_of(value, self.numbers, iota)
                if known is not None and text(name) not in self._settled:
                    self.numbers.setdefault(text(name), known)
                elif value.type in TEXTS:
                    self.texts.setdefault(text(name), text(value))
                self._settled.add(text(name))
                if kind and text(name) != "_":
                    self.constants.setdefault(kind, []).append(
                        known if known is not None else self.texts.get(text(name))
                    )

    def _is_set_once(self, name: str) -> bool:
        """Whether a variable of the package keeps its first value, as far as its own files tell."""
        if not self._settings:
            self._settings.update(found[0] or found[1] for file in self.files for found in _SETTING.findall(file.data))
        return self._settings[name.encode()] == (name not in self._typed)  # `var x error = …` sets nothing, by its text

    def values_of(self, kind: str) -> frozenset[int | str]:
        """Returns the values of an enumeration, which is a type with constants of consecutive numbers or of texts; none
        for any other type."""
        found = self.home(kind)
        listed = found[0].constants.get(found[1], []) if found is not None else []
        numbers = {one for one in listed if isinstance(one, int)}
        texts = {one for one in listed if isinstance(one, str)}
        values = numbers or texts
        whole = len(values) > 1 and len(numbers | texts) == len(values) and None not in listed
        consecutive = not numbers or max(numbers) - min(numbers) < len(numbers)
        return frozenset(values) if whole and consecutive else frozenset()

    def constant_value(self, name: str) -> Declared | None:
        """Returns the value of a variable of the package that is never set again; None for any other name."""
        value = self.values.get(name)
        return value if value is not None and self._is_set_once(name) else None

    def package_at(self, path: str) -> Package | None:
        """Returns a package of the same module, by its import path."""
        if path not in self._others:
            self._others[path] = self.other(path)
        return self._others[path]

    def number(self, module: str, name: str) -> int | None:
        """Returns the value of a constant in another package; None if it is not known."""
        package = self.package_at(module)
        return package.numbers.get(name) if package is not None else None

    def literal(self, module: str, name: str) -> str | None:
        """Returns the literal of a constant text of this package (no ``module``) or another one; None if it is not
        known."""
        package = self.package_at(module) if module else self
        return package.texts.get(name) if package is not None else None

    def _forward(self, number: int, name: str, target: Node) -> None:
        package = target.child_by_field_name("operand") if target.type == "selector_expression" else None
        module = self.imports[number].get(text(package)) if package is not None else None
        if module is not None:
            self.forwards.setdefault(name, f"{module}.{text(target.child_by_field_name('field'))}")

    def meant(self, module: str, name: str) -> str:
        """Returns the dotted name of what a name in another package stands for: its own, or that which it forwards
        to."""
        for _ in range(MAX_HOPS):
            package = self.package_at(module)
            if package is None or name not in package.forwards:
                break
            module, _, name = package.forwards[name].rpartition(".")
        return f"{module}.{name}"

    def receiver_of(self, number: int, node: Node) -> tuple[str, str] | None:
        """Returns the name and the type of a method's receiver; None for a function."""
        found = self.parameters(number, node.child_by_field_name("receiver"))
        return found[0] if found else None

    def _type(self, number: int, spec: Node) -> None:
        name = text(spec.child_by_field_name("name"))
        self.types.add(name)
        body = spec.child_by_field_name("type")
        if body is not None and body.type in ("interface_type", "function_type"):
            self.nil_types.add(name)
        if body is not None and body.type == "interface_type":
            own = [one.child_by_field_name("name") for one in parts(body)]
            self.interfaces[name] = tuple(map(text, own)) if all(own) else ()
        if body is not None and body.type in ("slice_type", "map_type"):
            self.nil_types.add(name)
            self.lists[name] = number, body
        if body is None or body.type != "struct_type":
            return
        fields = self.fields.setdefault(name, {})
        for one in (each for part in body.named_children for each in part.named_children):
            if one.type != "field_declaration":
                continue
            kind = self.type_name(number, one.child_by_field_name("type"))
            names = [text(each) for each in one.children_by_field_name("name")]
            for each in names or [kind.rpartition(".")[2]]:
                fields[each] = kind
            if not names:
                self.embedded.setdefault(name, []).append(kind)

    def parameters(self, number: int, node: Node | None) -> list[tuple[str, str]]:
        """Returns the names and types of parameters or results; a result without a name has an empty one."""
        if node is None:
            return []
        if node.type != "parameter_list":
            return [("", self.type_name(number, node))]
        found: list[tuple[str, str]] = []
        for one in parts(node):
            kind = self.type_name(number, one.child_by_field_name("type"))
            kind = f"[]{kind}" if one.type == "variadic_parameter_declaration" else kind
            names = [text(each) for each in one.children_by_field_name("name")] or [""]
            found.extend((each, kind) for each in names)
        return found

    def type_name(self, number: int, node: Node | None, depth: int = 0) -> str:
        """Returns the name of a type: ``T``, ``unix.Stat_t``, ``[]T``, ``map[]T``; empty for one without a name.
        ``depth``: the number of types around it."""
        if node is None or depth > MAX_DEPTH:
            return ""
        match node.type:
            case "type_identifier" | "identifier":
                return text(node)
            case "qualified_type":
                package = text(node.child_by_field_name("package"))
                return f"{self.imports[number].get(package, package)}.{text(node.child_by_field_name('name'))}"
            case "pointer_type" | "parenthesized_type" if node.named_children:
                return self.type_name(number, node.named_children[0], depth + 1)
            case "slice_type" | "array_type":
                return f"{SLICE}{self.type_name(number, node.child_by_field_name('element'), depth + 1)}"
            case "map_type":
                return f"{MAP}{self.type_name(number, node.child_by_field_name('value'), depth + 1)}"
            case "generic_type":
                return self.type_name(number, node.child_by_field_name("type"), depth + 1)
            case "function_type":
                return FUNCTION
        return ""

    def home(self, kind: str) -> tuple[Package, str, str] | None:
        """Returns the package that declares a type, the type's name there, and the prefix of its types' names in this
        package; None for a type outside the module."""
        path, dot, name = kind.rpartition(".")
        if not dot:
            return (self, name, "") if name in self.types else None
        found = self.package_at(path)
        return (found, name, f"{path}.") if found is not None and name in found.types else None

    def written(self, kind: Node | None) -> Node | None:
        """Returns the slice or map type that a name of this package stands for; any other type as it is."""
        return self.lists[text(kind)][1] if text(kind) in self.lists else kind

    def spelled_out(self, kind: str) -> str:
        """Returns a slice or map that has a name of its own as ``[]T`` or ``map[]T``; any other type as it is."""
        found = self.home(kind)
        if found is None or found[1] not in found[0].lists:
            return kind
        package, name, prefix = found
        return package.seen_from(prefix, package.type_name(*package.lists[name]))

    def field_type(self, owner: str, name: str) -> str:
        """Returns the type of a struct's field, its own or an embedded one; empty if it is unknown."""
        for package, one, prefix, _ in self._with_embedded(owner):
            if name in package.fields.get(one, {}):
                return package.seen_from(prefix, package.fields[one][name])
        return ""

    def is_object(self, kind: str) -> bool:
        """Whether a value of a type is certainly no number: a struct, an interface, a file, a map of any values."""
        if kind in _OBJECTS or kind in self.catalog.owners or kind in _MAPS:
            return True
        found = self.home(kind)
        return found is not None and (found[1] in found[0].fields or found[1] in found[0].interfaces)

    def struct(self, kind: str) -> Sequence[str] | None:
        """Returns the names of the fields, in order, of a struct that may keep descriptors; None for any other type."""
        found = self.home(kind)
        if found is None:
            known = self.catalog.structs.get(kind)
            return () if known and self._ignores(kind, known) else known
        return tuple(found[0].fields[found[1]]) if found[0]._keeps(found[1]) else None

    def _ignores(self, kind: str, fields: Sequence[str]) -> bool:
        """Whether the text has a list of a kind of structs, as the kernel fills with events, and reads no field of one
        other than to compare it, or as a key."""
        listed = re.compile(rb"\]\w+\.%s\b" % kind.rpartition(".")[2].encode())
        names = "|".join(fields).encode()
        read = re.compile(rb"(?m)^(?!.*[=!]=|\s*switch\b(?!.*:=)).*[\w\])]\.(?:%s)\b(?!\()" % names)
        key = re.compile(rb"\[(?:\w+\()?[\w.]+\.(?:%s)\)?\]" % names)
        texts = [key.sub(b"", file.data) for file in self.files]
        return any(map(listed.search, texts)) and not any(map(read.search, texts))

    def followed(self, kind: str) -> Sequence[str] | None:
        """Returns the names of the fields, in order, of a struct that keeps descriptors or has a number; None for any
        other type."""
        found = self.home(kind)
        if found is None or self.struct(kind) is not None:
            return self.struct(kind)
        fields = found[0].fields.get(found[1], {})
        return tuple(fields) if not NUMBERS.isdisjoint(fields.values()) else None

    def _keeps(self, name: str) -> bool:
        """Whether a struct has a file, a number that one of its methods may close, or another struct with one."""
        if name not in self._keeping:
            self._keeping[name] = False  # for a struct that contains itself
            kinds = [item_type(one) for one in self.fields.get(name, {}).values()]
            closes = NUMBERS.intersection(kinds) and name in self._closing()
            self._keeping[name] = any(
                one in self.catalog.owners or (closes and one in NUMBERS) or self._keeps_other(one) for one in kinds
            )
        return self._keeping[name]

    def _closing(self) -> set[str]:
        """Returns the types with a method that may close something, as far as its text tells."""
        if self._closers is None:
            names = map(re.escape, sorted(self.catalog.closers))
            word = re.compile(rb"\b(?:%s)\b" % ("|".join(names) or "(?!)").encode())
            self._closers = {
                name.rpartition(".")[0]
                for name, one in self.functions.items()
                if word.search(one.source.data, one.start, one.end)
            }
        return self._closers

    def _keeps_other(self, kind: str) -> bool:
        found = self.home(kind)
        return found is not None and found[0]._keeps(found[1])

    def method(self, owner: str, name: str) -> tuple[str, tuple[str, ...]] | None:
        """Returns the qualified name of a method of a type, its own or an embedded one, and the types of its results.
        The name of a method in another package begins with that package's path."""
        for package, one, prefix, _ in self._with_embedded(owner):
            found = package.functions.get(f"{one}.{name}")
            if found is not None:
                return f"{prefix}{one}.{name}", tuple(package.seen_from(prefix, each) for each in found.results)
        return None

    def way_to(self, owner: str, name: str) -> tuple[str, ...]:
        """Returns the embedded fields that lead from a struct to the one with a field or method; empty if it is the
        struct's own, or unknown."""
        for package, one, _, way in self._with_embedded(owner):
            if name in package.fields.get(one, {}) or f"{one}.{name}" in package.functions:
                return way
        return ()

    def methods_named(self, name: str) -> Sequence[str]:
        """Returns the qualified names of the methods of this name."""
        if not self._methods:
            for one in self.functions:
                owner, _, last = one.rpartition(".")
                if owner:
                    self._methods.setdefault(last, []).append(one)
        return self._methods.get(name, ())

    def twins(self, qualified: str) -> Iterator[Declared]:
        """Yields the definitions of a function: one, or one for each system."""
        while qualified in self.functions:
            yield self.functions[qualified]
            qualified += "#"

    def for_file(self, qualified: str, file: int) -> str:
        """Returns the name of the definition of a function that is meant in a file: its own one, if it has one beside
        those for other systems."""
        name = qualified
        while name in self.functions:
            if self.functions[name].file == file:
                return name
            name += "#"
        return qualified

    def results(self, path: str, name: str) -> tuple[str, ...]:
        """Returns the types of the results of a function in a package of the same module."""
        package = self.package_at(path) if path else self
        found = package.functions.get(name) if package is not None else None
        prefix = f"{path}." if path else ""
        return tuple(package.seen_from(prefix, one) for one in found.results) if found and package else ()

    def seen_from(self, prefix: str, kind: str) -> str:
        """Returns the name of a type of this package in a package that knows it under a prefix."""
        bare = item_type(kind)
        return f"{kind.removesuffix(bare)}{prefix}{bare}" if bare in self.types else kind

    def _with_embedded(self, owner: str) -> Iterator[tuple[Package, str, str, tuple[str, ...]]]:
        """Yields the home of a struct and of those that it embeds, with the fields that lead there."""
        seen: set[str] = set()
        pending: list[tuple[str, tuple[str, ...]]] = [(owner, ())]
        while pending:
            kind, way = pending.pop()
            found = self.home(kind) if kind not in seen else None
            seen.add(kind)
            if found is not None:
                package, name, prefix = found
                yield package, name, prefix, way
                for one in package.embedded.get(name, []):
                    pending.append((package.seen_from(prefix, one), (*way, one.rpartition(".")[2])))


def _forwarded(node: Node) -> Node | None:
    """Returns the function that a function only calls with its own parameters, as wrappers for other systems do."""
    body, listed = node.child_by_field_name("body"), node.child_by_field_name("parameters")
    if body is None or listed is None or body.named_child_count != 1 or body.named_children[0].named_child_count != 1:
        return None
    only = body.named_children[0].named_children[0]
    if only.type != "return_statement" or only.named_child_count != 1:
        return None
    values = only.named_children[0].named_children
    call = values[0] if len(values) == 1 and values[0].type == "call_expression" else None
    if call is None:
        return None
    names = [text(each) for one in listed.named_children for each in one.children_by_field_name("name")]
    same = [text(one).removesuffix("...") for one in arguments_of(call)] == names
    return call.child_by_field_name("function") if same else None


def specs(declaration: Node) -> Iterator[Node]:
    """Yields the single declarations of a ``var``, an ``import`` or a ``type``, in parentheses or not."""
    for one in declaration.named_children:
        if one.type.endswith("_spec_list"):
            yield from parts(one)
        elif one.type.endswith("_spec"):
            yield one


def _usual_name(path: str) -> str:
    """Returns the name that a package has by custom: the last part of its path that is no version."""
    parts = [one for one in path.split("/") if not (one[:1] == "v" and one[1:].isdigit())]
    last = parts[-1] if parts else path
    last = last.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    return last.partition(".v")[0].replace("-", "")
