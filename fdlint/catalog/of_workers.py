"""The catalog in which only objects with worker processes are acquired, and no descriptors."""

from __future__ import annotations

import functools
from dataclasses import replace

import msgspec

from fdlint.catalog.catalog import Catalog
from fdlint.catalog.model import Api, FreshObject, Nothing, Shape, TupleOf, Worker
from fdlint.catalog.shape import acquires
from fdlint.core.domain.owner import OwnerClass

_LEAVES = frozenset({"__exit__", "__aexit__"})  # a context manager among them ends with its block


@functools.lru_cache(maxsize=8)
def workers_alone(catalog: Catalog) -> Catalog:
    """Returns the catalog for the search of objects with worker processes that nobody ends."""
    without = [_without_descriptors(api) for apis in catalog.by_name.values() for api in apis]
    makers = [_maker(worker) for found in catalog.workers.values() for worker in found]
    alone = Catalog.of((*makers, *without), catalog.aliases, catalog.constants)
    return replace(
        alone,
        unknown_calls=catalog.unknown_calls,
        naming=catalog.naming,
        workers=catalog.workers,
        ending=catalog.ending,
    )


def _without_descriptors(api: Api) -> Api:
    return msgspec.structs.replace(api, returns=Nothing()) if acquires(api.returns) else api


def _maker(worker: Worker) -> Api:
    ends = _LEAVES.union(worker.torn_down_by)
    made = OwnerClass(worker.api.name, worker, ends=ends, leaves="__exit__", listed=True, borrowed=worker.borrowed)
    one = FreshObject(made)
    shape: Shape = TupleOf((one, one)) if worker.pair else one
    return msgspec.structs.replace(worker.api, returns=shape)
