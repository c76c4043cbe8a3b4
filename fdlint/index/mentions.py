"""The import statements of a module that mentions nothing of interest, since others may import a name through it; and
the files that may call a function of another module."""

from __future__ import annotations

import ast
import bisect
import re
from collections.abc import Iterator

from fdlint.findings.finding import Wrapper, mentions
from fdlint.index.facts import OWN, facts_of
from fdlint.index.outline import parsed
from fdlint.reading.nesting import check

_STATEMENT = re.compile(
    r"^[ \t]*(?:from\s+[.\w]+\s+import\s*(?:(?P<opening>\()|(?:\\\r?\n|[^\n#;(\\])+)|import\s+[\w., \t]+)",
    re.MULTILINE,
)
_OUTERMOST = re.compile(r"^\w+", re.MULTILINE)
_OF_ITS_OWN = ("def", "async", "class")
_NOT_PART = re.compile(r"#[^\n]*|\\")
_SPACE = re.compile(r"\s+")


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
        found.append(_SPACE.sub(" ", _NOT_PART.sub("", text[start:end])).strip() + "\n")
    together = "".join(found)
    return together if _is_python(together) else "".join(filter(_is_python, found))


def _is_python(text: str) -> bool:
    """A line of prose may begin like an import."""
    try:
        check(text)
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def may_call(data: bytes, wrappers: frozenset[Wrapper]) -> bool:
    """Whether a file may call one of the wrappers. It mentions one, and its code imports something of that name, reads
    an attribute of that name from a module, perhaps, or has the name in a string. An own method of the same name, or a
    word in a comment, is no reason for an analysis."""
    if not mentions(data, wrappers):
        return False
    found = parsed(data)
    if found is None:
        return True
    facts = facts_of(found[2])
    imported = {dotted.rpartition(".")[2] for _, dotted in facts.imports}
    chains = [one.split(".") for one in facts.references]
    read = {word for root, *rest in chains if root not in OWN for word in rest}
    starred = {root for root, *_ in chains} if "*" in imported else set()
    names = imported | read | starred | facts.strings
    return any(one.function in names and mentions(data, frozenset((one,))) for one in wrappers)
