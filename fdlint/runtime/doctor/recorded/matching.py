"""Compares a record with the descriptors that are open now. What was closed meanwhile is forgotten."""

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Iterator

from fdlint.runtime.doctor.kinds import Kind, kinds_of
from fdlint.runtime.doctor.model import Descriptor, Process
from fdlint.runtime.doctor.recorded.reading import Made, Record

_PATHS = frozenset({Kind.FILE, Kind.DELETED, Kind.DEVICE})


def matches(process: Process, record: Record) -> Iterator[tuple[Descriptor, Made]]:
    """Yields the descriptors whose acquisition is recorded."""
    for one in process.open:
        made = record.by_number.get(one.number)
        if made is not None and _fits(one, made):
            yield one, made


def _fits(one: Descriptor, made: Made) -> bool:
    """Whether a descriptor is the recorded one. The number alone says little: it can belong to another file by now,
    which code opened that records nothing."""
    kinds = kinds_of(made.api)
    if kinds is not None and one.kind not in kinds:
        return False
    if made.inode is not None and one.inode is not None and made.inode == one.inode:
        return True
    same_path = made.path is not None and one.kind in _PATHS and crc32(os.fsencode(one.name)) == made.path
    return same_path or (made.inode is None and made.path is None)
