"""The table is nearly full: soon every open, socket, pipe and accept fails with EMFILE."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.runtime.doctor.judging.patterns import EMERGENCY
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement, places_of
from fdlint.runtime.doctor.words import duration

_NEARLY = 0.8
_TOP = 3


def judge(case: Case) -> Iterator[Judgement]:
    """Compares the number of open descriptors with the soft limit."""
    limit, number = case.process.limit, len(case.process.open)
    if limit is None or not limit.soft or number < _NEARLY * limit.soft:
        return
    places = places_of(case.process.open)[:_TOP]
    evidence = [f"{number:,} descriptors are open, the soft limit is {limit.soft:,}"]
    hard = "there is none" if limit.hard is None else f"{limit.hard:,}"
    evidence.append(f"the hard limit is {hard}: a higher soft limit buys time")
    left = case.growth.seconds_left if case.growth is not None else None
    if left is not None:
        evidence.append(f"the table is full in about {duration(left)} at this rate")
    saved = f"ls -l /proc/{case.pid}/fd > /var/tmp/fd.{case.pid}"
    details = f"tail -n +1 /proc/{case.pid}/fdinfo/* > /var/tmp/fdinfo.{case.pid}"
    yield Judgement(
        EMERGENCY, Grade.FINDING, case.pid, "the table is nearly full", tuple(evidence), (saved, details), (), places
    )
