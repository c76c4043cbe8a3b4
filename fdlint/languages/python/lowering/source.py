"""Parses bytes to a syntax tree, or returns the reason for a failure; finds the positions of nodes on demand."""

from __future__ import annotations

import functools

import libcst as cst

from fdlint.core.finding import Span
from fdlint.core.ir.source import shortened
from fdlint.languages.index.outline import Sketch, sketch
from fdlint.languages.python.lowering.repair import repaired
from fdlint.languages.python.lowering.syntax_errors import LONGEST, refusal
from fdlint.languages.python.lowering.trees import Origin, Tree
from fdlint.report.findings.finding import Skipped
from fdlint.scan.reading import intake
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.lines import normalised
from fdlint.scan.reading.nesting import TooDeepError


class Source:
    """One file, parsed as a whole or piece by piece on demand.

    ``data``: the file's bytes. ``parsed``: the number of parsed characters. Positions are computed on first use: they
    cost half as much as the parse.
    """

    def __init__(self, path: str, data: bytes, encoding: str) -> None:
        self.path = path
        self.data = data
        self.encoding = encoding
        self.parsed = 0
        self.refused: str | None = None  # why the parser refused a piece that Python accepts

    @functools.cached_property
    def code(self) -> str:
        """The whole file, with ``\\n`` at the end of every line."""
        return normalised(self.data.decode(self.encoding))

    def change(self, data: bytes) -> None:
        """Gives the file other contents, in the same encoding."""
        self.data = data
        self.__dict__.pop("code", None)

    def parse_more(self, text: str, line: int) -> Tree | None:
        """Parses a piece of the file that begins at ``line``. Returns None if that fails."""
        try:
            tree = Tree(text, line)
        except cst.ParserSyntaxError as error:
            self.refused = refusal(error.message, text, line - 1)
            return None
        except TooDeepError as error:
            self.refused = str(error)
            return None
        self.parsed += len(text)
        return tree

    def span(self, origin: object) -> Span:
        """Returns the position of an origin, or the file's first character if it has none."""
        found = origin.range if isinstance(origin, Origin) else None
        if found is None:
            return Span(self.path, 1, 1, 1, 1)
        (line, column), (end_line, end_column) = found
        return Span(self.path, line, column + 1, end_line, end_column + 1)

    def text(self, origin: object) -> str:
        """Returns the source of an origin, on one line and not too long."""
        return shortened(origin.code) if isinstance(origin, Origin) else ""


def parse(data: bytes, path: str) -> tuple[Source, Tree] | Skipped:
    """Decodes (PEP 263) and parses a whole file. Returns the reason if that fails."""
    if len(data) > intake.SOURCE:
        return Skipped(path, str(intake.too_large(len(data), intake.SOURCE)))
    if b"\0" in data:
        return Skipped(path, "not Python: it contains null bytes")
    try:
        text, encoding = decoded(data)
        source, tree = Source(path, data, encoding), Tree(text)
        source.parsed = len(text)
        return source, tree
    except cst.ParserSyntaxError as error:
        return Skipped(path, refusal(error.message, text))
    except TooDeepError as error:
        return Skipped(path, str(error))
    except (UnicodeError, LookupError, SyntaxError) as error:
        return Skipped(path, f"cannot be decoded: {_first_line(str(error))}")
    except RecursionError:
        return Skipped(path, "nested too deeply to parse")


def sketched(data: bytes, path: str) -> tuple[Source, Sketch] | None:
    """Splits a file into pieces that are parsed on demand. Returns None if the running Python cannot parse it."""
    outline = sketch(data) if len(data) <= intake.SOURCE else None
    return (Source(path, data, outline.encoding), outline) if outline is not None else None


def read_file(data: bytes, path: str) -> tuple[Source, Tree | Sketch] | Skipped:
    """Splits a file into pieces, or parses it as a whole if the running Python cannot parse it. Leaves out wrong
    definitions; ``refused`` is then the reason."""
    found = sketched(data, path)
    if found is not None:
        return found
    whole = parse(data, path)
    rest = _without_what_is_wrong(data, path) if isinstance(whole, Skipped) and len(data) <= intake.SOURCE else None
    if isinstance(whole, Skipped) and rest is not None:
        rest[0].refused = whole.reason
        return rest
    return whole


def _without_what_is_wrong(data: bytes, path: str) -> tuple[Source, Sketch] | None:
    """Splits a file without its wrong definitions into pieces. Returns None if there are too many of these."""
    try:
        text, encoding = decoded(data)
    except (UnicodeError, LookupError, SyntaxError):
        return None
    kept = repaired(normalised(text)) if "\0" not in text else None
    outline = sketch(kept.encode()) if kept is not None else None
    if kept is None or outline is None:
        return None
    source = Source(path, data, encoding)
    source.code = kept
    return source, outline


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:LONGEST]
