"""Models of functions that do their work while somebody iterates over their result."""

from __future__ import annotations

from fdlint.catalog import Catalog
from fdlint.core.domain.state import State
from fdlint.core.domain.values import Lazy, mentions_any
from fdlint.core.engine.eval import value_of, values_in
from fdlint.core.engine.match_api import Reading
from fdlint.core.ir import Graph


def lazy_map(catalog: Catalog, graph: Graph, state: State, reading: Reading) -> Lazy:
    """Returns the result of ``map``: the items, and whether the function closes them."""
    sources = [arg for name, arg in reading.bound if name.startswith("*")]
    function = next((arg for name, arg in reading.bound if not name.startswith("*")), None)
    closes = any(
        api.closed for api in (catalog.lookup(function.dotted) if function is not None and function.dotted else ())
    )
    items = tuple(one for arg in sources for one in values_in(state, value_of(state, graph, arg.value))[0])
    return Lazy(closes, tuple(one for one in items if mentions_any(one)))
