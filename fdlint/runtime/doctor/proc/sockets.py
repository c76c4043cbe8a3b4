"""Reads the sockets of a network namespace: the states of TCP, and which inodes are Unix sockets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fdlint.runtime.doctor.proc.files import LONGEST, GoneError, Procfs, RefusedError

CLOSE_WAIT = "CLOSE_WAIT"
_STATES = (
    *("", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE", CLOSE_WAIT),
    *("LAST_ACK", "LISTEN", "CLOSING", "NEW_SYN_RECV"),
)


@dataclass(frozen=True, slots=True)
class Sockets:
    """The sockets of a network namespace. ``tcp``: states by inode. ``unix``: the inodes of Unix sockets."""

    tcp: Mapping[int, str] = field(default_factory=dict)
    unix: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Networks:
    """Reads each network namespace once."""

    procfs: Procfs
    _known: dict[str, Sockets] = field(default_factory=dict)

    def of(self, pid: int) -> Sockets:
        """Returns the sockets of a process's network namespace."""
        namespace = self.procfs.namespace(pid, "net")
        if namespace is None:
            return Sockets(tcp(self.procfs, pid), unix(self.procfs, pid))
        if namespace not in self._known:
            self._known[namespace] = Sockets(tcp(self.procfs, pid), unix(self.procfs, pid))
        return self._known[namespace]


def tcp(procfs: Procfs, pid: int) -> dict[int, str]:
    """Returns the states of the TCP sockets in a process's network namespace, by inode."""
    found: dict[int, str] = {}
    for name in ("tcp", "tcp6"):
        for fields in _table(procfs, pid, name):
            if len(fields) > 9 and fields[9].isdigit():
                number = int(fields[3], 16) if len(fields[3]) == 2 else 0
                found[int(fields[9])] = _STATES[number] if number < len(_STATES) else ""
    return found


def unix(procfs: Procfs, pid: int) -> frozenset[int]:
    """Returns the inodes of the Unix sockets in a process's network namespace."""
    rows = _table(procfs, pid, "unix")
    return frozenset(int(fields[6]) for fields in rows if len(fields) > 6 and fields[6].isdigit())


def _table(procfs: Procfs, pid: int, name: str) -> list[list[str]]:
    try:
        text = procfs.text(pid, "net", name, limit=LONGEST)
    except (GoneError, RefusedError):
        return []
    return [line.split() for line in text.split("\n")[1:]]
