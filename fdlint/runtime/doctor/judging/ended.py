"""Children that have ended and wait for their parent, and workers whose parent has ended."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.report.summary import count
from fdlint.runtime.doctor.judging.patterns import KEPT_AFTER_SPAWN, POOL
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement
from fdlint.runtime.doctor.model import Entry, Snapshot
from fdlint.runtime.doctor.pipes import numbers_of, pipes

_ZOMBIES = 8
_LONG = 5.0  # seconds; a busy parent asks later
_INIT = 1


def judge(case: Case) -> Iterator[Judgement]:
    """Looks for zombies, and for groups of orphans that wait for each other."""
    zombies = [one for one in case.snapshot.children(case.pid) if one.is_zombie]
    lasting = [one for one in zombies if all(_is_zombie_in(look, one) for look in case.looks)]
    if len(lasting) >= _ZOMBIES:
        evidence = (f"{count(len(lasting), 'child', 'children')} have ended, and nobody has asked for their status",)
        commands = (f"ps -o pid,stat,etime,comm --ppid {case.pid}",)
        watched = case.growth.seconds if case.growth is not None else 0.0
        grade = Grade.FINDING if watched >= _LONG else Grade.HINT
        title = f"has {count(len(lasting), 'zombie')}"
        yield case.shows(KEPT_AFTER_SPAWN, grade, title, evidence, commands, ())
    yield from _orphans(case)


def _is_zombie_in(look: Snapshot, one: Entry) -> bool:
    found = look.entries.get(one.pid)
    return found is not None and found.is_zombie


def _orphans(case: Case) -> Iterator[Judgement]:
    """A group of workers whose parent has died. They inherited both ends of their queues, so that none of them ever
    reads the end of a queue. The first of them speaks for all."""
    if not _is_orphan(case.process.entry, case.snapshot):
        return
    group = [
        one.pid
        for one in case.snapshot.entries.values()
        if one.group == case.process.entry.group and _is_orphan(one, case.snapshot)
    ]
    found = [
        pipe
        for pipe in pipes(case.process, case.snapshot)
        if pipe.has_both_ends and pipe.others and not pipe.is_cut and all(one.pid in group for one in pipe.others)
    ]
    if not found or case.pid != min(group):
        return
    pids = ",".join(map(str, sorted(group)))
    evidence = (
        f"{count(len(group), 'process', 'processes')} of a group whose leader has ended: {pids}",
        f"{count(len(found), 'pipe')} that only they hold, with both ends: nobody can send an end",
    )
    commands = (f"ps -o pid,ppid,pgid,stat,lstart,args -p {pids}",)
    title = f"is one of {count(len(group), 'orphaned worker')}"
    yield Judgement(POOL, Grade.FINDING, case.pid, title, evidence, commands, numbers_of(found))


def _is_orphan(one: Entry, snapshot: Snapshot) -> bool:
    """Whether a process's group has lost its leader, and its parent is not the one that started it."""
    leader = snapshot.entries.get(one.group)
    if one.is_zombie or (leader is not None and not leader.is_zombie):
        return False
    parent = snapshot.entries.get(one.parent)
    return one.parent == _INIT or (parent is not None and parent.session != one.session)
