"""Which functions are worth following: those that may acquire a descriptor."""

from __future__ import annotations

from collections.abc import Callable

from fdlint.catalog import Catalog
from fdlint.catalog.model import Ancillary, Fresh, FreshList, Shape, TupleOf
from fdlint.graph import Call, Graph


class Relevance:
    """Answers for one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._methods = _last_names(catalog)

    def may_acquire(self, graph: Graph, renamed: Callable[[Call], Call] | None = None) -> bool:
        """Whether any call of the function acquires in some reading; ``renamed`` gives a call its catalog's name."""
        steps = (step.effect for block in graph.blocks for step in block.steps)
        calls = [effect for effect in steps if isinstance(effect, Call)]
        return any(map(self.acquires, calls)) or (renamed is not None and any(map(self.acquires, map(renamed, calls))))

    def most_likely_acquires(self, call: Call) -> bool:
        """Whether a call acquires in some reading, if a method that every dict has is that of a dict."""
        name = call.callee.name
        return self.acquires(call) and not any(api.container for api in self._catalog.method(name))

    def acquires(self, call: Call) -> bool:
        """Whether a call acquires in some reading."""
        callee = call.callee
        names = [arg.dotted for arg in call.args if arg.dotted is not None]
        if callee.dotted is not None:
            names.append(callee.dotted)
        elif callee.name in self._methods:
            return True
        return any(_makes(api.returns) for name in names for api in self._catalog.lookup(name))


def _last_names(catalog: Catalog) -> frozenset[str]:
    """The last names of everything that acquires: a method of one of them may be such a call."""
    apis = (api for alternatives in catalog.by_name.values() for api in alternatives)
    return frozenset(api.name.rpartition(".")[2] for api in apis if _makes(api.returns))


def _makes(shape: Shape) -> bool:
    match shape:
        case Fresh() | FreshList() | Ancillary():
            return True
        case TupleOf(items):
            return any(_makes(item) for item in items)
    return False
