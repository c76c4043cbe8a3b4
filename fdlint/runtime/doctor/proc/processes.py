"""Reads what procfs tells of a process besides its descriptors: status, limits, threads, containers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fdlint.runtime.doctor.model import Entry, Limit, Thread
from fdlint.runtime.doctor.proc.files import GoneError, Procfs, RefusedError

_UNKNOWN_PLACE = frozenset({"", "0", "-"})
_SLEEPING = frozenset({"D", "S"})
_KILLED = 1 << 8  # the bit of SIGKILL
_LIMIT = "Max open files"


def entries(procfs: Procfs) -> dict[int, Entry]:
    """Returns all visible processes. Raises ``GoneError`` if there is no procfs."""
    found = (entry(procfs, pid) for pid in procfs.numbers())
    return {one.pid: one for one in found if one is not None}


def entry(procfs: Procfs, pid: int) -> Entry | None:
    """Returns one process; None if it has ended."""
    try:
        text = procfs.text(pid, "stat")
        name, fields = _fields(text)
        return Entry(pid, name, fields[0], int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))
    except (GoneError, RefusedError, ValueError, IndexError):
        return None


def threads(procfs: Procfs, pid: int) -> Iterator[Thread]:
    """Yields the threads of a process, with where they sleep. Of those that may be stuck it reads also whether they
    were killed, and how often they have slept."""
    try:
        numbers = procfs.numbers(pid, "task")
    except (GoneError, RefusedError):
        return
    for number in numbers:
        try:
            name, fields = _fields(procfs.text(pid, "task", number, "stat"))
            one = Thread(number, name, fields[0], _place(procfs, pid, number) if fields[0] in _SLEEPING else None)
            yield _with_status(procfs, pid, one) if fields[0] == "D" or one.waits_for_fuse else one
        except (GoneError, RefusedError, IndexError):
            continue


def limit(procfs: Procfs, pid: int) -> Limit | None:
    """Returns the limits of the number of descriptors; None if they cannot be read."""
    try:
        text = procfs.text(pid, "limits")
    except (GoneError, RefusedError):
        return None
    for line in text.split("\n"):
        words = line.removeprefix(_LIMIT).split()
        if line.startswith(_LIMIT) and len(words) > 1:
            soft, hard = (int(word) if word.isdigit() else None for word in words[:2])
            return Limit(soft, hard)
    return None


def cgroup(procfs: Procfs, pid: int) -> str | None:
    """Returns the path of a process's cgroup: that of version 2, or the longest of version 1."""
    try:
        text = procfs.text(pid, "cgroup")
    except (GoneError, RefusedError):
        return None
    paths = [line.split(":", 2)[2] for line in text.split("\n") if line.count(":") > 1]
    unified = [line.removeprefix("0::") for line in text.split("\n") if line.startswith("0::")]
    if unified and unified[0] not in ("", "/"):
        return unified[0]
    return max(paths, key=len, default=None)


def numbers_in_namespaces(procfs: Procfs, pid: int) -> tuple[int, ...]:
    """Returns the numbers of a process, the one in the innermost PID namespace last."""
    try:
        lines = procfs.text(pid, "status").split("\n")
    except (GoneError, RefusedError):
        return (pid,)
    found = next((line.partition(":")[2].split() for line in lines if line.startswith("NSpid:")), [])
    return tuple(dict.fromkeys([pid, *(int(word) for word in found if word.isascii() and word.isdigit())]))


def pid_namespace(procfs: Procfs, pid: int) -> int | None:
    """Returns the inode of a process's PID namespace; None if this user may not read it."""
    number = (procfs.namespace(pid, "pid") or "").removeprefix("pid:[").removesuffix("]")
    return int(number) if number.isascii() and number.isdigit() else None


def command_line(procfs: Procfs, one: Entry) -> str:
    """Returns the words of a command, or its name if they cannot be read. Reading them blocks while a thread of the
    process is stuck with its memory locked, so a process with a thread in state D has only its name."""
    if any(thread.state == "D" for thread in threads(procfs, one.pid)):
        return one.name
    try:
        words = procfs.text(one.pid, "cmdline", limit=2_000_000)
    except (GoneError, RefusedError):
        return one.name
    return words.rstrip("\0").replace("\0", " ") or one.name


def _fields(text: str) -> tuple[str, list[str]]:
    """Returns the name in a ``stat``, and the fields after it. The name may contain spaces and parentheses."""
    start, _, rest = text.rpartition(")")
    return start.partition("(")[2], rest.split()


def _with_status(procfs: Procfs, pid: int, one: Thread) -> Thread:
    """Adds whether SIGKILL is pending for a thread or for its process, and the number of its sleeps."""
    try:
        lines = procfs.text(pid, "task", one.number, "status").split("\n")
        values = dict(line.split(":", 1) for line in lines if ":" in line)
        killed = any(int(values[name], 16) & _KILLED for name in ("SigPnd", "ShdPnd") if name in values)
        sleeps = values.get("voluntary_ctxt_switches")
        return replace(one, killed=killed, sleeps=int(sleeps) if sleeps is not None else None)
    except (GoneError, RefusedError, ValueError):
        return one


def _place(procfs: Procfs, pid: int, number: int) -> str | None:
    try:
        place = procfs.text(pid, "task", number, "wchan").strip()
    except (GoneError, RefusedError):
        return None
    return None if place in _UNKNOWN_PLACE else place
