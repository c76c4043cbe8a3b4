"""Chooses the processes to examine: by number, by command, by cgroup, by PID namespace."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fdlint.runtime.doctor.model import Entry
from fdlint.runtime.doctor.proc import processes
from fdlint.runtime.doctor.proc.files import Procfs


@dataclass(frozen=True, slots=True)
class Choice:
    """The processes that the user asks for. ``pattern``: what the command line must contain. ``cgroup``: a part of the
    cgroup's path. ``beside``: a process whose PID namespace they share. The last two narrow the choice."""

    pids: tuple[int, ...] = ()
    everything: bool = False
    pattern: re.Pattern[str] | None = None
    cgroup: str | None = None
    beside: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the user has chosen nothing."""
        narrows = self.cgroup is not None or self.beside is not None
        return not (self.pids or self.everything or self.pattern is not None or narrows)


def choose(procfs: Procfs, choice: Choice) -> tuple[int, ...]:
    """Returns the numbers of the chosen processes, in ascending order. Named processes need not exist. Never chooses
    this process, except by its number. Raises ``GoneError`` if there is no procfs."""
    entries = processes.entries(procfs)
    found = set(choice.pids)
    if choice.pattern is not None:
        found.update(_matching(procfs, entries.values(), choice.pattern))
    if choice.everything or not (choice.pids or choice.pattern is not None):
        found.update(one.pid for one in entries.values() if not _is_of_the_kernel(one) and one.pid != os.getpid())
    if choice.cgroup is not None:
        found = {pid for pid in found if choice.cgroup in (processes.cgroup(procfs, pid) or "")}
    if choice.beside is not None:
        namespace = processes.pid_namespace(procfs, choice.beside)
        found = {pid for pid in found if namespace is not None and processes.pid_namespace(procfs, pid) == namespace}
    return tuple(sorted(found))


def _matching(procfs: Procfs, entries: Iterable[Entry], pattern: re.Pattern[str]) -> Iterator[int]:
    for one in entries:
        if one.pid == os.getpid() or _is_of_the_kernel(one):
            continue
        if pattern.search(one.name) or pattern.search(processes.command_line(procfs, one)):
            yield one.pid


def _is_of_the_kernel(one: Entry) -> bool:
    """Whether this is a thread of the kernel: it has no group, and its parent is kthreadd."""
    return one.group == 0 and one.parent in (0, 2)
