"""What differs between the catalogs of languages, beside their entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from msgspec import structs

from fdlint.catalog.entries import ApiEntry
from fdlint.catalog.model import Api
from fdlint.catalog.naming import Naming
from fdlint.languages.description import LanguageDescription


@dataclass(frozen=True, slots=True)
class CatalogRules:
    """``package``: the one with the entries, which are of a kind, ``entry``. ``naming``: the customs of the language.
    ``own`` returns a project's entry as the language needs it.
    ``closing_methods``: an entry for a plain method name makes that method close objects of any type."""

    package: str
    entry: type[ApiEntry]
    naming: Naming
    own: Callable[[Api], Api]
    closing_methods: bool


def raising(api: Api, error: str | None) -> Api:
    """Returns an entry whose only exception is ``error``."""
    return structs.replace(api, raises=error)


def rules_of(language: LanguageDescription) -> CatalogRules:
    """Returns the rules of a language."""
    return cast(CatalogRules, language.part("catalog").RULES)
