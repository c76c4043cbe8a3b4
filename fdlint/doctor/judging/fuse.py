"""Threads that wait for a FUSE file system, and the process that keeps its connection alive."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.doctor.devices import FUSE
from fdlint.doctor.judging.patterns import KEPT_AFTER_SEND
from fdlint.doctor.judging.verdict import Case, Grade, Judgement, numbers_of, places_of
from fdlint.doctor.kinds import Kind
from fdlint.doctor.model import Process, Snapshot
from fdlint.doctor.words import some

_WAITING = "request_wait_answer"
_LONG = 30.0  # seconds


def judge(case: Case) -> Iterator[Judgement]:
    """Looks for threads in ``request_wait_answer``, and for held connections whose requests nobody answers."""
    stuck = _stuck(case.process)
    if stuck:
        lasting = [number for number in stuck if all(_is_stuck_in(look, case.pid, number) for look in case.looks)]
        watched = case.looks[-1].seconds - case.looks[0].seconds
        killed = case.process.entry.is_zombie or any(one.killed for one in case.process.threads)
        evidence = [f"{some(len(stuck), 'thread')} in state D in {_WAITING}: {', '.join(map(str, stuck))}"]
        if killed:
            evidence.append("the process was killed, and cannot end before it has an answer")
        elif watched < _LONG:
            evidence.append(f"a slow file system answers in the end: watch it for {_LONG:.0f} s (--watch {_LONG:.0f})")
        else:
            evidence.append(f"{len(lasting):,} of them waited at each of {len(case.looks)} looks")
        evidence += _connections(case)
        grade = Grade.FINDING if killed or (lasting and watched >= _LONG) else Grade.HINT
        commands = (
            "grep -H -v '^0$' /sys/fs/fuse/connections/*/waiting",
            f"find /proc/[0-9]*/fd -lname {FUSE} 2> /dev/null",
        )
        title = "waits for a FUSE file system that does not answer"
        yield Judgement(KEPT_AFTER_SEND, grade, case.pid, title, tuple(evidence), commands)
    yield from _kept(case)


def _stuck(process: Process) -> list[int]:
    return [one.number for one in process.threads if one.state == "D" and one.waits_in == _WAITING]


def _is_stuck_in(look: Snapshot, pid: int, number: int) -> bool:
    process = look.process(pid)
    return process is not None and number in _stuck(process)


def _connections(case: Case) -> Iterator[str]:
    for one in case.snapshot.connections:
        if one.waiting:
            yield f"connection {one.number} has {some(one.waiting, 'request')} without an answer"
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
        evidence = [f"connection {connection.number}: {some(connection.waiting, 'request')} without an answer"]
        evidence += [f"it is mounted on {place}" for place in connection.mounts]
        lasting = len(before) > 1 and all(before)
        if lasting:
            evidence.append(f"requests waited at each of {len(before)} looks")
        evidence.append("if the process of the file system is gone, this descriptor keeps the connection alive")
        commands = (f"cat /sys/fs/fuse/connections/{connection.number}/waiting", "ps -eLo state,pid,tid,wchan:32,comm")
        title = f"holds a FUSE connection with {some(connection.waiting, 'waiter')}"
        yield Judgement(
            KEPT_AFTER_SEND,
            Grade.HINT,
            case.pid,
            title,
            tuple(evidence),
            commands,
            numbers_of(mine),
            places_of(mine),
        )
