"""What is wrong with a catalog: which file, which entry, which key."""

from __future__ import annotations

from collections.abc import Iterable


class CatalogError(Exception):
    """An entry that cannot be read. The message names the file, the entry and the key."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """`` (did you mean `x`?)`` for a near miss, else nothing."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean `{close[0]}`?)" if close else ""
