"""FD101 to FD104, FD106, FD109 and FD110 in Go: ``defer unix.Close(fd)`` or ``defer f.Close()`` behind the error check,
or a close before each return or before the variable is overwritten."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator

from fdlint.catalog.repairs import repairs_of
from fdlint.core.finding import EventKind, Finding, Holding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.go_acquiring import Acquired, acquired, callees, is_check, loop, tells
from fdlint.fixes.go_file import GoText, TextEdit, above, below, following, named
from fdlint.fixes.go_leaving import leaves
from fdlint.fixes.trees import Change, Inserted, Removed
from fdlint.languages.go.lowering.constants import Node
from fdlint.scan.reading.lines import split_at_newlines

CODES = ("FD101", "FD102", "FD103", "FD104", "FD106", "FD109", "FD110")

_SIMPLE = ("return_statement", "short_var_declaration", "assignment_statement", "expression_statement")
_NOTHING, _NO_ERROR, _ALL = re.compile(r"\bnil$"), re.compile(r"(?<!\berr)$"), re.compile("")
"""Statements that return no error, that do not return the last error, and all."""
_LATER = ("func_literal", "go_statement", "defer_statement")


def propose(file: GoText, finding: Finding) -> Iterator[Candidate]:
    """Proposes the ``defer`` if the function gives the descriptor to nobody, otherwise closes before each return that
    does not give it away."""
    found = acquired(file, finding)
    if found is None:
        return
    names = (file.code(node).rpartition(".")[2] for node in callees(found.function))
    lasting = any(name.startswith(repairs_of("go").lasting) for name in names)
    sole = finding.holding is Holding.SOLE or (finding.holding is Holding.COLLECTED and found.is_object)
    if finding.code == "FD110":
        yield from _after_the_start(found, finding, sole)
    if finding.code == "FD109" and found.is_list:
        yield from _the_rest(found, sole)
    if leaves(file, found.function, tuple(found.closes), found.behind.end_byte):
        return
    if finding.code == "FD106":
        yield from _before_overwriting(found, finding, sole)
        return
    if _is_local(found) and not found.is_list:
        yield from _deferred(found, sole and not lasting)
    if finding.code != "FD101" or found.is_list:
        only = sole or (finding.holding is Holding.GIVES and _is_only_returned(found))
        if any(_is_cleanup(one) for one in found.uses()):
            for pattern in (_NOTHING, _NO_ERROR):
                yield from _before_returns(found, only and not lasting, pattern)
        yield from _before_returns(found, only and not lasting)


def _is_local(found: Acquired) -> bool:
    """Whether the function only passes the variables to calls, compares them or calls their methods, and no closure
    sees them."""
    for one in found.uses():
        at = one.parent
        if at is None or at.type not in ("argument_list", "binary_expression", "selector_expression"):
            return False
        if at.type == "selector_expression" and (at.parent is None or at.parent.type != "call_expression"):
            return False
        if any(around.type in _LATER for around in itertools.takewhile(lambda n: n != found.function, above(one))):
            return False
    return True


def _is_only_returned(found: Acquired) -> bool:
    """Whether the function gives the variables away by ``return`` alone."""
    for one in found.uses():
        at = one.parent
        if at is not None and at.type in ("expression_list", "selector_expression"):
            at = at.parent
        if at is None or at.type not in ("argument_list", "binary_expression", "return_statement", "call_expression"):
            return False
    return True


def _deferred(found: Acquired, sound: bool) -> Iterator[Candidate]:
    file, behind = found.file, found.file.line_end(found.behind)
    if behind is None:
        return
    codes = [f"defer {close}" for close in found.closes.values()]
    edits = [_lines_behind(file, found.behind, behind, codes)]
    changes: list[Change] = [Inserted(code) for code in codes]
    for one in found.closing():
        last, gone = one, file.without(one)
        while (after := following(last)) is not None and after in found.closing():
            last = after
        if gone is None or not _leads_out(found.function, last):
            return  # something would now happen before the close
        edits.append(gone)
        changes.append(Removed(file.code(one)))
    yield Candidate(f"Defer the close of {found.listed}", file.edited(edits), changes, sound)


def _leads_out(function: Node, statement: Node) -> bool:
    """Whether nothing happens after a statement before the function returns."""
    at: Node | None = statement
    while at is not None and at != function and at.type not in ("for_statement", "func_literal"):
        after = following(at) if at.parent is not None and at.parent.type in ("block", "statement_list") else None
        if after is not None:
            return after.type == "return_statement" and not any(one.type == "call_expression" for one in below(after))
        at = at.parent
    return at == function


def _is_cleanup(use: Node) -> bool:
    """Whether a use is in a deferred function, which may close after an error only."""
    return any(one.type == "defer_statement" for one in above(use))


def _before_returns(found: Acquired, sound: bool, which: re.Pattern[str] = _ALL) -> Iterator[Candidate]:
    """Closes before the returns that do not. ``which``: only those that match."""
    file = found.file
    edits: list[TextEdit] = []
    changes: list[Change] = []
    closing = found.closing()
    for node in below(found.function):
        if node.type != "return_statement" or node.start_byte < found.behind.end_byte:
            continue
        if not which.search(file.code(node)):
            continue
        line, codes, around = file.whole_line(node), list[str](), [*above(node)]
        for name, close in found.closes.items():
            done = any(
                one.end_byte <= node.start_byte and one.parent in around
                for one in closing
                if file.code(one).removeprefix("_ = ") == close
            )
            given = any(not found.is_only_told(one) for one in named(file, node, name))
            codes += [close] if not done and not given else []
        if codes and (line is None or not _is_in(found.function, node)):
            return
        sound = sound and (not codes or tells(found, node))
        if codes and line is not None:
            edits.append(_lines_before(file, node, line[0], codes))
            changes += map(Inserted, codes)
    if edits:
        yield Candidate(f"Close {found.listed} before each return", file.edited(edits), changes, sound)


def _after_the_start(found: Acquired, finding: Finding, sound: bool) -> Iterator[Candidate]:
    """Closes once the child has its copy, and before each return until then. What the parent uses later stays open."""
    file = found.file
    started = [event.span.line for event in finding.trace if event.kind is EventKind.SPAWNED]
    at = following(found.behind)
    while at is not None and started and file.line_of(at) <= started[-1]:
        start, at = at, following(at)
        if started[-1] > file.last_line_of(start):
            continue
        check = at if at is not None and is_check(file, at, "err") else None
        after = check or start
        behind = file.line_end(after)
        if behind is None or any(one.start_byte > after.end_byte for one in found.uses()):
            return
        codes = list(found.closes.values())
        edits = [_lines_behind(file, after, behind, codes)]
        for node in below(found.function):
            line = file.whole_line(node) if node.type == "return_statement" else None
            if found.behind.end_byte < node.start_byte < after.end_byte and line is not None:
                edits.append(_lines_before(file, node, line[0], codes))
        changes = [Inserted(code) for code in codes] * len(edits)
        yield Candidate(f"Close {found.listed} once the child has started", file.edited(edits), changes, sound)
        return


def _the_rest(found: Acquired, sound: bool) -> Iterator[Candidate]:
    """Closes what comes behind the highest index, right before the first statement that uses one."""
    file, highest = found.file, -1
    name, close = next(iter(found.closes.items()))
    extra = next((one for one in ("extra", "extraFD") if not named(file, found.function, one)), None)
    for use in found.uses():
        above = use.parent
        index = above.child_by_field_name("index") if above is not None else None
        if index is not None and file.code(index).isdecimal():
            highest = max(highest, int(file.code(index)))
        elif not found.is_asked(use):
            return
    start = following(found.behind)
    while start is not None and not any(found.is_indexed(one) for one in named(file, start, name)):
        start = following(start)
    line = file.whole_line(start) if start is not None and start.type in _SIMPLE else None
    if highest >= 0 and start is not None and line is not None and extra is not None:
        closer = close.partition("\t")[2].partition("(")[0]
        code = loop(extra, f"{name}[{highest + 1}:]", closer)
        text = file.edited([_lines_before(file, start, line[0], [code])])
        yield Candidate(f"Close what comes behind `{name}[{highest}]`", text, [Inserted(code)], sound)


def _before_overwriting(found: Acquired, finding: Finding, sound: bool) -> Iterator[Candidate]:
    file = found.file
    lines = [event.span.line for event in finding.trace if event.kind is EventKind.OVERWRITTEN]
    codes = list(found.closes.values())
    for node in below(found.function):
        line = file.whole_line(node) if lines and node.type == "assignment_statement" else None
        right = node.child_by_field_name("right")
        if line is None or file.line_of(node) != lines[-1] or right is None:
            continue
        if not any(named(file, right, name) for name in found.closes):
            edit = _lines_before(file, node, line[0], codes)
            yield Candidate(f"Close {found.listed} first", file.edited([edit]), [Inserted(one) for one in codes], sound)
        return


def _is_in(function: Node, node: Node) -> bool:
    """Whether a statement belongs to a function itself, and to no function inside of it."""
    around = itertools.takewhile(lambda one: one != function, above(node))
    return all(one.type != "func_literal" for one in around)


def _lines_behind(file: GoText, node: Node, end: int, codes: list[str]) -> TextEdit:
    text = "".join(f"{file.newline}{line}" for line in _indented(file, node, codes))
    return TextEdit(end, end, text)


def _lines_before(file: GoText, node: Node, start: int, codes: list[str]) -> TextEdit:
    text = "".join(f"{line}{file.newline}" for line in _indented(file, node, codes))
    return TextEdit(start, start, text)


def _indented(file: GoText, node: Node, codes: list[str]) -> list[str]:
    indent = file.indent(node)
    return [line for code in codes for line in split_at_newlines(textwrap.indent(code, indent))]
