"""How much a process can be doing at the moment. Each request in progress has a connection, a child or a thread, and
may hold any descriptor for a moment: only more than that is a leak for certain."""

from __future__ import annotations

from fdlint.runtime.doctor.judging.verdict import Case
from fdlint.runtime.doctor.kinds import Kind


def connections(case: Case) -> int:
    """Returns the number of requests that can be in progress, if each has a socket or a child."""
    children = [one for one in case.snapshot.children(case.pid) if not one.is_zombie]
    return len(case.process.of(Kind.SOCKET)) + len(children)


def requests(case: Case) -> int:
    """Returns the number of requests that can be in progress, if each has a socket, a child or a thread."""
    return connections(case) + len(case.process.threads)
