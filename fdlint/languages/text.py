"""What a language says about the text of a file, without an analysis: its comments, its encoding, its functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from fdlint.core.finding import Finding, Unused
from fdlint.languages.description import LanguageDescription
from fdlint.report.findings.finding import Suppression


@dataclass(frozen=True, slots=True)
class Extent:
    """The lines and the indentation of a function with its decorators, or of a statement outside of all functions."""

    first: int
    last: int
    indent: int

    def has(self, line: int) -> bool:
        """Whether it contains a line."""
        return self.first <= line <= self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRules:
    """The text of files in one language.

    ``lines``: the lines of a file with their ends, and its encoding. ``encoded``: the bytes of a text.
    ``suppressions``: the comments of a file that silence findings; its path is the second argument.
    ``speaks_of_fdlint``: whether a file without findings may have comments to report as unused. ``with_ignores``: the
    lines with a comment for each finding; ``without``: the lines without unused comments, None if
    fdlint leaves them to other tools. ``meaning``: a value that is equal for files that differ only in comments.
    ``units``: the functions and the other statements. ``worded``: a finding in the words of the language; the lines of
    its file are the second argument. ``message``: a text in these words. ``advised``: whether the advice on a rule's
    page is about this language; otherwise it ends the message. Those that read a text may raise ``ValueError``,
    ``SyntaxError``, ``LookupError`` and ``tokenize.TokenError``.
    """

    lines: Callable[[bytes], tuple[Sequence[str], str]]
    encoded: Callable[[str], bytes]
    suppressions: Callable[[bytes, str], tuple[Suppression, ...]]
    speaks_of_fdlint: Callable[[bytes], bool]
    with_ignores: Callable[[Sequence[str], Iterable[Finding]], list[str]]
    without: Callable[[Sequence[str], Iterable[Unused]], list[str]] | None
    meaning: Callable[[bytes], object]
    units: Callable[[bytes], tuple[Extent, ...]]
    worded: Callable[[Finding, Sequence[str]], Finding]
    message: Callable[[str], str]
    advised: bool


@functools.cache
def text_of(language: LanguageDescription) -> TextRules:
    """Returns the rules of a language."""
    return cast(TextRules, language.part("text").TEXT)
