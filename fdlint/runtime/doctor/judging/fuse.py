"""Threads that wait for a FUSE file system, and the process that keeps its connection alive."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.report.summary import count
from fdlint.runtime.doctor.devices import FUSE
from fdlint.runtime.doctor.judging.patterns import KEPT_AFTER_SEND
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement
from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Snapshot, Thread

_LONG = 30.0  # seconds


def judge(case: Case) -> Iterator[Judgement]:
    """Looks for threads in ``request_wait_answer``, and for held connections whose requests nobody answers."""
    stuck = [one for one in case.process.threads if one.waits_for_fuse]
    lasting = [
        one for one in stuck if len(case.looks) > 1 and all(_waits_in(look, case.pid, one) for look in case.looks)
    ]
    killed = case.process.entry.is_zombie or any(one.killed for one in case.process.threads)
    if lasting or any(one.state == "D" for one in stuck):
        watched = case.looks[-1].seconds - case.looks[0].seconds
        listed = ", ".join(str(one.number) for one in stuck)
        evidence = [f"{count(len(stuck), 'thread waits', 'threads wait')} in request_wait_answer: {listed}"]
        if killed:
            evidence.append("the process was killed, and cannot end before it has an answer")
        elif watched < _LONG:
            evidence.append(f"a slow file system answers in the end: watch it for {_LONG:.0f} s (--watch {_LONG:.0f})")
        else:
            evidence.append(f"{len(lasting):,} of them waited all the time, for {watched:.0f} s")
        evidence += _connections(case)
        grade = Grade.FINDING if killed or (lasting and watched >= _LONG) else Grade.HINT
        commands = (
            "grep -H -v '^0$' /sys/fs/fuse/connections/*/waiting",
            f"find /proc/[0-9]*/fd -lname {FUSE} 2> /dev/null",
        )
        title = "waits for a FUSE file system that does not answer"
        yield case.shows(KEPT_AFTER_SEND, grade, title, evidence, commands, ())
    yield from _kept(case)


def _waits_in(look: Snapshot, pid: int, thread: Thread) -> bool:
    """Whether a thread was in the same wait: it has not slept again since."""
    process = look.process(pid)
    before = process.threads if process is not None else ()
    return any(one.number == thread.number and one.waits_for_fuse and one.sleeps == thread.sleeps for one in before)


def _connections(case: Case) -> Iterator[str]:
    for one in case.snapshot.connections:
        if one.waiting:
            yield f"connection {one.number} has {count(one.waiting, 'request')} without an answer"
    holders = sorted({one.pid for one in case.snapshot.holders.get(FUSE, ())})
    if holders:
        yield f"{FUSE} is held by {', '.join(map(str, holders))}"


def _kept(case: Case) -> Iterator[Judgement]:
    """Connections that this process holds and whose requests wait at each look."""
    held = [one for one in case.process.of(Kind.DEVICE) if one.name == FUSE]
    numbers = {one.details.refers_to for one in held if one.details is not None}
    waiting = [one for one in case.snapshot.connections if one.waiting and str(one.number) in numbers]
    for connection in waiting:
        before = [one.waiting for look in case.looks for one in look.connections if one.number == connection.number]
        mine = [one for one in held if one.details is not None and one.details.refers_to == str(connection.number)]
        evidence = [f"connection {connection.number}: {count(connection.waiting, 'request')} without an answer"]
        evidence += [f"it is mounted on {place}" for place in connection.mounts]
        lasting = len(before) > 1 and all(before)
        if lasting:
            evidence.append(f"requests waited at each of {len(before)} looks")
        evidence.append("if the process of the file system is gone, this descriptor keeps the connection alive")
        commands = (f"cat /sys/fs/fuse/connections/{connection.number}/waiting", "ps -eLo state,pid,tid,wchan:32,comm")
        title = f"holds a FUSE connection with {count(connection.waiting, 'waiter')}"
        yield case.shows(KEPT_AFTER_SEND, Grade.HINT, title, evidence, commands, mine)
