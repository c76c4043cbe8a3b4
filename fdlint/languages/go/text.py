"""The text of Go files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from fdlint.languages.go import suppressions as comments
from fdlint.languages.go.lowering.language import GO
from fdlint.languages.go.nolint import code_of, with_ignores
from fdlint.languages.go.wording import worded
from fdlint.languages.text import Extent, TextRules
from fdlint.report.findings.finding import Suppression
from fdlint.scan.reading.lines import split_at_newlines

_ENCODING = "utf-8"


def _lines(data: bytes) -> tuple[Sequence[str], str]:
    return list(io.StringIO(data.decode(_ENCODING), newline="\n")), _ENCODING


def _encoded(text: str) -> bytes:
    return text.encode(_ENCODING, "surrogatepass")


def _suppressions(data: bytes, path: str) -> tuple[Suppression, ...]:
    return comments.suppressions(path, split_at_newlines(data.decode(_ENCODING, "replace")))


def _speaks_of_fdlint(_data: bytes) -> bool:
    """Returns False: golangci-lint reports unused comments."""
    return False


def _meaning(data: bytes) -> object:
    return code_of(data.decode(_ENCODING))


def units(data: bytes) -> tuple[Extent, ...]:
    """Returns the functions: gofmt puts ``func`` and its closing brace at the margin."""
    return tuple(_functions(data))


def _functions(data: bytes) -> Iterator[Extent]:
    first = 0
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), start=1):
        if line.startswith("func"):
            first = number
        if first and (line.startswith("}") or (number == first and line.rstrip().endswith("}"))):
            yield Extent(first, number, 0)
            first = 0


TEXT = TextRules(
    lines=_lines,
    encoded=_encoded,
    suppressions=_suppressions,
    speaks_of_fdlint=_speaks_of_fdlint,
    with_ignores=with_ignores,
    without=None,
    meaning=_meaning,
    units=units,
    worded=worded,
    message=GO.worded,
    advised=False,
)
