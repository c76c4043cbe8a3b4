"""Finds the files that start a program which inherits what is open. It searches their text without parsing."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from fdlint.catalog import NO_MODELS, Catalog, catalog_of
from fdlint.catalog.model import Api
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import language_of
from fdlint.report.findings.tests import in_tests

_COMMENT = re.compile(r"(?m)^[^\S\n]*(?:#|//).*$")


def starts_programs(path: Path, data: bytes, language: LanguageDescription, top: Path) -> bool:
    """Whether a file of a language starts such a program. A test does not: the programs that it starts end with it.
    ``top``: the directory of its project."""
    if language_of(path.name) is not language or in_tests(_below(path, top)):
        return False
    return starts(data.decode(errors="replace"), language)


def starts(text: str, language: LanguageDescription) -> bool:
    """Whether the text of a file starts such a program."""
    return _calls(language).search(_COMMENT.sub("", text)) is not None


def _below(path: Path, top: Path) -> str:
    return path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name


@functools.cache
def _calls(language: LanguageDescription) -> re.Pattern[str]:
    """Returns a pattern of the calls that start one."""
    catalog = catalog_of(NO_MODELS, language)
    apis = [api for found in catalog.by_name.values() for api in found if api.inherits]
    return re.compile("|".join(sorted({one for api in apis for one in _spellings(api, catalog)})))


def _spellings(api: Api, catalog: Catalog) -> Iterator[str]:
    """Yields patterns of a call: its name after that of its module, an import of it, or the argument that decides."""
    module, _, name = api.name.rpartition(".")
    for condition in api.when:
        values = "|".join(re.escape(str(one)) for one in condition.values)
        yield rf"\b{condition.argument}\s*=\s*(?:{values})\b"
    modules = (module, *(alias for alias, meant in catalog.aliases.items() if meant == module))
    for one in modules if not api.when else ():
        yield rf"\b{re.escape(one)}\.{name}\b"
        yield rf"\bfrom\s+{re.escape(one)}\s+import\b[^\n]*\b{name}\b"
