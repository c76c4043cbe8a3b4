"""One registry of languages: outside of ``fdlint/languages``, nothing names one.

Names are found in identifiers, texts and file names. Comments and docstrings are documentation, and so are the pages of
rules. ``python -m tests.test_languages`` lists what it finds, also where that is allowed.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from fnmatch import fnmatch

import pytest

from fdlint.languages.registry import LANGUAGES, MAIN, by_key, language_of
from tests import package

ALLOWED = {
    "runtime/*": "it examines processes of Python, runs in them, and knows the lines of the tracebacks of both",
    "catalog/model.py": "the keys of an entry say which of them one language alone reads",
    "cli/versions.py": "it names the interpreter that runs fdlint",
    "fixes/*": "each fix edits the text of one language; only fixes/registry.py is asked for one",
}
NEVER_ALLOWED = {f"fixes/{name}.py" for name in ("alignment", "candidate", "files", "ownership", "proof", "registry")}
"""Although the folder is: all languages have these in common."""
_WORDS = {"python", "go", "golang", "py", "pyi"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TEXT = re.compile(
    r"\bPython\b|\bGo\b|[Gg]olang|python|^(?:go|py)$|\.(?:go|pyi?)\b|^go[_.:/-]|[_.:/ -]go$"
    r"|\bgo-(?:tests|vendor|generated)"
)
_VERB = re.compile(r"let(s|ting)?(_\w+)?_go|LetGo|let go|go_on", re.IGNORECASE)


@functools.cache
def names(module: package.Module) -> list[tuple[int, str]]:
    """The names of languages in a module: the line, and the word or the text."""
    return [*_names(module)]


def _names(module: package.Module) -> Iterator[tuple[int, str]]:
    documentation = {
        id(first.value)
        for node in module.nodes
        for first in (getattr(node, "body", None) if isinstance(getattr(node, "body", None), list) else ())
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    }
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and id(node) not in documentation:
            text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            if _TEXT.search(_VERB.sub("", text)):
                yield node.lineno, text
        yield from ((getattr(node, "lineno", 0), name) for name in _identifiers(node) if _has_a_word(name))


@functools.cache
def _has_a_word(name: str) -> bool:
    return not _WORDS.isdisjoint(word.lower() for word in _WORD.findall(_VERB.sub("", name)))


def _identifiers(node: ast.AST) -> Iterator[str]:
    for field in ("id", "attr", "name", "arg", "asname", "module"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value


def modules() -> Iterator[tuple[str, package.Module]]:
    for module in package.modules():
        name = module.path.relative_to(package.ROOT).as_posix()
        if not name.startswith("languages/"):
            yield name, module


def is_allowed(name: str) -> bool:
    return name not in NEVER_ALLOWED and any(fnmatch(name, pattern) for pattern in ALLOWED)


def test_nothing_else_names_a_language() -> None:
    found = [f"{name}:{line}: {word}" for name, one in modules() if not is_allowed(name) for line, word in names(one)]
    assert not found


def test_the_folders_of_languages_are_reached_through_the_registry() -> None:
    folders = [f"fdlint.languages.{one.key}." for one in LANGUAGES]
    assert not [
        (name, module)
        for name, one in modules()
        if not is_allowed(name)
        for node in one.nodes
        for module in [getattr(node, "module", None)]
        if isinstance(module, str) and f"{module}.".startswith(tuple(folders))
    ]


def test_no_exception_is_left_over() -> None:
    found = {name for name, one in modules() if names(one)}
    assert not [pattern for pattern in ALLOWED if not any(fnmatch(name, pattern) for name in found)]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.key)
def test_a_language_has_its_parts(language: object) -> None:
    found = by_key(next(one.key for one in LANGUAGES if one is language))
    parts = ("catalog", "text", "packages" if found.by_package else "front_end")
    assert all(found.part(name) for name in (*parts, *(["rulebook"] if found.rules else [])))
    assert language_of(f"a{found.suffix}") is found


def test_a_script_is_in_the_main_language() -> None:
    assert language_of("bin/run") is MAIN


if __name__ == "__main__":
    total = 0
    for shown, one in modules():
        listed = sorted(set(names(one)))
        total += len(listed)
        if listed:
            print(f"{shown}: {len(listed)}{' (allowed)' if is_allowed(shown) else ''}")
    print(f"{total} names")
