"""FD101, FD102, FD103 in Go: ``defer unix.Close(fd)`` behind the error check, or a close before each return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fdlint.findings.finding import Finding, Holding
from fdlint.fixes.acquiring import subjects
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.go_file import GoText, TextEdit, below, following, function_around, named
from fdlint.fixes.trees import Change, Inserted, Removed
from fdlint.frontend.go.package import Node

CODES = ("FD101", "FD102", "FD103")

_PACKAGES = ("unix", "syscall")
_LASTING = ("Flock", "FcntlFlock", "Setns", "Ioctl", "Listen", "Bind", "Mount", "Exec")
_LEAVING = ("return_statement", "goto_statement", "break_statement", "continue_statement")


@dataclass(frozen=True, slots=True)
class _Acquired:
    """An acquisition. ``name``: the variable; ``behind``: the statement after which it is bound; ``close``: the call
    that closes it; ``function``: where it is."""

    file: GoText
    name: str
    behind: Node
    close: str
    function: Node


def propose(file: GoText, finding: Finding) -> Iterator[Candidate]:
    """Proposes the ``defer`` if the function gives the descriptor to nobody, otherwise closes before each return that
    does not give it away."""
    found = _acquired(file, finding)
    if found is None:
        return
    lasting = any(file.code(node).rpartition(".")[2].startswith(_LASTING) for node in _callees(found.function))
    if _is_local(found):
        yield from _deferred(found, finding.holding is Holding.SOLE and not lasting)
    if finding.code != "FD101":
        only = finding.holding is Holding.SOLE or (finding.holding is Holding.GIVES and _is_only_returned(found))
        yield from _before_returns(found, only)


def _acquired(file: GoText, finding: Finding) -> _Acquired | None:
    call, names = file.call(finding.span), subjects(finding)
    line = file.statement(call) if call is not None else None
    function = function_around(line) if line is not None else None
    if call is None or line is None or function is None or len(names) != 1:
        return None
    left = line.child_by_field_name("left")
    if line.type not in ("short_var_declaration", "assignment_statement") or left is None:
        return None
    bound = [file.code(one) for one in left.named_children]
    package = file.code(call).partition(".")[0]
    if package not in _PACKAGES:
        text = file.text
        package = next((one for one in _PACKAGES if f'/{one}"' in text or f'"{one}"' in text), "")
    if names[0] not in bound or not package:
        return None
    behind = line
    if len(bound) > 1:
        check = following(line)
        if check is None or not _is_check(file, check, bound[-1]):
            return None
        behind = check
    return _Acquired(file, names[0], behind, f"{package}.Close({names[0]})", function)


def _is_check(file: GoText, statement: Node, error: str) -> bool:
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


def _callees(root: Node) -> Iterator[Node]:
    for node in below(root):
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        if callee is not None:
            yield callee


def _uses(found: _Acquired) -> Sequence[Node]:
    """Returns where the function uses the variable after it is bound."""
    return [one for one in named(found.file, found.function, found.name) if one.start_byte > found.behind.end_byte]


def _is_local(found: _Acquired) -> bool:
    """Whether the function only passes the variable to calls or compares it, and no closure sees it."""
    for one in _uses(found):
        at = one.parent
        if at is None or at.type not in ("argument_list", "binary_expression"):
            return False
        while at is not None and at != found.function:
            if at.type in ("func_literal", "go_statement", "defer_statement"):
                return False
            at = at.parent
    return True


def _is_only_returned(found: _Acquired) -> bool:
    """Whether the function gives the variable away by ``return`` alone."""
    for one in _uses(found):
        at = one.parent
        if at is not None and at.type == "expression_list":
            at = at.parent
        if at is None or at.type not in ("argument_list", "binary_expression", "return_statement"):
            return False
    return True


def _deferred(found: _Acquired, sound: bool) -> Iterator[Candidate]:
    file, code = found.file, f"defer {found.close}"
    edits = [_line_behind(found, code)]
    changes: list[Change] = [Inserted(code)]
    for one in _closes(found):
        after, line = following(one), file.whole_line(one)
        if line is None or (after is not None and not _is_quiet_return(after)):
            return  # something would now happen before the close
        edits.append(TextEdit(*line, ""))
        changes.append(Removed(file.code(one)))
    yield Candidate(f"Defer `{found.close}`", file.edited(edits), changes, sound)


def _before_returns(found: _Acquired, sound: bool) -> Iterator[Candidate]:
    file = found.file
    edits: list[TextEdit] = []
    closes = _closes(found)
    for node in below(found.function):
        if node.type != "return_statement" or node.start_byte < found.behind.end_byte:
            continue
        done = any(one.end_byte <= node.start_byte and _is_around(one.parent, node) for one in closes)
        line = file.whole_line(node)
        if done or named(file, node, found.name):
            continue
        if line is None or any(one.type == "call_expression" for one in below(node)):
            return
        edits.append(TextEdit(line[0], line[0], f"{file.indent(node)}{found.close}{file.newline}"))
    if edits:
        changes = [Inserted(found.close)] * len(edits)
        yield Candidate(f"Close `{found.name}` before each return", file.edited(edits), changes, sound)


def _is_around(block: Node | None, node: Node) -> bool:
    at: Node | None = node
    while at is not None and at != block:
        at = at.parent
    return at is not None


def _closes(found: _Acquired) -> list[Node]:
    """Returns the statements that close the variable and do nothing else."""
    wanted = (found.close, f"_ = {found.close}")
    kinds = ("expression_statement", "assignment_statement")
    return [one for one in below(found.function) if one.type in kinds and found.file.code(one) in wanted]


def _is_quiet_return(node: Node) -> bool:
    return node.type == "return_statement" and not any(one.type == "call_expression" for one in below(node))


def _line_behind(found: _Acquired, code: str) -> TextEdit:
    file, node = found.file, found.behind
    return TextEdit(node.end_byte, node.end_byte, f"{file.newline}{file.indent(node)}{code}")
