"""Random tokens: rarely valid Python, often almost."""

from __future__ import annotations

import keyword
from random import Random

from .vocabulary import ATTRIBUTES, COMMENTS, NAMES, OPENERS, STATEMENTS

_MARKS = (
    *"()[]{},:.;@=~+-*/%&|^<>!\\#\"'`$?",
    "->", ":=", "**", "//", "...", "==", "!=", "<<", ">>", "+=", '"""', "'''", "f'{", "}'", 'rb"', "0x", "1e", "1_0",
)  # fmt: skip
_BLANKS = ("\n", "\n", "\n    ", "\n\t", "\n        ", " ", "\\\n", "\r\n", "\r", "\x0c", "\n\n", ":\n    ")
_RARE = (
    "\x00",
    "\x1a",
    "\u2028",
    "\x85",
    "\x0b",
    "\ufeff",
    "\x1b[31m",
    "é",
    "𝕏",
    "\u202e",
    "\ud800",
    "00",
    "::set-env",
)
_WORDS = (*keyword.kwlist, "match", "case", "_", "type", "print", *NAMES, *ATTRIBUTES)


def soup(rng: Random) -> bytes:
    """Tokens in any order."""
    count = rng.choice([5, 30, 100, 400])
    weights = rng.choice([(6, 3, 6, 4, 1, 0), (4, 6, 6, 1, 1, 1), (3, 1, 8, 8, 2, 0), (8, 0, 4, 6, 0, 0)])
    parts = [_token(rng, weights) for _ in range(count)]
    start = rng.choice(["import os\n", "", "def f():\n    os.open", "os.open(", "#!os.open noqa\n"])
    return (start + "".join(parts)).encode(errors="surrogatepass")


def _token(rng: Random, weights: tuple[int, ...]) -> str:
    families = (_WORDS, _MARKS, _BLANKS, STATEMENTS, COMMENTS, (*_RARE, *OPENERS))
    (family,) = rng.choices(families, weights)
    word = rng.choice(family)
    return f" {word} " if family is _WORDS else word
