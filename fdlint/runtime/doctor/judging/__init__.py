"""The judges. Each knows one symptom, and says what it saw, which pattern fits and what to run next.

A finding needs a state that programs without a leak do not reach. A high number alone is not enough: a server under
load has many sockets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fdlint.runtime.doctor.judging import (
    deleted,
    devices,
    ended,
    fuse,
    growing,
    handed_over,
    idle,
    limits,
    pools,
    sockets,
)
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement
from fdlint.runtime.doctor.model import Snapshot
from fdlint.runtime.doctor.watching import growth

JUDGES: tuple[Callable[[Case], Iterator[Judgement]], ...] = (
    *(limits.judge, devices.judge, fuse.judge, deleted.judge, pools.judge, sockets.judge, idle.judge, ended.judge),
    *(handed_over.judge, growing.judge),
)


def judge(looks: Sequence[Snapshot]) -> tuple[Judgement, ...]:
    """Returns the judgements on the processes of the last look, findings first."""
    found: list[Judgement] = []
    for process in looks[-1].processes:
        case = Case(process, tuple(looks), growth(looks, process.entry.pid))
        found.extend(one for each in JUDGES for one in each(case))
    return tuple(sorted(found, key=lambda one: one.grade is not Grade.FINDING))
