"""What a stretch of code mentions, by its text alone: rather too much than too little, for strings and comments count.

This is asked of functions that nothing has parsed, to find out whether anybody has to.
"""

from __future__ import annotations

import ast
import bisect
import re
from typing import NamedTuple

_CALL = re.compile(
    r"(?P<before>[.\w]?)(?P<chain>(?:\b[^\W\d]\w*\s*\.\s*){0,20})\b(?P<name>[^\W\d]\w*)\s*\(\s*(?P<end>\)?)"
)
_DECORATOR = re.compile(r"^[ \t]*@[ \t]*((?:\w+\.)*)(\w+)", re.MULTILINE)
_IMPORT = re.compile(r"\bfrom\s+([.\w]+)\s+import\s*(?:\(([^)]*)\)|([^\n#;]*))|\bimport\s+([\w., \t]+)")
_STATEMENT = re.compile(
    r"^[ \t]*(?:from\s+[.\w]+\s+import\s*(?:\([^)]*\)|(?:\\\r?\n|[^\n#;(\\])+)|import\s+[\w., \t]+)", re.MULTILINE
)
_OUTERMOST = re.compile(r"^\w+", re.MULTILINE)
_OF_ITS_OWN = ("def", "async", "class")
_NOT_PART = re.compile(r"#[^\n]*|\\")
_GIVES = re.compile(r"\breturn\b(?![ \t]*(?:None|True|False|-?\d+)?[ \t]*(?:[#;\r\n]|$))")
_PUTS = re.compile(r"\b(\w+)\s*(?:\[|\.\s*\w+\s*\()")
_SIGNATURE = re.compile(r"\bdef\s+\w+\s*(?:\[[^\]]*\])?\(([^)]*)")
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
    for origin, inside, after, plain in _IMPORT.findall(text):
        for one in _NOT_PART.sub("", inside or after or plain).split(","):
            words = one.split()
            if words and origin:
                found.append((words[-1], f"{origin}{'' if origin.endswith('.') else '.'}{words[0]}"))
            elif words:
                found.append((words[-1], words[0]) if len(words) > 1 else (words[0].partition(".")[0],) * 2)
    return found


def module_imports(text: str) -> str:
    """The import statements of a module, but for those of its functions and classes, each in a line of its own."""
    found = []
    outermost = [(word.start(), word[0]) for word in _OUTERMOST.finditer(text)] if _STATEMENT.search(text) else []
    for one in _STATEMENT.finditer(text):
        around = bisect.bisect_left(outermost, (one.start(), "")) - 1
        if one[0][0].isspace() and around >= 0 and outermost[around][1] in _OF_ITS_OWN:
            continue
        line = _SPACE.sub(" ", _NOT_PART.sub("", one[0])).strip()
        if _is_python(line):
            found.append(f"{line}\n")
    return "".join(found)


def without_imports(text: str) -> str:
    """A text without its import statements."""
    return _STATEMENT.sub("", text) if "import" in text else text


def _is_python(line: str) -> bool:
    """A line of prose may begin like an import."""
    try:
        ast.parse(line)
    except (SyntaxError, ValueError):
        return False
    return True


def _gives(text: str) -> bool:
    if _GIVES.search(text):
        return True
    given = {name for inside in _SIGNATURE.findall(text) for name in re.findall(r"\w+", inside)} - OWN
    return any(name in given for name in _PUTS.findall(text))
