"""What a fix proposes, before anything is proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fdlint.fixes.trees import Change


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change of a file. ``title`` says what it does, in the imperative. ``text``: the whole file after it.
    ``changes``: all that it does to the syntax tree. ``sound``: it keeps the meaning apart from the finding, if the
    proof succeeds. ``closes``: attributes that the function is now known to close. ``partial``: it is worth a review
    even if an exception can still lose the descriptor elsewhere."""

    title: str
    text: str
    changes: Sequence[Change]
    sound: bool = True
    closes: tuple[str, ...] = ()
    partial: bool = False
