"""From the descriptors of a process to the lines that acquired them, as the process itself has recorded them."""

from __future__ import annotations

import os
import re
from binascii import crc32
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fdlint.runtime.doctor.examination import Examination
from fdlint.runtime.doctor.kinds import Kind, kinds_of
from fdlint.runtime.doctor.model import Descriptor, Process, Unseen
from fdlint.runtime.doctor.proc import processes
from fdlint.runtime.doctor.proc.files import Procfs
from fdlint.runtime.doctor.recorded.reading import Made, NotARecordError, Record, file_in, read
from fdlint.runtime.doctor.trail import Spot, Trail
from fdlint.scan.reading import intake

_PATHS = frozenset({Kind.FILE, Kind.DELETED, Kind.DEVICE})

_LIBRARY = re.compile(r"^<|/(?:lib(?:64)?/python3[^/]*|site-packages|dist-packages|fdlint/runtime/recording)/")
_WHAT = "its record"


@dataclass(frozen=True, slots=True)
class Code:
    """The project that the user names. ``paths``: its files by their absolute paths, and by the ends of these that are
    unique: in a container, the same file can have another directory. ``codes``: what fdlint reports, by path and
    line."""

    paths: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Iterable[str], codes: Mapping[tuple[str, int], tuple[str, ...]]) -> Code:
        """Makes one of the project's files, as findings name them."""
        absolute = {os.path.realpath(path): path for path in paths}
        ends = Counter(map(_end, absolute))
        short = {_end(path): shown for path, shown in absolute.items() if ends[_end(path)] == 1}
        return cls({**short, **absolute}, codes)

    def name(self, path: str) -> str:
        """Returns the project's name of a file; the path itself if it is not of the project."""
        return self.paths.get(path) or self.paths.get(_end(path)) or path


NO_CODE = Code()


def with_records(found: Examination, procfs: Procfs, place: str, code: Code = NO_CODE) -> Examination:
    """Returns an examination with the lines that a record has, or the records in a directory. Processes without one
    are among what could not be seen. Raises ``NotARecordError`` and ``OSError`` for a file that is no record."""
    trails: dict[int, tuple[Trail, ...]] = {}
    unseen: list[Unseen] = []
    whole = None if os.path.isdir(place) else read(place)
    for process in found.snapshot.processes:
        record = whole if whole is not None else _record_in(place, procfs, process, unseen)
        if record is None:
            continue
        if record.started != process.entry.started:
            unseen.append(Unseen(process.entry.pid, _WHAT, f"{record.file} is of another process"))
        else:
            trails[process.entry.pid] = tuple(_trails(process, record, code))
    last = replace(found.snapshot, unseen=(*found.snapshot.unseen, *unseen))
    return replace(found, looks=(*found.looks[:-1], last), trails=trails)


def _record_in(directory: str, procfs: Procfs, process: Process, unseen: list[Unseen]) -> Record | None:
    pid = process.entry.pid
    try:
        file = file_in(directory, processes.numbers_in_namespaces(procfs, pid), process.entry.started)
        if file is not None:
            return read(file)
        why = f"there is none in {directory}"
    except OSError as error:
        why = intake.why(error)
    except NotARecordError as error:
        why = str(error)
    unseen.append(Unseen(pid, _WHAT, why))
    return None


def _trails(process: Process, record: Record, code: Code) -> Sequence[Trail]:
    """The recorded acquisitions of one stack together, the most frequent first."""
    groups: dict[tuple[str, tuple[Spot, ...], str, str], list[tuple[Descriptor, Made]]] = {}
    for one, made in matches(process, record):
        groups.setdefault((made.api, _told(made.stack), *_word(one)), []).append((one, made))
    found = [_trail(stack, group, code) for (_, stack, _, _), group in groups.items()]
    return sorted(found, key=lambda one: (-len(one.numbers), one.numbers))


def _word(one: Descriptor) -> tuple[str, str]:
    """The kind, and the name where it tells more; each deleted file has a name of its own."""
    return one.kind.value, one.name if one.name.startswith("/dev/") else ""


def _told(stack: tuple[Spot, ...]) -> tuple[Spot, ...]:
    """The lines of a stack that are not of libraries; all of them if there is no such line."""
    return tuple(spot for spot in stack if not _LIBRARY.search(spot.path)) or stack


def _trail(stack: Iterable[Spot], group: Sequence[tuple[Descriptor, Made]], code: Code) -> Trail:
    first, made = group[0]
    times = [one.time for _, one in group if one.time is not None]
    stack = tuple(replace(spot, path=code.name(spot.path)) for spot in stack)
    codes = dict.fromkeys(each for spot in stack for each in code.codes.get((spot.path, spot.line), ()))
    kind, name = _word(first)
    oldest, newest = (min(times), max(times)) if times else (None, None)
    numbers = tuple(one.number for one, _ in group)
    return Trail(kind, name, made.api, _site(stack, code), stack, numbers, oldest, newest, tuple(codes))


def _end(path: str) -> str:
    """The last directory of a path and the name."""
    return "/".join(path.split("/")[-2:])


def _site(stack: Sequence[Spot], code: Code) -> Spot | None:
    """The innermost line of the project, or else of any code."""
    own = set(code.paths.values())
    return next((spot for spot in stack if spot.path in own), next(iter(stack), None))


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
