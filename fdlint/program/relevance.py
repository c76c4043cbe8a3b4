"""Finds the functions that are worth an analysis: those that may acquire a descriptor."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from fdlint.catalog import Catalog
from fdlint.catalog.shape import acquires
from fdlint.core.ir import Call, Graph


class Relevance:
    """Finds the relevant calls for one catalog.

    A method's name alone says little. If every dict has such a method (``get``), the file must also contain the words
    of the catalog entry. ``text``: the file's text.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._methods = _last_names(catalog)

    def may_acquire(self, graph: Graph, text: str, renamed: Callable[[Call], Call] | None = None) -> bool:
        """Whether any call of the function may acquire. ``renamed``: returns a call with its name in the catalog."""
        if any(self.acquires(call, text) for call in graph.calls()):
            return True
        return renamed is not None and any(self.acquires(renamed(call), text) for call in graph.calls())

    def most_likely_acquires(self, call: Call, text: str) -> bool:
        """Whether a call may acquire. If every dict has a method of this name, the object is taken to be a dict."""
        name = call.callee.name
        return self.acquires(call, text) and not any(api.container for api in self._catalog.method(name))

    def acquires(self, call: Call, text: str) -> bool:
        """Whether any catalog entry for a call acquires."""
        callee = call.callee
        names = [arg.dotted for arg in call.args if arg.dotted is not None]
        if callee.dotted is not None:
            names.append(callee.dotted)
        elif self.is_of_interest(callee.name, text):
            return True
        return any(acquires(api.returns) for name in names for api in self._catalog.lookup(name))

    def is_of_interest(self, method: str, text: str) -> bool:
        """Whether a method of this name acquires on some object, and may do so in a file with this text."""
        words = self._methods.get(method)
        if not words:
            return words is not None
        return any(_has(text, word) for word in words)


@functools.lru_cache(maxsize=64)  # each call of a method asks about the same file
def _has(text: str, word: str) -> bool:
    """Whether a text contains all parts of a word of the catalog."""
    return all(part in text for part in word.split(" & "))


def words_that_decide(catalog: Catalog) -> tuple[str, ...]:
    """Returns the words of a file that decide whether a method of some name acquires in it."""
    words = (word for alternatives in _last_names(catalog).values() for word in alternatives)
    return tuple(sorted({part for word in words for part in word.split(" & ")}))


@functools.lru_cache(maxsize=8)
def _last_names(catalog: Catalog) -> Mapping[str, frozenset[str]]:
    """Returns the names of the methods that acquire, on any object or on one of a known type. A name that containers
    also have comes with words: without one of them in the file, the method does not acquire. A function of a module is
    no method: ``door.open()`` is not ``os.open()``."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for api in (api for alternatives in catalog.by_name.values() for api in alternatives):
        if acquires(api.returns) and _is_method(catalog, api.name):
            found.setdefault(api.name.rpartition(".")[2], []).append(api.words)
    common = {name for name in found if any(api.container for api in catalog.method(name))}
    return {
        name: frozenset().union(*words) if name in common and () not in words else frozenset()
        for name, words in found.items()
    }


def _is_method(catalog: Catalog, name: str) -> bool:
    """Whether an entry is for a method. A class with only methods in the catalog counts as a module there, but its name
    has a capital letter."""
    owner = name.rpartition(".")[0]
    return owner not in catalog.modules or owner.rpartition(".")[2][:1].isupper()
