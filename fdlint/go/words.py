"""Which Go files are worth Semgrep's time: decided on bytes, by the words of ``rules/words.txt``."""

from __future__ import annotations

import functools
import re

from fdlint.go.rulebook import directory, files

_ANNOTATION = b"ruleid: "
_GENERATED = re.compile(rb"^// Code generated .* DO NOT EDIT\.\s*$", re.MULTILINE)


def mentions_descriptors(data: bytes) -> bool:
    """Whether one of the rules could find anything in a file with these contents."""
    return _pattern().search(data) is not None


def is_generated(data: bytes) -> bool:
    """By the line that https://go.dev/s/generatedcode asks for; it stands before the first declaration."""
    return _GENERATED.search(data[: data.find(b"\nfunc ") + 1 or None]) is not None


def is_own_test(data: bytes) -> bool:
    """Whether a file is one of the annotated files on which the rules are tested, and which ``fdlint export-rules``
    writes beside them. Only an exact copy is: nobody else's code can pass for one."""
    return _ANNOTATION in data and _unix(data) in _own_tests()


@functools.cache
def _own_tests() -> frozenset[bytes]:
    return frozenset(_unix((directory() / path).read_bytes()) for path in files() if path.suffix == ".go")


def _unix(data: bytes) -> bytes:
    """As git may have changed it back: with ``\\n`` at the end of every line."""
    return data.replace(b"\r\n", b"\n")


@functools.cache
def _pattern() -> re.Pattern[bytes]:
    lines = (line.partition("#")[0].strip() for line in (directory() / "words.txt").read_text("utf-8").split("\n"))
    return re.compile("|".join(line for line in lines if line).encode())
