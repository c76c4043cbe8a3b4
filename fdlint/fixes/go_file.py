"""A Go file that is to be repaired: its tokens, its statements, and edits of its text."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from fdlint.core.finding import Span
from fdlint.fixes.trees import Change, Inserted, Removed, Replaced
from fdlint.languages.go.lowering.constants import Node
from fdlint.languages.go.lowering.source import GoFile

_STATEMENTS = ("block", "statement_list")
_LAYOUT = ("comment", "\n", ";")
FUNCTIONS = ("function_declaration", "method_declaration", "func_literal")
_MAX_TRIED = 1_000_000  # tokens to compare
_Ends: TypeAlias = tuple[list[str], list[str]]


class TextEdit(NamedTuple):
    """New text for a range of bytes."""

    start: int
    end: int
    text: str


@dataclass(eq=False)
class GoText:
    """A parsed file. ``text``: its source."""

    text: str
    data: bytes = field(init=False)
    root: Node = field(init=False)

    def __post_init__(self) -> None:
        self.data = self.text.encode()
        self._file = GoFile(Path("a.go"), "a.go", self.data)
        self.root = self._file.root

    def code(self, node: Node) -> str:
        """Returns the source of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def call(self, span: Span) -> Node | None:
        """Returns the call at a span of a finding."""
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        at = self._file.position
        calls = (node for node in below(self.root) if node.type == "call_expression")
        return next((one for one in calls if at(one.start_byte) == start and at(one.end_byte) == end), None)

    @functools.cached_property
    def imports(self) -> Mapping[str, str]:
        """The name of each imported package in the file, by its path."""
        found: dict[str, str] = {}
        for node in below(self.root):
            path = node.child_by_field_name("path") if node.type == "import_spec" else None
            if path is not None:
                name, spelled = node.child_by_field_name("name"), self.code(path).strip('"`')
                found[spelled] = self.code(name) if name is not None else spelled.rpartition("/")[2]
        return found

    def line_of(self, node: Node) -> int:
        """Returns the line where a node begins, from 1."""
        return self._file.position(node.start_byte)[0]

    def last_line_of(self, node: Node) -> int:
        """Returns the line where a node ends, from 1."""
        return self._file.position(node.end_byte)[0]

    def statement(self, node: Node) -> Node | None:
        """Returns the statement around a node."""
        return next(
            (one for one in (node, *above(node)) if one.parent is not None and one.parent.type in _STATEMENTS), None
        )

    def indent(self, node: Node) -> str:
        """Returns the whitespace before the line of a node."""
        start = self.data.rfind(b"\n", 0, node.start_byte) + 1
        line = self.data[start : node.start_byte].decode("utf-8", "replace")
        return line[: len(line) - len(line.lstrip())]

    def whole_line(self, node: Node) -> tuple[int, int] | None:
        """Returns the bytes of the line of a node, with its end; None if it is not alone on one line."""
        start = self.data.rfind(b"\n", 0, node.start_byte) + 1
        end = self.data.find(b"\n", node.end_byte) + 1 or len(self.data)
        alone = not self.data[start : node.start_byte].strip() and not self.data[node.end_byte : end].strip()
        return (start, end) if alone else None

    def line_end(self, node: Node) -> int | None:
        """Returns where the last line of a node ends, if only a comment stands behind it there."""
        end = self.data.find(b"\n", node.end_byte)
        rest = self.data[node.end_byte : end if end >= 0 else len(self.data)]
        kept = rest.rstrip()
        return node.end_byte + len(kept) if not kept.strip() or kept.strip().startswith(b"//") else None

    def without(self, node: Node) -> TextEdit | None:
        """Returns the removal of the line of a node, with an empty line before it that would then end a block or stand
        before another one. Returns None if the node is not alone on one line."""
        line = self.whole_line(node)
        if line is None:
            return None
        start, end = line
        before = self.data.rfind(b"\n", 0, start - 1) + 1
        rest = self.data[end : self.data.find(b"\n", end) + 1 or len(self.data)].strip()
        if not self.data[before:start].strip() and (not rest or rest.startswith(b"}")):
            start = before
        return TextEdit(start, end, "")

    @property
    def newline(self) -> str:
        """The end of the first line."""
        return "\r\n" if self.data[: self.data.find(b"\n") + 1].endswith(b"\r\n") else "\n"

    def edited(self, edits: Iterable[TextEdit]) -> str:
        """Returns the text after some edits that do not overlap."""
        data = self.data
        for one in sorted(edits, reverse=True):
            data = data[: one.start] + one.text.encode() + data[one.end :]
        return data.decode()


def below(root: Node) -> Iterator[Node]:
    """Yields a node and all nodes below it, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def above(node: Node) -> Iterator[Node]:
    """Yields the nodes around a node, the innermost first."""
    at = node.parent
    while at is not None:
        yield at
        at = at.parent


def following(node: Node) -> Node | None:
    """Returns the next statement in the same block."""
    after = node.next_named_sibling
    while after is not None and after.type == "comment":
        after = after.next_named_sibling
    return after


def function_around(node: Node) -> Node | None:
    """Returns the function around a node; None if there is a loop in between."""
    around = next((one for one in above(node) if one.type in (*FUNCTIONS, "for_statement")), None)
    return around if around is not None and around.type in FUNCTIONS else None


def go_differs_only(before: str, after: str, changes: Iterable[Change]) -> bool:
    """Whether one Go text differs from another only in tokens that a fix declares, each change exactly once."""
    old, new = GoText(before), GoText(after)
    if new.root.has_error or old.root.has_error:
        return False
    return _leads_to(_tokens(old), _tokens(new), [_ends(one) for one in changes])


def _leads_to(before: Sequence[str], after: Sequence[str], changes: Sequence[_Ends]) -> bool:
    """Whether some tokens become others by all changes in some order. Equal tokens can belong to a change or not, so it
    tries both, within a limit."""
    waiting = [(0, 0, tuple(range(len(changes))))]
    seen = set(waiting)
    while waiting and len(seen) < _MAX_TRIED:
        at, to, left = waiting.pop()
        if at == len(before) and to == len(after) and not left:
            return True
        following = []
        for one in left:
            gone, come = changes[one]
            if before[at : at + len(gone)] == gone and after[to : to + len(come)] == come:
                rest = tuple(other for other in left if other != one)
                following.append((at + len(gone), to + len(come), rest))
        if before[at : at + 1] == after[to : to + 1] and at < len(before):
            following.append((at + 1, to + 1, left))
        new = [one for one in following if one not in seen]
        seen.update(new)
        waiting += new
    return False


def _ends(change: Change) -> _Ends:
    """Returns the tokens before and after a change."""
    if isinstance(change, Inserted):
        return [], _tokens(GoText(change.code))
    if isinstance(change, Removed):
        return _tokens(GoText(change.code)), []
    if isinstance(change, Replaced):
        return _tokens(GoText(change.before)), _tokens(GoText(change.after))
    raise ValueError(f"no change of Go: {change}")


def _tokens(text: GoText) -> list[str]:
    leaves = (node for node in below(text.root) if not node.children and node.type not in _LAYOUT)
    return [code for code in map(text.code, leaves) if code.strip()]


def named(text: GoText, root: Node, name: str) -> Sequence[Node]:
    """Returns the occurrences of a variable below a node."""
    return [node for node in below(root) if node.type == "identifier" and text.code(node) == name]
