"""Takes a snapshot: the chosen processes in detail, and of all others what they share with these."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from fdlint.runtime.doctor.devices import FUSE, is_exclusive, is_of_a_gpu
from fdlint.runtime.doctor.kinds import DMABUF, Kind
from fdlint.runtime.doctor.model import Connection, Descriptor, Entry, Holder, Process, Snapshot, Unseen
from fdlint.runtime.doctor.proc import fuse, processes
from fdlint.runtime.doctor.proc.descriptors import Tables
from fdlint.runtime.doctor.proc.files import GoneError, Procfs, RefusedError
from fdlint.runtime.doctor.proc.sockets import Networks, Sockets

_SHARED = frozenset({Kind.PIPE, Kind.SOCKET, Kind.DELETED, Kind.MEMFD})
_NOT_PERMITTED = "not permitted"
_FIRST = 4026531836
"""The inode of the first PID namespace, which shows all processes of the machine."""


def take(procfs: Procfs, pids: Sequence[int]) -> Snapshot:
    """Looks at processes. Those that have ended are left out. Raises ``GoneError`` if there is no procfs."""
    return _Look(procfs, Tables(procfs), Networks(procfs)).taken(pids)


@dataclass(slots=True)
class _Look:
    """One look; it collects what it could not see."""

    procfs: Procfs
    tables: Tables
    networks: Networks
    unseen: list[Unseen] = field(default_factory=list)

    def taken(self, pids: Sequence[int]) -> Snapshot:
        entries = processes.entries(self.procfs)
        seconds = time.monotonic()
        chosen = [one for pid in sorted({*pids}) if pid in entries and (one := self._process(entries[pid])) is not None]
        holders, hidden = self._holders(chosen, entries)
        connections = self._connections(entries) if any(map(_has_to_do_with_fuse, chosen)) else ()
        if hidden:
            what = f"the descriptors of {hidden:,} other process{'' if hidden == 1 else 'es'}"
            self.unseen.append(Unseen(None, what, _NOT_PERMITTED))
        if self.tables.allowance.left < 0:
            what = f"the details of {-self.tables.allowance.left:,} descriptors"
            self.unseen.append(Unseen(None, what, "there are too many"))
        whole = processes.pid_namespace(self.procfs, 1) == _FIRST
        complete = not hidden and whole and all(one.descriptors is not None for one in chosen)
        return Snapshot(seconds, tuple(chosen), entries, holders, connections, tuple(self.unseen), complete)

    def _process(self, entry: Entry) -> Process | None:
        """One process in detail; None if it ends meanwhile."""
        pid = entry.pid
        descriptors: tuple[Descriptor, ...] | None = None
        try:
            descriptors = self.tables.table(pid)
        except RefusedError:
            self.unseen.append(Unseen(pid, "the descriptors", _NOT_PERMITTED))
        except GoneError:
            return None
        opened = descriptors or ()
        known = self.networks.of(pid) if any(one.kind is Kind.SOCKET for one in opened) else Sockets()
        threads = tuple(processes.threads(self.procfs, pid))
        stuck = sum(one.state == "D" and one.waits_in is None for one in threads)
        if stuck:
            what = f"where {stuck:,} thread{' waits' if stuck == 1 else 's wait'} in state D"
            self.unseen.append(Unseen(pid, what, _NOT_PERMITTED))
        return Process(
            entry,
            descriptors,
            processes.limit(self.procfs, pid),
            threads,
            known.tcp,
            known.unix,
            processes.cgroup(self.procfs, pid),
            processes.pid_namespace(self.procfs, pid),
        )

    def _holders(
        self, chosen: Sequence[Process], entries: dict[int, Entry]
    ) -> tuple[dict[str, tuple[Holder, ...]], int]:
        """Who holds what the chosen processes hold, and the number of processes that could not be asked."""
        wanted = {one.link for process in chosen for one in process.open if _is_shared(one)}
        if any(map(_has_to_do_with_fuse, chosen)):
            wanted.add(FUSE)
        found: dict[str, list[Holder]] = {link: [] for link in wanted}
        known = {process.entry.pid: process for process in chosen}
        hidden = 0
        for pid in sorted(entries) if wanted else ():
            if entries[pid].is_zombie:
                continue
            try:
                held = self._held(pid, known.get(pid), wanted)
            except RefusedError:
                hidden += pid not in known
                continue
            except GoneError:
                continue
            for link, descriptors in held.items():
                found[link].append(Holder(pid, tuple(descriptors)))
        return {link: tuple(holders) for link, holders in found.items()}, hidden

    def _held(self, pid: int, process: Process | None, wanted: set[str]) -> dict[str, list[Descriptor]]:
        """What one process holds of the wanted links."""
        held: dict[str, list[Descriptor]] = {}
        for one in self.tables.links(pid) if process is None else process.open:
            if one.link in wanted:
                detailed = one if process is not None else self.tables.detailed(pid, one)
                held.setdefault(one.link, []).append(detailed)
        return held

    def _connections(self, entries: dict[int, Entry]) -> tuple[Connection, ...]:
        try:
            return fuse.connections(self.procfs, (pid for pid, one in entries.items() if not one.is_zombie))
        except RefusedError:
            self.unseen.append(Unseen(None, "the connections of FUSE", _NOT_PERMITTED))
        except GoneError:
            self.unseen.append(Unseen(None, "the connections of FUSE", "/sys/fs/fuse/connections is not mounted"))
        return ()


def _has_to_do_with_fuse(process: Process) -> bool:
    """Whether a process holds the device, or has a thread that may wait for a file system."""
    stuck = any(one.state == "D" or one.waits_for_fuse for one in process.threads)
    return stuck or any(one.name == FUSE for one in process.of(Kind.DEVICE))


def _is_shared(one: Descriptor) -> bool:
    return one.kind in _SHARED or one.name == DMABUF or is_exclusive(one) or is_of_a_gpu(one)
