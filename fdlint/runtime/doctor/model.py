"""The nouns of an examination: processes with their descriptors and threads, and what could not be seen."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field

from fdlint.runtime.doctor.kinds import Kind, group_of

_ACCESS = 0o3
_WAITS_FOR_FUSE = "request_wait_answer"
_CLOSE_ON_EXEC = 0o2000000


@dataclass(frozen=True, slots=True)
class Details:
    """A descriptor's ``fdinfo``. ``position``: the offset in bytes. ``watches``: the number of descriptors or files
    that an ``eventpoll`` or ``inotify`` watches. ``refers_to``: the FUSE connection of ``/dev/fuse``, the interface of
    ``/dev/net/tun``, the process of a pidfd. ``in_flight``: descriptors in messages that nobody has received from this
    socket. ``size``: the bytes of a buffer that a driver shares. None and 0: the kernel does not tell."""

    flags: int
    position: int | None = None
    mount: int | None = None
    inode: int | None = None
    watches: int = 0
    refers_to: str | None = None
    in_flight: int = 0
    size: int | None = None

    @property
    def reads(self) -> bool:
        """Whether it is open for reading."""
        return self.flags & _ACCESS != 1

    @property
    def writes(self) -> bool:
        """Whether it is open for writing."""
        return self.flags & _ACCESS != 0

    @property
    def is_inherited(self) -> bool:
        """Whether a program gets it that the process starts with exec."""
        return not self.flags & _CLOSE_ON_EXEC


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One entry of a descriptor table. ``link``: the target of its link as the kernel shows it. ``bytes``: the disk or
    memory that a deleted file keeps, or a buffer that a driver shares. ``idle``: the seconds since a deleted file was
    last written. None if they are unknown. ``details``: None if they could not be read."""

    number: int
    kind: Kind
    name: str
    link: str
    inode: int | None = None
    bytes: int | None = None
    idle: int | None = None
    details: Details | None = None

    @property
    def place(self) -> tuple[Kind, str]:
        """What it has in common with other descriptors that the same code made."""
        return self.kind, group_of(self.name)


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread. ``state`` is one letter, such as D for uninterruptible sleep. ``waits_in``: the kernel function in
    which it sleeps; None if it does not sleep, or the kernel does not tell this user. ``killed``: it has got SIGKILL,
    and has not ended. ``sleeps``: how often it has slept; None if that was not read."""

    number: int
    name: str
    state: str
    waits_in: str | None = None
    killed: bool = False
    sleeps: int | None = None

    @property
    def waits_for_fuse(self) -> bool:
        """Whether it waits for the answer of a FUSE file system. Its state is S until a signal reaches it, then D."""
        return self.waits_in == _WAITS_FOR_FUSE


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list of processes. ``started``: in clock ticks after the boot."""

    pid: int
    name: str
    state: str
    parent: int
    group: int
    session: int
    started: int

    @property
    def is_zombie(self) -> bool:
        """Whether it has ended, and its parent has not asked for its status."""
        return self.state in ("Z", "X")


@dataclass(frozen=True, slots=True)
class Limit:
    """The limits of the number of open descriptors; None for no limit."""

    soft: int | None
    hard: int | None


@dataclass(frozen=True, slots=True)
class Process:
    """A process under examination. ``descriptors`` is None if this user may not read them. ``tcp`` maps the inodes of
    its TCP sockets to their states; ``unix`` has the inodes of Unix sockets in its network namespace. ``cgroup``: its
    path, ``namespace``: the inode of its PID namespace, None if it is unknown."""

    entry: Entry
    descriptors: tuple[Descriptor, ...] | None = None
    limit: Limit | None = None
    threads: tuple[Thread, ...] = ()
    tcp: Mapping[int, str] = field(default_factory=dict)
    unix: frozenset[int] = frozenset()
    cgroup: str | None = None
    namespace: int | None = None

    @property
    def open(self) -> tuple[Descriptor, ...]:
        """Its descriptors, none if they could not be read."""
        return self.descriptors or ()

    def of(self, kind: Kind) -> list[Descriptor]:
        """Returns its descriptors of one kind, in the order of their numbers."""
        return [one for one in self.open if one.kind is kind]


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds something, and the descriptors with which it does."""

    pid: int
    descriptors: tuple[Descriptor, ...]

    @property
    def reads(self) -> bool | None:
        """Whether one of them is open for reading; None if that is unknown."""
        known = [one.details for one in self.descriptors]
        return True if any(one is not None and one.reads for one in known) else None if None in known else False

    @property
    def writes(self) -> bool | None:
        """Whether one of them is open for writing; None if that is unknown."""
        known = [one.details for one in self.descriptors]
        return True if any(one is not None and one.writes for one in known) else None if None in known else False


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection of FUSE: its number and its requests that wait for an answer. ``mounts`` are its mount points."""

    number: int
    waiting: int
    mounts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that could not be read, and the reason. ``pid`` is None for what belongs to no single process."""

    pid: int | None
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one look found. ``seconds``: monotonic time. ``processes``: in the order of their numbers.
    ``entries``: all visible processes. ``holders``: for each link
    of a pipe, a socket or a device that an examined process holds, who else holds it; processes under examination
    are among them. ``complete``: the descriptors of all processes of the machine could be read."""

    seconds: float
    processes: tuple[Process, ...]
    entries: Mapping[int, Entry] = field(default_factory=dict)
    holders: Mapping[str, tuple[Holder, ...]] = field(default_factory=dict)
    connections: tuple[Connection, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    complete: bool = False
    _by_parent: dict[int, list[Entry]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def process(self, pid: int) -> Process | None:
        """Returns an examined process; None if there is none of this number."""
        place = bisect.bisect_left(self.processes, pid, key=lambda one: one.entry.pid)
        found = self.processes[place] if place < len(self.processes) else None
        return found if found is not None and found.entry.pid == pid else None

    def children(self, pid: int) -> list[Entry]:
        """Returns the children of a process, in the order of their numbers."""
        if not self._by_parent:
            for one in sorted(self.entries.values(), key=lambda one: one.pid):
                self._by_parent.setdefault(one.parent, []).append(one)
        return self._by_parent.get(pid, [])
