"""Selects the Go files for Semgrep by their bytes, with the words of ``rules/words.txt``."""

from __future__ import annotations

import functools
import re

from fdlint.go.rulebook import directory, files

_ANNOTATION = b"ruleid: "
_GENERATED = re.compile(rb"^// Code generated .* DO NOT EDIT\.\s*$", re.MULTILINE)


def mentions_descriptors(data: bytes) -> bool:
    """Whether a rule could find anything in a file with these contents."""
    return _pattern().search(data) is not None


def is_generated(data: bytes) -> bool:
    """Whether a file has the line of https://go.dev/s/generatedcode before the first declaration."""
    return _GENERATED.search(data[: data.find(b"\nfunc ") + 1 or None]) is not None


def is_own_test(data: bytes) -> bool:
    """Whether a file is an exact copy of one of the annotated files that test the rules and that ``fdlint
    export-rules`` writes. Other code can never be equal to one."""
    return _ANNOTATION in data and _unix(data) in _own_tests()


@functools.cache
def _own_tests() -> frozenset[bytes]:
    return frozenset(_unix((directory() / path).read_bytes()) for path in files() if path.suffix == ".go")


def _unix(data: bytes) -> bytes:
    """Returns the data with ``\\n`` at the end of every line, as before a conversion by git."""
    return data.replace(b"\r\n", b"\n")


@functools.cache
def _pattern() -> re.Pattern[bytes]:
    lines = (line.partition("#")[0].strip() for line in (directory() / "words.txt").read_text("utf-8").split("\n"))
    return re.compile("|".join(line for line in lines if line).encode())
