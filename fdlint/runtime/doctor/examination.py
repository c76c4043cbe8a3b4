"""An examination: looks, the judgements on the last one, and the code that fits."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fdlint.runtime.doctor.judging import judge
from fdlint.runtime.doctor.judging.verdict import Grade, Judgement
from fdlint.runtime.doctor.model import Process, Snapshot
from fdlint.runtime.doctor.proc.files import Procfs
from fdlint.runtime.doctor.sharing import Shared, shared_files
from fdlint.runtime.doctor.snapshot import take
from fdlint.runtime.doctor.suspects import Suspect
from fdlint.runtime.doctor.trail import Trail
from fdlint.runtime.doctor.watching import LOOKS, Growth, growth


@dataclass(frozen=True, slots=True)
class Examination:
    """The result for all chosen processes. ``suspects``: by process, the acquiring calls of a project that fit its
    descriptors, the most suspicious first; empty without a project. ``ended``: chosen processes that ended. ``shared``:
    by process, the open files that others have too. ``trails``: by process, the lines that it has recorded for its
    descriptors; a process without a record is not in it."""

    looks: tuple[Snapshot, ...]
    judgements: tuple[Judgement, ...]
    suspects: dict[int, tuple[Suspect, ...]]
    ended: tuple[int, ...] = ()
    shared: Mapping[int, tuple[Shared, ...]] = field(default_factory=dict)
    trails: Mapping[int, tuple[Trail, ...]] = field(default_factory=dict)

    @property
    def snapshot(self) -> Snapshot:
        """The last look."""
        return self.looks[-1]

    @property
    def has_findings(self) -> bool:
        """Whether a process shows a pattern for certain."""
        return any(one.grade is Grade.FINDING for one in self.judgements)

    @property
    def is_seen(self) -> bool:
        """Whether the descriptors of a process could be read."""
        return any(one.descriptors is not None for one in self.snapshot.processes)

    def of(self, process: Process) -> list[Judgement]:
        """Returns the judgements on one process."""
        return [one for one in self.judgements if one.pid == process.entry.pid]

    def growth(self, process: Process) -> Growth | None:
        """Returns the changes of one process; None without a watch."""
        return growth(self.looks, process.entry.pid)


def examine(
    procfs: Procfs, pids: Sequence[int], seconds: float = 0.0, sleep: Callable[[float], None] = time.sleep
) -> Examination:
    """Looks at processes, several times if ``seconds`` is not 0, and judges them. Raises ``GoneError`` if there is no
    procfs."""
    looks = [take(procfs, pids)]
    for _ in range(LOOKS - 1 if seconds else 0):
        sleep(seconds / (LOOKS - 1))
        looks.append(take(procfs, pids))
    seen = {one.entry.pid for one in looks[-1].processes}
    ended = tuple(pid for pid in pids if pid not in seen)
    return Examination(tuple(looks), judge(looks), {}, ended, shared_files(looks[-1]))
