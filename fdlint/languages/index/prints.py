"""Works out the print of a file: a hash of each of its parts, so that a change in one part is not taken for a change in
all of them."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping

from fdlint.languages.index.outline import Sketch
from fdlint.languages.index.skeleton import Alias, Choice, Definition, Import, ImportFrom, Skeleton, Statement
from fdlint.report.findings.grounds import REST, FilePrint

EVERYTHING = "*"
"""The name that stands for all names of a module that a star imports."""
_NESTED_QUOTES = sys.version_info >= (3, 12)  # an f-string may then have its own quotes inside
_FORMATTED = re.compile(r"\b[rR]?[fFtT][rR]?[\"']")
_WORD = re.compile(r"\w+")
_MAX_SEARCHED = 5_000  # characters; a search that quotes mislead takes quadratic time
_STUB = re.compile(r'^[ \t]*def \w+\(\): """\n+"""\n', re.MULTILINE)
_LEXEMES = re.compile(
    r"""(?P<string>"{3}(?:[^\\"]|\\.|"(?!""))*(?:"{3}|\Z)|'{3}(?:[^\\']|\\.|'(?!''))*(?:'{3}|\Z)"""
    r"""|"(?:[^\\"\n]|\\.)*"|'(?:[^\\'\n]|\\.)*')|^[ \t]*(?:\#[^\n]*)?\n|(?<![ \t])[ \t]*\#[^\n]*""",
    re.DOTALL | re.MULTILINE,
)


def parts_of(sketch: Sketch) -> Iterator[tuple[str, str]]:
    """Yields the code of a file part by part: first the ``REST``, then each top-level definition that has a body of its
    own. The methods of a class are one part."""
    yield REST, _STUB.sub("", f"{sketch.text}\n")
    together: dict[str, list[str]] = {}
    for name, piece in sketch.pieces.items():
        together.setdefault(part_of(name), []).append(piece.text)
    yield from ((name, "".join(texts)) for name, texts in together.items())


def part_of(piece: str) -> str:
    """Returns the name of the part to which a piece belongs."""
    return piece.partition(".")[0]


def print_of(sketch: Sketch, digest: str, flags: str, constants: Mapping[str, object]) -> FilePrint:
    """Returns the print of a file. ``digest``: that of its contents. ``constants``: the names that it binds to
    constants."""
    around = repr((sorted(sketch.rebound), sorted(sketch.shared), sorted(sketch.made.items())))
    parts = {name: _hash(_without_comments(text)) for name, text in parts_of(sketch)}
    parts[REST] = _hash(parts[REST] + around)
    return FilePrint(digest, flags, parts, *_names(sketch.skeleton, constants))


def print_of_imports(imports: Skeleton, digest: str, flags: str, constants: Mapping[str, object]) -> FilePrint:
    """Returns the print of a file of which only the imports count."""
    return FilePrint(digest, flags, {}, *_names(imports, constants))


def key_of(file_print: FilePrint) -> str:
    """Returns a short key of a print."""
    return _hash(repr(file_print))


def _names(skeleton: Skeleton, constants: Mapping[str, object]) -> tuple[dict[str, str], dict[str, str]]:
    meanings: dict[str, list[str]] = {}
    for name, meaning in _meanings(skeleton, constants):
        meanings.setdefault(name, []).append(meaning)
    bases = {name: " ".join(found) for name, found in skeleton.classes.items()}
    return {name: _hash("\n".join(found)) for name, found in meanings.items()}, bases


def _meanings(skeleton: Skeleton, constants: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yields names with what they mean, in source order."""
    yield from _bound(skeleton.statements)
    for name in skeleton.functions:
        yield name, f"function {name in skeleton.decorated}"
    for name in skeleton.classes:
        yield name, f"class {name in skeleton.decorated}"
    yield from ((name, "property") for name in sorted(skeleton.properties))
    yield from ((name, "lambda") for name in sorted(skeleton.lambdas))
    yield from ((name, f"constant {value}") for name, value in constants.items())


def _bound(statements: Iterable[Statement]) -> Iterator[tuple[str, str]]:
    for one in statements:
        match one:
            case Import(names):
                yield from ((alias or name.partition(".")[0], f"import {name} {alias}") for name, alias in names)
            case ImportFrom(origin, names):
                yield from ((alias or name, f"from {origin} {name}") for name, alias in names)
            case Alias(name, value):
                yield name, f"= {value}"
            case Definition(name):
                yield name, "definition"
            case Choice():
                yield from ((name, repr(one)) for name, _ in _bound((*one.body, *one.orelse)))


def changed_words(before: FilePrint, after: FilePrint, code: Skeleton) -> frozenset[str]:
    """Returns the names that do not mean the same any more, as words. ``code``: the skeleton of the new file. A name
    that is bound to another, or under a condition, changes with what it mentions."""
    words = {word for name in _changed(before.names, after.names) for word in name.split(".")}
    words |= _changed(before.classes, after.classes)
    found = [(name, set(_WORD.findall(meaning))) for name, meaning in _meanings(code, {})]
    found += [(name, set(_WORD.findall(bases))) for name, bases in after.classes.items()]
    size = -1
    while words and size < len(words):
        size = len(words)
        words.update(name for name, mentioned in found if not words.isdisjoint(mentioned))
    return frozenset(words)


def overriding_words(before: FilePrint, after: FilePrint) -> frozenset[str]:
    """Returns the names of methods and classes of the file that a subclass overrides now but not before, or the other
    way round."""
    changed = _changed(before.names, after.names)
    words: set[str] = set()
    for name in before.classes.keys() | after.classes.keys():
        methods = {one for one in before.names.keys() | after.names.keys() if one.startswith(f"{name}.")}
        if before.classes.get(name) == after.classes.get(name):
            methods &= changed
        if methods:
            words.update(method.rpartition(".")[2] for method in methods)
            words.update(*(_ancestors(name, one.classes) for one in (before, after)))
    return frozenset(words)


def _ancestors(name: str, classes: Mapping[str, str]) -> Iterator[str]:
    """Yields the bases of a class, and their bases in the file."""
    found: dict[str, None] = {name: None}
    pending = [name]
    while pending:
        for base in classes.get(pending.pop(), "").split():
            if base not in found:
                found[base] = None
                pending.append(base)
    return (base for base in found if base != name)


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def _without_comments(text: str) -> str:
    """Returns the text without its comments and its empty lines. Returns it unchanged if it may have quotes inside
    quotes, which only a parser can tell apart."""
    if "#" not in text and "\n\n" not in text:
        return text
    if not _NESTED_QUOTES or not _FORMATTED.search(text):
        return _LEXEMES.sub(_string, text)
    if len(text) > _MAX_SEARCHED or any(_is_cut_short(_string(one)) for one in _LEXEMES.finditer(text)):
        return text
    return _LEXEMES.sub(_string, text)


def _string(lexeme: re.Match[str]) -> str:
    return lexeme["string"] or ""


def _is_cut_short(string: str) -> bool:
    """Whether a string ends inside its braces: then it is an f-string with its own quotes inside."""
    plain = string.replace("{{", "").replace("}}", "")
    return plain.count("{") != plain.count("}")


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()
