"""The Go files that a scan leaves out, by their bytes."""

from __future__ import annotations

import functools
import re

from fdlint.languages.go.description import GENERATED, GO, SUFFIX, TESTS
from fdlint.languages.go.rulebook import directory, files
from fdlint.scan.files.discover import FileToScan

_ANNOTATION = b"ruleid: "
_GENERATED = re.compile(rb"^// Code generated .* DO NOT EDIT\.\s*$", re.MULTILINE)


def left_out(file: FileToScan, data: bytes) -> str | None:
    """Returns why a scan leaves a file out: because of the configuration, or because it is a test of fdlint's own
    rules. Returns None if it does not. Files in directories that are not scanned were not even found."""
    if GO.leaves_out_test(file.name, file.config.flags):
        return f"the file is a test of Go, which the configuration leaves out (`{TESTS}`)"
    if GENERATED not in file.config.flags and is_generated(data):
        return f"the file is generated, and scans leave generated Go out; `{GENERATED} = true` includes it"
    return "the file is left out of scans: it is a test of fdlint's own rules" if _is_own_test(data) else None


def is_generated(data: bytes) -> bool:
    """Whether a file has the line of https://go.dev/s/generatedcode before the first declaration."""
    return _GENERATED.search(data[: data.find(b"\nfunc ") + 1 or None]) is not None


def _is_own_test(data: bytes) -> bool:
    """Whether a file is an exact copy of one of the annotated files that test the rules and that ``fdlint
    export-rules`` writes. Other code can never be equal to one."""
    return _ANNOTATION in data and _unix(data) in _own_tests()


@functools.cache
def _own_tests() -> frozenset[bytes]:
    return frozenset(_unix((directory() / path).read_bytes()) for path in files() if path.suffix == SUFFIX)


def _unix(data: bytes) -> bytes:
    """Returns the data with ``\\n`` at the end of every line, as before a conversion by git."""
    return data.replace(b"\r\n", b"\n")
