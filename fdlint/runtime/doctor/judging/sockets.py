"""Sockets that the peer has closed and this side has not, and messages that nobody receives."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.report.summary import count
from fdlint.runtime.doctor.judging.patterns import MISSED_PATH, RECEIVED
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement
from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Descriptor, Process
from fdlint.runtime.doctor.proc.sockets import CLOSE_WAIT
from fdlint.runtime.doctor.watching import persisting

_MANY = 16
_LASTING = 8
_LONG = 30.0  # seconds; a slow request can keep a socket for a while
_IN_FLIGHT = 8


def judge(case: Case) -> Iterator[Judgement]:
    """Counts sockets in CLOSE-WAIT. One look can meet a busy moment: a finding needs the same sockets at each look."""
    found = [one for one in case.process.of(Kind.SOCKET) if _waits(case.process, one)]
    lasting = persisting(case.looks, case.pid, _waits)
    watched = case.growth.seconds if case.growth is not None else 0.0
    if lasting >= _LASTING or len(found) >= _MANY:
        evidence = [f"{count(len(found), 'socket')} in CLOSE-WAIT: the peer has closed, this process has not"]
        if lasting:
            evidence.append(f"{lasting:,} of them were in this state at each of {len(case.looks)} looks")
        if watched < _LONG:
            evidence.append(f"a busy server closes them soon: watch it for {_LONG:.0f} seconds (--watch {_LONG:.0f})")
        grade = Grade.FINDING if lasting >= _LASTING and watched >= _LONG else Grade.HINT
        commands = (f"ss -tnp state close-wait | grep pid={case.pid},",)
        title = f"does not close {count(len(found), 'connection')} that the peer has closed"
        yield case.shows(MISSED_PATH, grade, title, evidence, commands, found)
    yield from _in_flight(case)


def _waits(process: Process, one: Descriptor) -> bool:
    return one.inode is not None and process.tcp.get(one.inode) == CLOSE_WAIT


def _in_flight(case: Case) -> Iterator[Judgement]:
    found = [one for one in case.process.of(Kind.SOCKET) if one.details is not None and one.details.in_flight]
    number = sum(one.details.in_flight for one in found if one.details is not None)
    if number >= _IN_FLIGHT:
        evidence = (f"{count(number, 'descriptor')} in messages that wait in {count(len(found), 'socket')}",)
        commands = (f"grep scm_fds /proc/{case.pid}/fdinfo/*",)
        title = f"does not receive {count(number, 'descriptor')} that others have sent"
        numbers = tuple(one.number for one in found)
        yield Judgement(RECEIVED, Grade.HINT, case.pid, title, evidence, commands, numbers)
