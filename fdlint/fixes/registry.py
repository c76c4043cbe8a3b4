"""The fixes of each language. A language's fixes need its parser, so they are imported when they are needed."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

from fdlint.catalog import Models
from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.trees import Change
from fdlint.languages.description import LanguageDescription


@dataclass(frozen=True, slots=True)
class LanguageFixes:
    """``codes``: those of findings that may have a fix. ``candidates``: the changes of a text that may end a finding,
    the best one first; the models are those of the project. ``differs_only``: whether a text differs from another only
    in some changes, each exactly once."""

    codes: frozenset[str]
    candidates: Callable[[str, Models, Finding], Iterable[Candidate]]
    differs_only: Callable[[str, str, Iterable[Change]], bool]


@functools.cache
def fixes_of(language: LanguageDescription) -> LanguageFixes:
    """Returns the fixes of a language: those of ``fixes/<its key>_fixes.py``."""
    return cast(LanguageFixes, importlib.import_module(f"fdlint.fixes.{language.key}_fixes").FIXES)
