"""Reads a record. It can come from anywhere, so each number in it is checked."""

from __future__ import annotations

import math
import os
from binascii import crc32
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fdlint.runtime.doctor.recorded import layout
from fdlint.runtime.doctor.trail import Spot
from fdlint.scan.reading import intake

_LONGEST_AGE = 1e10  # seconds since 1970: the year 2286
_MOST_FILES = 10_000


class NotARecordError(Exception):
    """The file is not a record. The message is the reason."""


@dataclass(frozen=True, slots=True)
class Made:
    """An acquisition. ``time``: seconds since 1970, None if it is nonsense. ``path``: the checksum of the path, None if
    the call opens no path. ``inode``: that of the descriptor, 0 if it was closed soon; None if it is not known yet.
    ``stack``: the innermost line first."""

    api: str
    time: float | None
    path: int | None
    inode: int | None
    stack: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A record. ``by_number``: the latest acquisition of each number."""

    file: str
    started: int
    by_number: Mapping[int, Made]


def read(file: str) -> Record:
    """Returns a record. Raises ``NotARecordError`` and ``OSError``."""
    data = intake.read(file, layout.size(layout.MOST_SLOTS))
    if len(data) < layout.SLOTS_FROM or not data.startswith(layout.MAGIC):
        raise NotARecordError("it does not begin like one")
    _, _, slots, started, _ = layout.HEADER.unpack_from(data)
    if slots > layout.MOST_SLOTS or len(data) < layout.size(slots):
        raise NotARecordError("it is shorter than it says")
    places = list(_places(data))
    found = ((number, _made(data, layout.slot(number), places)) for number in range(slots))
    return Record(file, started, {number: made for number, made in found if made is not None})


def file_in(directory: str, pids: tuple[int, ...], started: int) -> str | None:
    """Returns the record of a process in a directory. ``pids``: its numbers in the PID namespaces. Raises
    ``OSError``."""
    endings = tuple(f"-{pid}-{started}{layout.SUFFIX}" for pid in pids)
    with os.scandir(directory) as entries:
        for _, entry in zip(range(_MOST_FILES), entries, strict=False):
            if entry.name.endswith(endings):
                return entry.path
    return None


def _places(data: bytes) -> Iterator[Spot]:
    at = layout.PLACES_FROM
    while at + layout.PLACE.size <= layout.SLOTS_FROM:
        length, line = layout.PLACE.unpack_from(data, at)
        at += layout.PLACE.size
        if not 0 < length <= layout.LONGEST_TEXT or at + length > layout.SLOTS_FROM:
            return
        function, _, path = os.fsdecode(data[at : at + length]).partition(layout.SEPARATOR)
        yield Spot(path, line, function)
        at += length


def _made(data: bytes, at: int, places: list[Spot]) -> Made | None:
    """The acquisition in a slot; None if there is none, or it is damaged."""
    checked, serial, time, path, count, *numbers = layout.MADE.unpack_from(data, at)
    if not 0 < count <= len(numbers) or crc32(data[at + layout.CHECKED : at + layout.MADE.size]) != checked:
        return None
    inode, of = layout.STATUS.unpack_from(data, at + layout.MADE.size)
    spots = [places[number - 1] for number in numbers[:count] if 0 < number <= len(places)]
    if not spots or numbers[0] == 0 or spots[0].line:
        return None
    when = time if math.isfinite(time) and 0 < time < _LONGEST_AGE else None
    return Made(spots[0].function, when, path or None, inode if of == serial else None, tuple(spots[1:]))
