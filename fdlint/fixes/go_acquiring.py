"""The statement of Go that acquires what a finding is about, how its variables are closed, and where they are used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fdlint.catalog import NO_MODELS
from fdlint.catalog.model import FreshList
from fdlint.core.finding import Finding
from fdlint.fixes.acquiring import subjects
from fdlint.fixes.go_file import GoText, below, following, function_around, named
from fdlint.languages.go.catalog import go_catalog_of
from fdlint.languages.go.lowering.constants import Node
from fdlint.languages.go.names import TELLS

PACKAGES = ("golang.org/x/sys/unix", "syscall")
_LEAVING = ("return_statement", "goto_statement", "break_statement", "continue_statement")
_BOUND = ("short_var_declaration", "assignment_statement")
NUMERIC = ("int", "uintptr", "int32", "uint32")
_TELLING = re.compile(TELLS)


@dataclass(frozen=True, slots=True)
class Acquired:
    """An acquisition. ``closes``: the statement that closes each variable. ``behind``: the statement after which they
    are bound. ``function``: where it is."""

    file: GoText
    closes: Mapping[str, str]
    behind: Node
    function: Node

    @property
    def listed(self) -> str:
        """The names, for titles."""
        return " and ".join(f"`{name}`" for name in self.closes)

    @property
    def is_object(self) -> bool:
        """Whether the variables are objects that close what they hold, also twice."""
        return all(close == f"{name}.Close()" for name, close in self.closes.items())

    @property
    def is_list(self) -> bool:
        """Whether the variables are lists."""
        return any("\n" in close for close in self.closes.values())

    def uses(self) -> Sequence[Node]:
        """Returns where the function uses the variables after they are bound."""
        start = self.behind.end_byte
        found = (one for name in self.closes for one in named(self.file, self.function, name))
        return [one for one in found if one.start_byte > start]

    def is_indexed(self, name: Node) -> bool:
        """Whether a use takes one item of a list."""
        return name.parent is not None and name.parent.type == "index_expression"

    def is_asked(self, name: Node) -> bool:
        """Whether a use only asks for the length of a list."""
        call = name.parent.parent if name.parent is not None else None
        callee = call.child_by_field_name("function") if call is not None else None
        return callee is not None and self.file.code(callee) == "len"

    def closing(self) -> list[Node]:
        """Returns the statements that close a variable and do nothing else."""
        wanted = {spelled for close in self.closes.values() for spelled in (close, f"_ = {close}")}
        kinds = ("expression_statement", "assignment_statement")
        return [one for one in below(self.function) if one.type in kinds and self.file.code(one) in wanted]

    def is_only_told(self, name: Node) -> bool:
        """Whether a use only puts the variable into a message."""
        at = name.parent
        while at is not None and at.type in ("argument_list", "call_expression", "selector_expression"):
            callee = at.child_by_field_name("function") if at.type == "call_expression" else None
            if callee is not None and _TELLING.fullmatch(self.file.code(callee).partition(".")[0]):
                return True
            at = at.parent
        return False


def acquired(file: GoText, finding: Finding) -> Acquired | None:
    """Returns the acquisition of a finding about a leak, if local variables hold what it gave and the next statement
    leaves in case of an error."""
    call, names = file.call(finding.span), subjects(finding)
    line = file.statement(call) if call is not None else None
    function = function_around(line) if line is not None else None
    if call is None or line is None or function is None or not names or line.type not in _BOUND:
        return None
    left = line.child_by_field_name("left")
    bound = [file.code(one) for one in left.named_children] if left is not None else []
    if not set(names) <= set(bound):
        return None
    behind = line
    if len(bound) > len(names):
        check = following(line)
        if check is None or not is_check(file, check, bound[-1]):
            return None
        behind = check
    found = Acquired(file, dict.fromkeys(names, ""), behind, function)
    closes = {name: _close(found, call, name, finding) for name in names}
    return Acquired(file, closes, behind, function) if all(closes.values()) else None


def is_check(file: GoText, statement: Node, error: str) -> bool:
    """Whether a statement leaves if there is an error, and does nothing else."""
    condition, body = statement.child_by_field_name("condition"), statement.child_by_field_name("consequence")
    if statement.type != "if_statement" or condition is None or body is None:
        return False
    if statement.child_by_field_name("alternative") is not None or file.code(condition) != f"{error} != nil":
        return False
    inner = [
        node for node in below(body) if node.parent is not None and node.parent.type in ("block", "statement_list")
    ]
    last = [node for node in inner if node.is_named and node.type not in ("comment", "statement_list")][-1:]
    return bool(last) and last[0].type in _LEAVING


def _close(found: Acquired, call: Node, name: str, finding: Finding) -> str:
    """Returns the statement that closes a variable; empty if its type is not clear."""
    file = found.file
    package = next((bound for path in PACKAGES if (bound := file.imports.get(path)) is not None), "")
    uses = [one for one in named(file, found.function, name) if one.start_byte >= found.behind.start_byte]
    kinds = {_kind(file, one) for one in uses} - {""}
    if not kinds:
        kinds = {_kind_of_call(file, call, finding)}
    if kinds == {"object"}:
        return f"{name}.Close()"
    if kinds == {"number"} and package:
        return f"{package}.Close({name})"
    if kinds == {"list"} and package:
        each = next((one for one in ("fd", "each", "number") if not named(file, found.function, one)), "")
        return loop(each, name, f"{package}.Close") if each else ""
    return ""


def loop(each: str, name: str, close: str) -> str:
    """Returns a loop that closes the items of a list."""
    return f"for _, {each} := range {name} {{\n\t{close}({each})\n}}"


def _kind(file: GoText, name: Node) -> str:
    """Returns what a use tells about the type of a variable: an object, a number, a list, or nothing."""
    above = name.parent
    if above is None:
        return ""
    if above.type == "selector_expression" and above.child_by_field_name("operand") == name:
        return "object"
    if above.type in ("index_expression", "slice_expression") and above.child_by_field_name("operand") == name:
        return "list"
    if above.type == "range_clause" and above.child_by_field_name("right") == name:
        return "list"
    if above.type == "argument_list" and above.parent is not None:
        callee = above.parent.child_by_field_name("function")
        spelled = file.code(callee) if callee is not None else ""
        if spelled == "len":
            return "list"
        first = [one for one in above.named_children if one.type != "comment"][:1] == [name]
        direct = spelled.partition(".")[0] in {file.imports.get(path) for path in PACKAGES}
        return "number" if spelled in NUMERIC or (direct and first) else ""
    if above.type == "binary_expression":
        other = [one for one in above.named_children if one != name]
        return "number" if other and file.code(other[0]).lstrip("-").isdecimal() else ""
    return ""


def _kind_of_call(file: GoText, call: Node, finding: Finding) -> str:
    """Returns what an acquiring call itself gives."""
    callee = call.child_by_field_name("function")
    spelled = file.code(callee) if callee is not None else ""
    package, _, last = spelled.rpartition(".")
    api = finding.api or ""
    if last != api.rpartition(".")[2]:
        return ""  # a function of the project
    models = go_catalog_of(NO_MODELS).lookup(api) or go_catalog_of(NO_MODELS).lookup(f"*.{last}")
    if any(isinstance(one.returns, FreshList) for one in models):
        return "list"
    if any(one.finalized for one in models):
        return "object"
    return "number" if package in {file.imports.get(path) for path in PACKAGES} else ""


def tells(found: Acquired, node: Node) -> bool:
    """Whether all calls in a node only make or print a message."""
    return all(_TELLING.fullmatch(found.file.code(one).partition(".")[0]) for one in callees(node))


def callees(root: Node) -> Iterator[Node]:
    """Yields the functions that a node calls."""
    for node in below(root):
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        if callee is not None:
            yield callee
