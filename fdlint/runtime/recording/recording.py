"""Records in a file what this process acquires, for ``fdlint doctor --record``. It runs inside of programs in
production, so it must never break them: whatever fails ends the recording, and nothing else. Exceptions of the program
that pass through (``is_own``) leave the record as it is.

The file is mapped into memory, and its blocks are allocated first: a full disk cannot hurt later. A write is a copy
into the map. A child that was forked begins a file of its own at its first acquisition. At its end a process removes
its file; files of killed processes are removed by the next one that begins.
"""

from __future__ import annotations

import atexit
import mmap
import os
import sys
import time
from binascii import crc32
from collections.abc import Sequence
from types import FrameType

from fdlint.runtime.doctor.recorded import layout
from fdlint.runtime.recording import hearing
from fdlint.runtime.recording.failures import is_own

VARIABLE = "FDLINT_RECORD"
_MOST_CHECKED = 512
_STDERR = 2
_NO_FD = {"trackfd": False} if sys.version_info >= (3, 13) else {}
_getpid, _now, _status = os.getpid, time.time, os.fstat
_active: list[Record] = []


class Record:
    """The record of this process, in a directory."""

    def __init__(self, directory: str) -> None:
        self._directory = os.path.abspath(directory)
        self._pid = 0
        self._busy = False
        self._map: mmap.mmap | None = None
        self._kept: list[mmap.mmap] = []  # to end a map closes a number that can belong to another file by then
        self._path = ""
        self._slots = 0
        self._serial = 0
        self._last: Sequence[int] = ()
        self._pathless: set[int] = set()
        self._places: dict[tuple[str, int, str], int] = {}
        self._free = layout.PLACES_FROM

    def start(self) -> None:
        """Begins to record. Raises ``OSError``."""
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        self._begin()
        hearing.listen(self)
        _active.append(self)
        atexit.register(self.end)

    def end(self) -> None:
        """Removes the file, unless it belongs to the parent of this process."""
        hearing.forget(self)
        if self._pid == _getpid() and self._path:
            _remove(self._path)
        self._map = None

    def note(self, numbers: Sequence[int], api: str, path: str | None, frame: FrameType) -> None:
        """Records what a call acquires. ``numbers``: none if they are not known."""
        if not numbers or self._busy:
            return
        self._busy = True
        try:
            if self._pid != _getpid():
                self._begin()
            if max(numbers) >= self._slots:
                self._grow(max(numbers))
            if self._map is not None and max(numbers) < self._slots:
                self._write(self._map, numbers, api, path, frame)
        except Exception as error:
            if not is_own(error):
                raise
            self._give_up()  # the disk is full, or the directory has gone
        finally:
            self._busy = False

    def adopt(self, number: int, api: str, frame: FrameType) -> None:
        """Records it unless the number has an acquisition that can have made what is adopted."""
        if number not in self._pathless:
            self.note((number,), api, None, frame)

    def _give_up(self) -> None:
        """Records nothing more in this process. A file of its parent is none of its own."""
        if self._pid != _getpid():
            self._pid, self._path = _getpid(), ""
        self._map = None

    def _write(
        self, place: mmap.mmap, numbers: Sequence[int], api: str, path: str | None, frame: FrameType | None
    ) -> None:
        self._complete(place)
        self._serial += 1
        places = [self._place(place, "", 0, api)]
        while frame is not None and len(places) <= layout.FRAMES:
            code = frame.f_code
            places.append(self._place(place, code.co_filename, frame.f_lineno or 0, code.co_name))
            frame = frame.f_back
        count = len(places)
        places += [0] * (1 + layout.FRAMES - count)
        named = crc32(os.fsencode(path)) if path is not None else 0
        made = layout.MADE.pack(0, self._serial & 0xFFFFFFFF, _now(), named, count, *places)
        checked = made[layout.CHECKED :]
        data = crc32(checked).to_bytes(4, "little") + checked
        for number in numbers:
            start = layout.slot(number)
            place[start : start + layout.MADE.size] = data
        self._last = numbers
        if path is None:
            self._pathless.update(numbers)
        else:
            self._pathless.difference_update(numbers)

    def _complete(self, place: mmap.mmap) -> None:
        """Notes the inodes of the descriptors that the last call acquired: they exist only now."""
        last, self._last = self._last, ()
        for number in last:
            try:
                inode = _status(number).st_ino
            except OSError as error:  # it is closed again
                if not is_own(error):
                    raise
                inode = 0
            start = layout.slot(number) + layout.MADE.size
            place[start : start + layout.STATUS.size] = layout.STATUS.pack(inode, self._serial & 0xFFFFFFFF)

    def _place(self, place: mmap.mmap, path: str, line: int, name: str) -> int:
        """Returns the number of a line; writes it if it is new. 0 if there is no room left."""
        key = path, line, name
        known = self._places.get(key)
        if known is not None:
            return known
        text = os.fsencode(f"{name}{layout.SEPARATOR}{path}")[: layout.LONGEST_TEXT]
        data = layout.PLACE.pack(len(text), line) + text
        if self._free + len(data) + layout.PLACE.size > layout.SLOTS_FROM:
            return 0
        place[self._free + 2 : self._free + len(data)] = data[2:]
        place[self._free : self._free + 2] = data[:2]  # the length comes last: a reader stops before it
        self._free += len(data)
        self._places[key] = number = len(self._places) + 1
        return number

    def _begin(self) -> None:
        """Makes the file of this process. A forked child takes over what its parent has recorded."""
        pid, namespace, (_, started) = _getpid(), _namespace(), _status_of("self")
        _remove_left(self._directory, namespace)
        path = os.path.join(self._directory, layout.name(namespace, pid, started))
        slots = self._slots or layout.FIRST_SLOTS
        _remove(path)  # there is one if this process has executed another program
        new = self._mapped(path, slots, os.O_CREAT | os.O_EXCL)
        if self._map is not None:
            new[:] = self._map[: len(new)]
        new[: layout.HEADER.size] = layout.HEADER.pack(layout.MAGIC, pid, slots, started, namespace)
        self._map, self._path, self._slots, self._pid = new, path, slots, pid

    def _grow(self, number: int) -> None:
        if self._map is None or number >= layout.MOST_SLOTS:
            return
        slots = self._slots
        while slots <= number:
            slots *= 2
        new = self._mapped(self._path, slots, 0)
        new[12:16] = slots.to_bytes(4, "little")
        self._map, self._slots = new, slots

    def _mapped(self, path: str, slots: int, flags: int) -> mmap.mmap:
        number = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | flags, 0o600)
        try:
            os.posix_fallocate(number, 0, layout.size(slots))
            made = mmap.mmap(number, layout.size(slots), **_NO_FD)
        except OSError as error:
            if is_own(error):
                _remove(path)  # the disk is full; without its blocks the file would hurt later
            raise
        finally:
            os.close(number)
        self._kept.append(made)
        return made


def begin_from_environment() -> None:
    """Begins to record if the environment asks for it. Writes to standard error why it cannot: a warning can raise."""
    directory = os.environ.get(VARIABLE)
    if not directory or _active:
        return
    try:
        Record(directory).start()
    except Exception as error:
        if not is_own(error):
            raise
        _say(f"fdlint: {VARIABLE}: nothing is recorded: {error}\n")


def _say(text: str) -> None:
    try:
        os.write(_STDERR, text.encode(errors="replace"))
    except OSError as error:
        if not is_own(error):
            raise


def _namespace() -> int:
    """The PID namespace; 0 if the kernel does not tell."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError as error:
        if not is_own(error):
            raise
        return 0


def _status_of(pid: int | str) -> tuple[str, int]:
    """The state of a process, and when it started, in clock ticks after the boot."""
    with open(f"/proc/{pid}/stat", "rb", buffering=0) as stream:
        fields = stream.read(4_096).rpartition(b")")[2].split()
    return os.fsdecode(fields[0]), int(fields[19])


def _remove_left(directory: str, namespace: int) -> None:
    """Removes the files of processes that were killed."""
    found = [name for name in os.listdir(directory) if name.endswith(layout.SUFFIX)]
    for name in found[:_MOST_CHECKED]:
        whose, pid, started = f"{name.removesuffix(layout.SUFFIX)}--".split("-", 2)
        if whose == str(namespace) and pid.isascii() and pid.isdigit() and not _lives(pid, started.strip("-")):
            _remove(os.path.join(directory, name))


def _remove(path: str) -> None:
    """Removes a file, if it is there and can be removed."""
    try:
        os.unlink(path)
    except OSError as error:
        if not is_own(error):
            raise


def _lives(pid: str, started: str) -> bool:
    try:
        state, since = _status_of(pid)
    except (OSError, ValueError, IndexError) as error:
        if not is_own(error):
            raise
        return False
    return state not in ("Z", "X") and str(since) == started
