"""Pipes that no other process uses any more: what pools, loaders and children leave behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fdlint.report.summary import count
from fdlint.runtime.doctor.judging.patterns import KEPT_AFTER_SPAWN, POOL
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement, places_of
from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.pipes import Pipe, numbers_of, pipes

_FEW = 16
_OF_A_WORKER = 2  # a pool or a loader keeps both ends of no more pipes for each of its workers
_FEW_LONELY = 8
_LOOP = "eventpoll"


def judge(case: Case) -> Iterator[Judgement]:
    """Counts the pipes with both ends in the process, beyond those that event loops, connections and living workers
    explain, and the pipes whose other end nobody holds."""
    found = [one for one in pipes(case.process, case.snapshot) if not _is_inherited(case, one)]
    own = [one for one in found if one.has_both_ends]
    lonely = [one for one in found if one.has_no_other_end]
    loops = sum(one.name == _LOOP for one in case.process.of(Kind.ANON))
    children = [one for one in case.snapshot.children(case.pid) if not one.is_zombie]
    explained = loops + _OF_A_WORKER * len(children) + len(case.process.of(Kind.SOCKET))
    if len(own) > _FEW / 2 + explained and len(own) + len(lonely) >= _FEW:
        yield _of_pools(case, own, lonely, loops, len(children))
    elif len(lonely) > _FEW_LONELY:
        yield _of_children(case, lonely)


def _is_inherited(case: Case, pipe: Pipe) -> bool:
    """Whether the parent has the pipe too: then it is the parent's mistake, and the parent is judged for it."""
    return pipe.is_cut or any(one.pid == case.process.entry.parent for one in pipe.others)


def _of_pools(case: Case, own: Sequence[Pipe], lonely: Sequence[Pipe], loops: int, children: int) -> Judgement:
    nobody = sum(not one.others for one in own)
    evidence = [f"{count(len(own), 'pipe')} with both ends in this process"]
    if nobody:
        evidence.append(f"no other process holds an end of {nobody:,} of them")
    if lonely:
        evidence.append(f"{count(len(lonely), 'pipe')} whose other end {_nobody(case)} holds")
    workers = count(children, "living child", "living children")
    evidence.append(f"{workers} and {count(loops, 'event loop')} would explain fewer")
    if grown := case.grown((Kind.PIPE, "")):
        evidence.append(f"{count(grown, 'end')} of pipes more since the first look")
    together = [*own, *lonely]
    ends = [one for pipe in together for one in pipe.own.descriptors]
    commands = (f"ls -l /proc/{case.pid}/fd | grep -c pipe:", f"ps -o pid,stat,lstart,args --ppid {case.pid}")
    title = f"keeps the pipes of workers: {count(len(own) + len(lonely), 'pipe')}"
    return Judgement(
        POOL, Grade.FINDING, case.pid, title, tuple(evidence), commands, numbers_of(together), places_of(ends)
    )


def _of_children(case: Case, lonely: Sequence[Pipe]) -> Judgement:
    reading = sum(one.own.writes is False for one in lonely)
    evidence = [
        f"{count(len(lonely), 'pipe')} whose other end {_nobody(case)} holds",
        f"{reading:,} of them only for reading: they are at end-of-file; the others cannot be written",
    ]
    if not case.snapshot.complete:
        evidence.append("not certain: a process that is not visible, or a message in flight, may hold an end")
    first = lonely[0].link.replace("[", r"\[").replace("]", r"\]")
    commands = (f"find /proc/[0-9]*/fd -lname '{first}' 2> /dev/null", f"ps -o pid,stat,args --ppid {case.pid}")
    title = f"keeps {count(len(lonely), 'pipe')} whose other end is closed"
    ends = [one for pipe in lonely for one in pipe.own.descriptors]
    grade = Grade.FINDING if case.snapshot.complete else Grade.HINT
    return Judgement(
        KEPT_AFTER_SPAWN, grade, case.pid, title, tuple(evidence), commands, numbers_of(lonely), places_of(ends)
    )


def _nobody(case: Case) -> str:
    return "nobody" if case.snapshot.complete else "no visible process"
