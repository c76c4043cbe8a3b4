"""Compares two texts of a file: which functions have other code, and where the rest is then."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fdlint.languages.index.outline import Sketch, edited, sketch
from fdlint.scan.earlier import MovedError, Moves
from fdlint.scan.layout_edits import code_of
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.lines import normalised


class Edit(NamedTuple):
    """A later text of a file in pieces, and the pieces with other code."""

    outline: Sketch
    changed: frozenset[str]


def edit_of(before: Sketch, old: bytes, data: bytes) -> Edit | None:
    """Compares two texts of a file; None if they differ in more than the code inside of pieces. ``before``: the first
    one, in pieces."""
    try:
        encodings = [decoded(one) for one in (old, data)]
    except (SyntaxError, UnicodeError, LookupError):
        return None
    (text, encoding), (later, its_encoding) = encodings
    if encoding != its_encoding:
        return None
    lines, new = (normalised(one).split("\n") for one in (text, later))
    after = _edited(before, Moves.of("", lines, new), new) or sketch(data)
    if after is None or not _alike(before, after):
        return None
    changed = [name for name, piece in after.pieces.items() if before.pieces[name].text != piece.text]
    texts = [(before.pieces[name].text, after.pieces[name].text) for name in changed]
    if any(_classes_in(one) != _classes_in(other) for one, other in texts):
        return None  # a class inside of a function is known in the whole file
    return Edit(after, frozenset(changed))


def _classes_in(text: str) -> list[str]:
    """Returns the heads of the classes in a piece."""
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)] if "class" in text else []
    return [f"{one.name}({', '.join(map(ast.unparse, one.bases))})" for one in found]


def _edited(before: Sketch, moves: Moves, new: Sequence[str]) -> Sketch | None:
    """Returns the sketch of a text whose changed lines are in one piece; None if they may not be."""
    for name, piece in before.pieces.items():
        begin, end = piece.line + (piece.owner is not None), piece.line + piece.text.count("\n")
        if begin <= moves.start and moves.end <= end:
            head = piece.text.partition("\n")[0] + "\n" if piece.owner is not None else ""
            inside = "\n".join(new[begin - 1 : end - 1 + moves.by])
            return edited(before, name, f"{head}{inside}\n")
    return None


def _alike(before: Sketch, after: Sketch) -> bool:
    """Whether two texts differ in nothing but the bodies of their pieces."""
    return (
        list(before.pieces) == list(after.pieces)
        and (before.rebound, before.shared, before.made) == (after.rebound, after.shared, after.made)
        and before.skeleton == after.skeleton
        and [code for _, code in _own_lines(before)] == [code for _, code in _own_lines(after)]
        and (_without_blanks(before) == _without_blanks(after) or _dumped(before) == _dumped(after))
    )


def _own_lines(outline: Sketch) -> list[tuple[int, str]]:
    """Returns the lines of a file with code in no piece, and those of the stubs, without comments."""
    lines = enumerate(outline.text.split("\n"), 1)
    return [(number, code) for number, line in lines if (code := line if code_of(line) is None else code_of(line))]


def _without_blanks(outline: Sketch) -> list[str]:
    return [line for line in outline.text.split("\n") if line and not line.isspace()]


def _dumped(outline: Sketch) -> str:
    """Returns the syntax tree of the code in no piece."""
    return ast.dump(ast.parse(outline.text))


@dataclass(frozen=True, slots=True)
class PieceMoves(Moves):
    """How the positions in a file move if only some pieces have ``changed``: each piece as a whole, and the lines
    between them one by one."""

    lines: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def between(cls, path: str, before: Sketch, edit: Edit) -> PieceMoves:
        """Returns how positions move from one text to a later one."""
        pairs = zip(_own_lines(before), _own_lines(edit.outline), strict=True)
        lines = {old: new for (old, _), (new, _) in pairs}
        for name, piece in before.pieces.items():
            if name not in edit.changed:
                by = edit.outline.pieces[name].line - piece.line
                first, last = piece.line + (piece.owner is not None), piece.line + piece.text.count("\n")
                lines.update((one, one + by) for one in range(first, last))
        return cls(path, 0, 0, 0, lines)

    def line(self, line: int) -> int:
        """Returns the new number of a line."""
        if line not in self.lines:
            raise MovedError
        return self.lines[line]
