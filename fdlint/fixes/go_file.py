"""A Go file that is to be repaired: its tokens, its statements, and edits of its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fdlint.findings.finding import Span
from fdlint.fixes.trees import Change, Inserted, Removed, Replaced
from fdlint.frontend.go.package import Node
from fdlint.frontend.go.source import GoFile

_STATEMENTS = ("block", "statement_list")
_LAYOUT = ("comment", "\n", ";")


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

    def statement(self, node: Node) -> Node | None:
        """Returns the statement around a node."""
        at: Node | None = node
        while at is not None and (at.parent is None or at.parent.type not in _STATEMENTS):
            at = at.parent
        return at

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


def following(node: Node) -> Node | None:
    """Returns the next statement in the same block."""
    after = node.next_named_sibling
    while after is not None and after.type == "comment":
        after = after.next_named_sibling
    return after


def function_around(node: Node) -> Node | None:
    """Returns the function around a node; None if there is a loop in between."""
    at = node.parent
    while at is not None and at.type not in ("function_declaration", "method_declaration", "func_literal"):
        if at.type == "for_statement":
            return None
        at = at.parent
    return at


def go_differs_only(before: str, after: str, changes: Iterable[Change]) -> bool:
    """Whether one Go text differs from another only in tokens that a fix declares, each change exactly once."""
    old, new = GoText(before), GoText(after)
    if new.root.has_error or old.root.has_error:
        return False
    left = [_ends(one) for one in changes]
    before_tokens, after_tokens = _tokens(old), _tokens(new)
    at = to = 0
    while at < len(before_tokens) or to < len(after_tokens):
        fits = [
            one
            for one in left
            if before_tokens[at : at + len(one[0])] == one[0] and after_tokens[to : to + len(one[1])] == one[1]
        ]
        same = before_tokens[at : at + 1] == after_tokens[to : to + 1]
        if fits and (not same or fits[0][0]):
            left.remove(fits[0])
            at, to = at + len(fits[0][0]), to + len(fits[0][1])
        elif same:
            at, to = at + 1, to + 1
        else:
            return False
    return not left


def _ends(change: Change) -> tuple[list[str], list[str]]:
    """Returns the tokens before and after a change."""
    if isinstance(change, Inserted):
        return [], _tokens(GoText(change.code))
    if isinstance(change, Removed):
        return _tokens(GoText(change.code)), []
    if isinstance(change, Replaced):
        return _tokens(GoText(change.before)), _tokens(GoText(change.after))
    raise ValueError(f"no change of Go: {change}")


def _tokens(text: GoText) -> list[str]:
    return [text.code(node) for node in below(text.root) if not node.children and _counts(text, node)]


def _counts(text: GoText, node: Node) -> bool:
    return node.type not in _LAYOUT and bool(text.code(node).strip())


def named(text: GoText, root: Node, name: str) -> Sequence[Node]:
    """Returns the occurrences of a variable below a node."""
    return [node for node in below(root) if node.type == "identifier" and text.code(node) == name]
