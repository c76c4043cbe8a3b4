"""Inserts acquisitions, releases and aliases between the statements of a program."""

from __future__ import annotations

import ast
import warnings
from random import Random

from fdlint.scan.reading.lines import split, with_ends

from .vocabulary import IMPORTS, STATEMENTS


def with_descriptors(text: str, rng: Random) -> str:
    """Returns the program with descriptors in it. A program that does not parse gets them after its last line."""
    places = _places(text)
    lines = with_ends(text)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n"
    count = rng.randint(1, 2 + len(places))
    for line, indent in sorted(rng.choices(places, k=count), reverse=True) if places else ():
        lines.insert(line - 1, f"{indent}{rng.choice(STATEMENTS)}\n")
    before = "".join(lines)
    return f"{IMPORTS}{before}" if places else f"{before}\n{IMPORTS}{rng.choice(STATEMENTS)}\n"


def _places(text: str) -> list[tuple[int, str]]:
    """Returns the lines that begin a statement, and their indentation."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    lines = split(text)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            first = min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))
            indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip(" \t"))]
            if len(indent) == node.col_offset:
                found.add((first, indent))
    return sorted(found)
