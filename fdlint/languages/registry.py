"""The languages that fdlint reads. A new one is a folder beside this file, and a line here.

Everything outside of ``fdlint/languages`` asks here, and names no language: ``tests/test_languages.py`` checks that.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from fdlint.languages.description import LanguageDescription
from fdlint.languages.go.description import GO
from fdlint.languages.python.description import PYTHON

LANGUAGES = (PYTHON, GO)
MAIN = LANGUAGES[0]
"""The language of a text whose name does not tell."""
OWN_TABLES = {one.key: one.title for one in LANGUAGES if one is not MAIN}
"""The tables of a configuration with the models of one language, and the title of each."""
SUFFIXES = tuple(suffix for one in LANGUAGES for suffix in one.suffixes)
SEARCHED = tuple(suffix for one in LANGUAGES for suffix in one.searched)
"""The suffixes of the files to scan below a directory."""
SETTINGS = tuple(setting for one in LANGUAGES for setting in one.settings)
FLAGS = frozenset(one.key for one in SETTINGS if one.default)
"""The settings that are true if a configuration does not say otherwise."""
TITLES = " or ".join(one.title for one in LANGUAGES)
"""All languages, as messages name them."""
_BY_KEY = {one.key: one for one in LANGUAGES}
_BY_SUFFIX = tuple((suffix, one) for one in LANGUAGES for suffix in one.suffixes)
SCRIPTS = frozenset(one.scans_scripts for one in LANGUAGES if one.scans_scripts)
"""The settings by which a scan looks for scripts without a suffix."""
INTERPRETERS = tuple(one.interpreters[0] for one in LANGUAGES if one.interpreters)
COPIES = frozenset(one.copies for one in LANGUAGES if one.copies)
"""The names of directories with copies of other projects."""
_SCRIPT = re.compile(rf"#!.*\b(?:{'|'.join(name for one in LANGUAGES for name in one.interpreters)})".encode())


def language_of(path: str) -> LanguageDescription:
    """Returns the language of a file, by its name. A script without a suffix is in the main language."""
    for suffix, language in _BY_SUFFIX:
        if path.endswith(suffix):
            return language
    return MAIN


def by_key(key: str) -> LanguageDescription:
    """Returns the language with a name in reports."""
    return _BY_KEY[key]


def is_script(start: bytes) -> bool:
    """Whether a file starts with a line that names the interpreter of a language."""
    return _SCRIPT.match(start) is not None


def is_copy(name: str, above: Collection[str], flags: Collection[str]) -> bool:
    """Whether a file is part of a copy that a scan leaves out. ``above``: the names of directories above it. ``flags``:
    the settings that are true."""
    language = language_of(name)
    return bool(language.copies) and language.copies in above and language.scans_copies not in flags
