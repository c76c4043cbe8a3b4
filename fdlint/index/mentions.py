"""What a stretch of code mentions, by its text alone: rather too much than too little, for strings and comments count.

This is asked of functions that nothing has parsed, to find out whether anybody has to.
"""

from __future__ import annotations

import ast
import bisect
import re
from collections.abc import Iterator
from typing import NamedTuple

from fdlint.reading.nesting import check

_CALL = re.compile(
    r"(?P<before>[.\w]?)(?P<chain>(?:\b[^\W\d]\w*\s*\.\s*){0,20})\b(?P<name>[^\W\d]\w*)\s*\(\s*(?P<end>\)?)"
)
_DECORATOR = re.compile(r"^[ \t]*@[ \t]*((?:\w+\.)*)(\w+)", re.MULTILINE)
# What is in the brackets of an import is looked for by itself: a pattern would look for the end of each to no avail.
_IMPORT = re.compile(r"\bfrom\s+(?P<origin>[.\w]+)\s+import\s*(?P<opening>\()?|\bimport\s+(?P<plain>[\w., \t]+)")
_STATEMENT = re.compile(
    r"^[ \t]*(?:from\s+[.\w]+\s+import\s*(?:(?P<opening>\()|(?:\\\r?\n|[^\n#;(\\])+)|import\s+[\w., \t]+)",
    re.MULTILINE,
)
_REST = re.compile(r"[^\n#;]*")
_OUTERMOST = re.compile(r"^\w+", re.MULTILINE)
_OF_ITS_OWN = ("def", "async", "class")
_NOT_PART = re.compile(r"#[^\n]*|\\")
_GIVES = re.compile(r"\breturn\b(?![ \t]*(?:(?:None|True|False|-?\d+)[ \t]*)?(?:[#;\r\n]|$))")
_PUTS = re.compile(r"\b(\w+)\s*(?:\[|\.\s*\w+\s*\()")
_SIGNATURE = re.compile(r"\bdef\s+\w+\s*(?:\[[^\[\]]*\])?\(([^)]*)")
_SPACE = re.compile(r"\s+")
OWN = frozenset({"self", "cls"})


class Called(NamedTuple):
    """A call. ``root``: the dotted name before the last one, empty for a plain name, None for what is no name
    (``make().close()``); ``bare``: nothing is passed."""

    root: str | None
    name: str
    bare: bool


class Mentions(NamedTuple):
    """What a function's text mentions. ``imports``: local names and what they stand for; ``gives``: it may return
    something other than a constant, or put something into what it was given."""

    calls: frozenset[Called]
    imports: tuple[tuple[str, str], ...]
    gives: bool


def mentions_in(text: str) -> Mentions:
    """The mentions of one function's text."""
    calls = set()
    for found in _CALL.finditer(text):
        chain = _SPACE.sub("", found["chain"]).rstrip(".")
        root = None if found["before"] == "." else chain
        calls.add(Called(root, found["name"], bool(found["end"])))
        if "\n" in found["chain"]:  # of which a comment's end may be the first part
            calls.add(Called("", found["name"], bool(found["end"])))
    calls |= {Called(root.rstrip("."), name, False) for root, name in _DECORATOR.findall(text) if "@" in text}
    return Mentions(frozenset(calls), tuple(imports_in(text)), _gives(text))


def imports_in(text: str) -> list[tuple[str, str]]:
    """The local names that the imports in a text bind, and what they stand for."""
    found: list[tuple[str, str]] = []
    if "import" not in text:
        return found
    for origin, names in _imports(text):
        for one in _NOT_PART.sub("", names).split(","):
            words = one.split()
            if words and origin:
                found.append((words[-1], f"{origin}{'' if origin.endswith('.') else '.'}{words[0]}"))
            elif words:
                found.append((words[-1], words[0]) if len(words) > 1 else (words[0].partition(".")[0],) * 2)
    return found


def _imports(text: str) -> Iterator[tuple[str, str]]:
    """Where an import looks, nothing for a plain one, and the names that it binds."""
    last, at = text.rfind(")"), 0
    while found := _IMPORT.search(text, at):
        at = found.end()
        if found["plain"] is not None:
            yield "", found["plain"]
            continue
        names = text[at : text.index(")", at)] if found["opening"] and at <= last else _first_part(text, at)
        yield found["origin"], names
        at += len(names)


def _first_part(text: str, at: int) -> str:
    """What remains of a statement on its line."""
    found = _REST.match(text, at)
    return found[0] if found is not None else ""


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Where the import statements in a text begin and end."""
    last, at = text.rfind(")"), 0
    while found := _STATEMENT.search(text, at):
        at = found.end()
        if not found["opening"]:
            yield found.span()
        elif at <= last:
            at = text.index(")", at) + 1
            yield found.start(), at


def module_imports(text: str) -> str:
    """The import statements of a module, but for those of its functions and classes, each in a line of its own."""
    found = []
    outermost = [(word.start(), word[0]) for word in _OUTERMOST.finditer(text)] if _STATEMENT.search(text) else []
    for start, end in _statements(text):
        around = bisect.bisect_left(outermost, (start, "")) - 1
        if text[start].isspace() and around >= 0 and outermost[around][1] in _OF_ITS_OWN:
            continue
        line = _SPACE.sub(" ", _NOT_PART.sub("", text[start:end])).strip()
        if _is_python(line):
            found.append(f"{line}\n")
    return "".join(found)


def without_imports(text: str) -> str:
    """A text without its import statements."""
    parts, at = [], 0
    for start, end in _statements(text) if "import" in text else ():
        parts.append(text[at:start])
        at = end
    return "".join((*parts, text[at:]))


def _is_python(line: str) -> bool:
    """A line of prose may begin like an import."""
    try:
        check(line)
        ast.parse(line)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _gives(text: str) -> bool:
    if _GIVES.search(text):
        return True
    given = {name for inside in _SIGNATURE.findall(text) for name in re.findall(r"\w+", inside)} - OWN
    return any(name in given for name in _PUTS.findall(text))
