"""Reads the imports of modules that mention nothing of interest, because other modules may import a name through them.
Also finds the files that may call a function of another module."""

from __future__ import annotations

import ast
import bisect
import re
from collections.abc import Iterator

from fdlint.languages.index.facts import OWN, facts_of
from fdlint.languages.index.outline import parsed
from fdlint.report.findings.finding import Wrapper, mentions
from fdlint.scan.reading.nesting import check

_STATEMENT = re.compile(
    r"^[ \t]*(?:from\s+[.\w]+\s+import\s*(?:(?P<opening>\()|(?:\\\r?\n|[^\n#;(\\])+)|import\s+[\w., \t]+)",
    re.MULTILINE,
)
_WORD = re.compile(rb"[\w\x80-\xff]+")
_OUTERMOST = re.compile(r"^\w+", re.MULTILINE)
_OF_ITS_OWN = ("def", "async", "class")
_NOT_PART = re.compile(r"#[^\n]*|\\")
_SPACE = re.compile(r"\s+")


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and the end of each import statement in a text."""
    last, at = text.rfind(")"), 0
    while found := _STATEMENT.search(text, at):
        at = found.end()
        if not found["opening"]:
            yield found.span()
        elif at <= last:
            at = text.index(")", at) + 1
            yield found.start(), at


def module_imports(text: str) -> str:
    """Returns the import statements of a module, one per line, without those inside functions and classes."""
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
    """Whether a text is valid Python. A line of prose may begin like an import."""
    try:
        check(text)
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def may_call(data: bytes, wrappers: frozenset[Wrapper]) -> bool:
    """Whether a file may call one of the wrappers, or pass on all names of its module.

    To call it, it must mention it, and its code must import something of that name, read an attribute of that name from
    an object other than ``self`` or ``cls`` (``self.source.open`` counts), use the name after a star import, or have it
    in a string. The file's own method of the same name, or a word in a comment, is not enough. A file that Python
    cannot parse counts if it mentions a wrapper."""
    stars = b"import *" in data and any(one.module.encode() in data for one in wrappers)
    if not stars and not mentions(data, wrappers):
        return False
    words = frozenset(_WORD.findall(data))
    if not stars and not any(one.function.encode() in words for one in wrappers):  # a part of a longer word
        return False
    found = parsed(data)
    if found is None:
        return True
    facts = facts_of(found[2])
    imported = {dotted.rpartition(".")[2] for _, dotted in facts.imports}
    whole = [f".{dotted}" for name, dotted in facts.imports if name == "*"] if stars else []
    if any(dotted.endswith(f".{one.module}.*") for dotted in whole for one in wrappers):
        return True
    chains = [one.split(".") for one in facts.references]
    read = {word for root, *rest in chains for word in (rest[1:] if root in OWN else rest)}.union(facts.members)
    starred = {root for root, *_ in chains} if "*" in imported else set()
    names = imported | read | starred | facts.strings
    return any(one.function in names and mentions(data, frozenset((one,))) for one in wrappers)
