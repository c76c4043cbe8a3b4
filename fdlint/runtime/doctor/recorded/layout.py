"""The form of a record, the file in which a process notes its acquisitions. Readers trust nothing in it.

A record has a header, a region of places, and a slot for each number of a descriptor. A place is a line of code or the
name of a call: each is written once, and slots name it by its ordinal number. A slot is overwritten when its number is
acquired again. So the size has a bound, and a process that is killed leaves a readable file.
"""

from __future__ import annotations

import struct

MAGIC = b"FDLINTR1"
HEADER = struct.Struct("<8sIIQQ")
"""The magic, the process, the number of slots, the start of the process in clock ticks, and its PID namespace."""
PLACE = struct.Struct("<HI")
"""The length of the text that follows, and the line; the line is 0 for the name of a call. The first length of 0 ends
the places."""
FRAMES = 11
MADE = struct.Struct(f"<IIdIB3x{1 + FRAMES}I")
"""The checksum of the rest, the serial number, the time, the checksum of the path (0 for none), the number of places,
and the places: the call, then the lines, the innermost first."""
STATUS = struct.Struct("<QI4x")
"""The inode, and the serial number of the acquisition whose descriptor has it. It is noted at the next acquisition,
because an audit event comes before the descriptor."""
SLOT = MADE.size + STATUS.size
CHECKED = 4
"""The bytes of the checksum."""
PLACES_FROM = 64
PLACES = 192 * 1024
SLOTS_FROM = PLACES_FROM + PLACES
FIRST_SLOTS, MOST_SLOTS = 1_024, 65_536
LONGEST_TEXT = 1_000
SEPARATOR = "\0"
"""Stands between the function and the path in the text of a place."""
SUFFIX = ".fdlint-record"


def size(slots: int) -> int:
    """Returns the size of a record with this number of slots."""
    return SLOTS_FROM + slots * SLOT


def slot(number: int) -> int:
    """Returns the place of a descriptor's slot in the file."""
    return SLOTS_FROM + number * SLOT


def name(namespace: int, pid: int, started: int) -> str:
    """Returns the name of a process's record in the directory of records."""
    return f"{namespace}-{pid}-{started}{SUFFIX}"
