"""Errors in a catalog."""

from __future__ import annotations

from collections.abc import Iterable


class CatalogError(Exception):
    """An entry is invalid. The message names the file, the entry and the key."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Returns `` (did you mean `x`?)`` for a near miss, otherwise an empty string."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean `{close[0]}`?)" if close else ""
