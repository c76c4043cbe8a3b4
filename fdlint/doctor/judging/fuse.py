"""Threads that wait for a FUSE file system, and the process that keeps its connection alive."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.doctor.devices import FUSE
from fdlint.doctor.judging.patterns import KEPT_AFTER_SEND
from fdlint.doctor.judging.verdict import Case, Grade, Judgement, numbers_of, places_of
from fdlint.doctor.kinds import Kind
from fdlint.doctor.words import some

_WAITING = "request_wait_answer"


def judge(case: Case) -> Iterator[Judgement]:
    """Looks for threads in ``request_wait_answer``, and for held connections whose requests nobody answers."""
    stuck = [one for one in case.process.threads if one.state == "D" and one.waits_in == _WAITING]
    if stuck:
        holders = sorted({one.pid for one in case.snapshot.holders.get(FUSE, ())})
        evidence = [f"{some(len(stuck), 'thread')} in state D in {_WAITING}: {_threads(case)}"]
        evidence += [
            f"connection {one.number} has {some(one.waiting, 'request')} without an answer"
            for one in case.snapshot.connections
            if one.waiting
        ]
        if holders:
            evidence.append(f"{FUSE} is held by {', '.join(map(str, holders))}")
        commands = (
            "grep -H -v '^0$' /sys/fs/fuse/connections/*/waiting",
            f"find /proc/[0-9]*/fd -lname {FUSE} 2> /dev/null",
        )
        title = "waits for a FUSE file system that does not answer"
        yield Judgement(KEPT_AFTER_SEND, Grade.FINDING, case.pid, title, tuple(evidence), commands)
    yield from _kept(case)


def _threads(case: Case) -> str:
    return ", ".join(str(one.number) for one in case.process.threads if one.waits_in == _WAITING)


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
