"""Splits a file into the part that is needed at once, and the functions that can wait until they are needed.

fdlint reads most files only because another file imports a name from them. Python's own parser finds the pieces. It
takes a ninth of the time that a tree with all its whitespace takes.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fdlint.languages.index.class_attributes import SETS, class_attributes
from fdlint.languages.index.facts import Facts, dotted_name, facts_of
from fdlint.languages.index.skeleton import Function, Skeleton, bodies, skeleton_of
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.lines import normalised
from fdlint.scan.reading.nesting import check

_GLOBAL = re.compile(r"(?m)(?:^|[;:])[ \t]*global\b")

Made = Mapping[str, Sequence[tuple[str, str]]]
"""For each class, the attributes that its methods bind to the result of a call, each with the name of the callee."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A top-level function of a file, or a method of a top-level class. ``owner``: the class of the method. ``line``:
    the first line of ``text``, counted from 1. ``text``: a method stands inside a class statement with a placeholder
    name, so that its lines keep their indentation."""

    name: str
    owner: str | None
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Sketch:
    """A file in pieces. ``text``: the file with stubs for the pieces, so that every line keeps its number. ``rebound``:
    the names that some function declares global. ``shared``: those of them that are local in no function, and
    attributes of classes (``Pool._fd``). ``made``: for each class, the attributes that its methods bind to the result
    of a call, each with the callee. ``facts``: the facts of each piece. ``own_facts``: the facts of the code in no
    piece."""

    text: str
    encoding: str
    rebound: frozenset[str]
    shared: frozenset[str]
    made: Made
    pieces: Mapping[str, Piece]
    skeleton: Skeleton
    facts: Mapping[str, Facts]
    own_facts: Facts


def parsed(data: bytes) -> tuple[str, str, ast.Module] | None:
    """Returns a file's text, its encoding and its tree; None if the running Python cannot parse it."""
    try:
        text, encoding = decoded(data)
        text = normalised(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(text)
            return text, encoding, ast.parse(text)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return None


def sketch(data: bytes) -> Sketch | None:
    """Splits a file into pieces. Returns None if Python cannot parse it."""
    found = parsed(data)
    if found is None:
        return None
    text, encoding, tree = found
    rebound, shared = _globals(tree) if _GLOBAL.search(text) else (frozenset[str](), frozenset[str]())
    shared |= class_attributes(tree, text)
    lines = text.split("\n")
    pieces: dict[str, Piece] = {}
    made: dict[str, list[tuple[str, str]]] = {}
    facts: dict[str, Facts] = {}
    skeleton = skeleton_of(tree)
    for node, owner in _apart(tree):
        piece = _cut(node, owner, lines)
        pieces[piece.name] = piece
        facts[piece.name] = facts_of(ast.Module([node], []))
        if owner is not None:
            made.setdefault(owner, []).extend(_made(node.body))
    return Sketch("\n".join(lines), encoding, rebound, shared, made, pieces, skeleton, facts, facts_of(tree))


def edited(before: Sketch, name: str, text: str) -> Sketch | None:
    """Returns the sketch of a file after an edit inside of one piece, which has this text then. Returns None if only
    all of the file tells: the edit may matter to names outside of the piece."""
    old = before.pieces[name]
    texts = text, old.text
    of_module = any(one.search(piece) for piece in texts for one in (_GLOBAL, SETS))
    if of_module or any("." in one for one in before.shared):
        return None
    node, known = map(_only_function, texts)
    if known is None or node is None or not _are_alike(known, node):
        return None
    lines = text.count("\n")
    moved = lines - old.text.count("\n")
    begin = old.line + (old.owner is not None)
    first = begin - 1
    rows = before.text.split("\n")
    stub = rows[first]
    rows[first : old.line - 1 + old.text.count("\n")] = [stub, *[""] * (lines - (old.owner is not None) - 2), '"""']
    pieces = {
        one: piece if piece.line <= old.line else replace(piece, line=piece.line + moved)
        for one, piece in before.pieces.items()
    }
    pieces[name] = replace(old, text=text)
    facts = {**before.facts, name: facts_of(ast.Module([node], []))}
    return replace(before, text="\n".join(rows), pieces=pieces, facts=facts)


def _only_function(text: str) -> Function | None:
    """Returns the function that a piece is; None if it is anything else, or Python cannot parse it."""
    try:
        check(text)
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    first = 1
    match body:
        case [ast.ClassDef(name="_", body=inside, lineno=1)]:
            body, first = inside, 2
    match body:
        case [ast.FunctionDef() | ast.AsyncFunctionDef() as node]:
            begins = min(one.lineno for one in (node, *node.decorator_list))
            fits = begins == first and node.end_lineno == text.count("\n")
            return node if fits and _is_long(node) else None
    return None


def _are_alike(one: Function, other: Function) -> bool:
    """Whether two forms of a function are the same for code outside of it."""
    decorators = [[ast.dump(item) for item in node.decorator_list] for node in (one, other)]
    starts = [(node.name, type(node), node.col_offset, bool(node.decorator_list)) for node in (one, other)]
    return starts[0] == starts[1] and decorators[0] == decorators[1] and [*_made(one.body)] == [*_made(other.body)]


def _apart(tree: ast.Module) -> Iterator[tuple[Function, str | None]]:
    """Removes the functions and methods that become pieces from a tree. Yields each with its class."""
    apart: set[ast.stmt] = set()
    for node in _once(tree.body):
        if isinstance(node, ast.ClassDef):
            methods = [one for one in _once(node.body) if isinstance(one, Function) and _is_a_piece(one)]
            yield from ((one, node.name) for one in methods)
            apart.update(methods)
            node.body = [one for one in node.body if one not in apart]
        elif _is_long(node):
            yield node, None
            apart.add(node)
    tree.body = [one for one in tree.body if one not in apart]


def _once(body: Sequence[ast.stmt]) -> Iterator[Function | ast.ClassDef]:
    """Yields the definitions directly in a body whose names are defined only once in it."""
    times = Counter(one.name for one in _definitions(body))
    return (node for node in body if isinstance(node, Function | ast.ClassDef) and times[node.name] == 1)


def _definitions(body: Sequence[ast.AST]) -> Iterator[Function | ast.ClassDef]:
    """Yields the functions and classes that a body defines, also under conditions."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            yield node
        else:
            for inside in bodies(node):
                yield from _definitions(inside)


def _is_long(node: Function) -> bool:
    """Whether a function has its body on a line of its own. A shorter function is not worth a piece."""
    return node.body[0].lineno > node.lineno


def _is_a_piece(method: Function) -> bool:
    return _is_long(method) and not _is_property(method)


def _is_property(node: Function) -> bool:
    """Whether a method is a property. The engine must know its effect as soon as code reads the attribute."""
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def _cut(node: Function, owner: str | None, lines: list[str]) -> Piece:
    """Takes a function out of a file's lines and leaves a stub. A string fills the stub's lines, because the parser
    would create a node for each empty line."""
    first = min(one.lineno for one in (node, *node.decorator_list))
    region = slice(first - 1, node.end_lineno)
    text = "\n".join(lines[region]) + "\n"
    indent = lines[node.lineno - 1][: node.col_offset]  # spaces or tabs
    lines[region] = [f'{indent}def {node.name}(): """', *[""] * (text.count("\n") - 2), '"""']
    if owner is None:
        return Piece(node.name, None, first, text)
    return Piece(f"{owner}.{node.name}", owner, first - 1, f"class _:\n{text}")


def _made(body: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yields the attributes of ``self`` that statements bind to the result of a call, each with the callee."""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = dotted_name(node.value.func)
            for target in node.targets if called is not None else ():
                match target:
                    case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
                        yield attribute, called or ""
        elif not isinstance(node, ast.ClassDef):
            for inside in bodies(node):
                yield from _made(inside)


def _globals(tree: ast.Module) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the names that some function declares global, and those of them that are local in no function."""
    declared: set[str] = set()
    local: set[str] = set()
    pending: list[ast.AST] = [tree]
    while pending:
        scope = pending.pop()
        names, own = _names(scope, pending)
        declared |= names
        if not isinstance(scope, ast.Module | ast.ClassDef):
            local |= own
    return frozenset(declared), frozenset(declared - local)


def _names(scope: ast.AST, inside: list[ast.AST]) -> tuple[set[str], set[str]]:
    """Returns the names that a module, class or function declares global, and its local names. Appends the scopes in it
    to ``inside``."""
    declared: set[str] = set()
    bound: set[str] = set()
    elsewhere: set[str] = set()
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        node = pending.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
                inside.append(node)
                continue
            case ast.Lambda():
                inside.append(node)
                continue
            case ast.comprehension():  # its variables are local to it
                pending.extend((node.iter, *node.ifs))
                continue
            case ast.Global(names):
                declared.update(names)
            case ast.Nonlocal(names):
                elsewhere.update(names)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                bound.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
        pending.extend(ast.iter_child_nodes(node))
    return declared, bound - declared - elsewhere
