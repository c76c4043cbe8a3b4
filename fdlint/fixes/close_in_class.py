"""FD108: the class closes what it keeps: in the method that closes its other descriptors, or in a new ``close``.

It is never sound: whoever uses the objects must call the method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile, fresh, last_of, nodes, only
from fdlint.fixes.sentinels import none_of, present, sentinels
from fdlint.fixes.trees import Inserted
from fdlint.scan.reading.lines import split

CODES = ("FD108",)

_KEPT = re.compile(r" is kept in (?:`(\w+\.\w+)`|attributes) of `(?:[\w.]+\.)?(\w+)`, ")
_SHARED = re.compile(r"each of `(\w+\.\w+)` and `(\w+\.\w+)` ")
_CLOSING = ("close", "shutdown", "stop", "__exit__", "cleanup", "dispose", "terminate")
_CONSTRUCTOR, _ENTER, _EXIT = "__init__", "__enter__", "__exit__"
_EMPTY = -1
_LEAVING = (cst.Return, cst.Raise)


@dataclass(frozen=True, slots=True)
class _Keeper:
    """A class, and the attributes that nothing closes. ``methods``: its own, by name. ``filling``: the method that
    acquires."""

    file: PythonFile
    node: cst.ClassDef
    attributes: Sequence[str]
    methods: Mapping[str, cst.FunctionDef]
    filling: str

    @property
    def listed(self) -> str:
        """The attributes, for titles."""
        return " and ".join(f"`{one}`" for one in self.attributes)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the close behind another one, then at the end of a method whose name promises it, then a new method. A
    class with bases gets no new method: one of them may close already."""
    keeper = _keeper(file, finding)
    if keeper is None:
        return
    for name in (*_CLOSING, *keeper.methods):
        method = keeper.methods.get(name)
        if method is not None and _last_close(keeper, method) is not None:
            yield from _beside(keeper, method)
    for name in _CLOSING:
        if name in keeper.methods:
            yield from _at_the_end(keeper, keeper.methods[name])
    if not any(name in keeper.methods for name in (*_CLOSING, _ENTER)) and _is_plain(keeper):
        yield from _new_methods(keeper)


def _keeper(file: PythonFile, finding: Finding) -> _Keeper | None:
    kept, shared = _KEPT.search(finding.message), _SHARED.match(finding.message)
    if kept is None or (kept[1] is None and shared is None) or ", which holds a descriptor" in finding.message:
        return None
    attributes = [kept[1]] if kept[1] is not None else [*shared.groups()] if shared is not None else []
    classes = [one for one in nodes(file.module) if isinstance(one, cst.ClassDef) and one.name.value == kept[2]]
    if len(classes) != 1 or not isinstance(classes[0].body, cst.IndentedBlock):
        return None
    methods = {one.name.value: one for one in classes[0].body.body if isinstance(one, cst.FunctionDef)}
    return _Keeper(file, classes[0], attributes, methods, (finding.function or "").rpartition(".")[2])


def _is_plain(keeper: _Keeper) -> bool:
    bases = [keeper.file.code(one.value) for one in keeper.node.bases]
    return not keeper.node.decorators and not keeper.node.keywords and all(base == "object" for base in bases)


def _last_close(keeper: _Keeper, method: cst.FunctionDef) -> cst.SimpleStatementLine | None:
    """Returns the last statement of a method that closes an attribute and does nothing else."""
    file, receiver = keeper.file, keeper.attributes[0].partition(".")[0]
    found: cst.SimpleStatementLine | None = None
    for node in nodes(method.body):
        small = only(node)
        if isinstance(node, cst.SimpleStatementLine) and small is not None:
            code = file.code(small)
            closes = any(code.startswith(f"{closer}({receiver}.") for closer in file.closers)
            if closes and (found is None or file.ranges[node] > file.ranges[found]):
                found = node
    return found


def _beside(keeper: _Keeper, method: cst.FunctionDef) -> Iterator[Candidate]:
    file, close = keeper.file, _last_close(keeper, method)
    place = file.place(close) if close is not None else None
    if place is not None:
        codes = [f"{file.closers[0]}({one})" for one in keeper.attributes]
        body = [*place.block.body[: place.index + 1], *map(file.statement, codes), *place.later]
        yield _candidate(keeper, method.name.value, file.with_body(place.block, body), codes)


def _at_the_end(keeper: _Keeper, method: cst.FunctionDef) -> Iterator[Candidate]:
    file, block = keeper.file, method.body
    codes = _closing(keeper, method)
    if not isinstance(block, cst.IndentedBlock) or not codes:
        return
    last = last_of(block)
    if isinstance(last, cst.Pass) and len(block.body) == 1:
        return  # the `pass` would have to go
    at = len(block.body) - isinstance(last, _LEAVING)
    body = [*block.body[:at], *map(file.statement, codes), *block.body[at:]]
    yield _candidate(keeper, method.name.value, file.with_body(block, body), codes)


def _closing(keeper: _Keeper, method: cst.FunctionDef | None) -> Sequence[str]:
    """Returns statements that close the attributes once. Returns none if an attribute may be missing."""
    file, codes = keeper.file, list[str]()
    name = "fd" if method is None else fresh(method, "fd", "old_fd", "number")
    for attribute in keeper.attributes:
        none = none_of(sentinels(file, cst.parse_expression(attribute), keeper.node))
        if name is None or (none is None and keeper.filling != _CONSTRUCTOR):
            return ()
        none = none or str(_EMPTY)
        codes += [f"{name}, {attribute} = {attribute}, {none}"]
        codes += [f"if {present(name, none)}:\n    {file.closers[0]}({name})\n"]
    return codes


def _new_methods(keeper: _Keeper) -> Iterator[Candidate]:
    file, closing = keeper.file, _closing(keeper, None)
    if not closing or not isinstance(keeper.node.body, cst.IndentedBlock):
        return
    receiver = keeper.attributes[0].partition(".")[0]
    typed = any(isinstance(node, cst.Annotation) for node in nodes(keeper.node))
    to_none = " -> None" if typed else ""
    itself = f' -> "{keeper.node.name.value}"' if typed else ""
    exceptions = "*exc_info: object" if typed else "*exc_info"
    inside = "".join(f"    {line}\n" for code in closing for line in split(code))
    codes = (
        f"def close({receiver}){to_none}:\n{inside}",
        f"def {_ENTER}({receiver}){itself}:\n    return {receiver}\n",
        f"def {_EXIT}({receiver}, {exceptions}){to_none}:\n    {receiver}.close()\n",
    )
    block = keeper.node.body
    empty = [cst.EmptyLine(indent=False)]
    added = [file.statement(code).with_changes(leading_lines=empty) for code in codes]
    yield _candidate(keeper, "close", file.with_body(block, [*block.body, *added]), codes)


def _candidate(keeper: _Keeper, method: str, text: str, codes: Sequence[str]) -> Candidate:
    title = f"Close {keeper.listed} in `{keeper.node.name.value}.{method}`"
    closes = tuple(keeper.attributes)
    return Candidate(title, text, [Inserted(code) for code in codes], sound=False, closes=closes, partial=True)
