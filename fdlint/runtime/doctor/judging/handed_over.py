"""Descriptors that another process can get without a wish: open across exec, and a number that means "none"."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.report.summary import count
from fdlint.runtime.doctor.devices import is_exclusive
from fdlint.runtime.doctor.judging.patterns import EXEC, ZERO
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement
from fdlint.runtime.doctor.kinds import Kind

_STRANGE = frozenset({Kind.ANON, Kind.PIDFD, Kind.MEMFD, Kind.NAMESPACE})
_STANDARD = 3


def judge(case: Case) -> Iterator[Judgement]:
    """Looks for devices without close-on-exec, and for an unusual descriptor 0."""
    found = [
        one
        for one in case.process.open
        if one.number >= _STANDARD and is_exclusive(one) and one.details is not None and one.details.is_inherited
    ]
    if found:
        evidence = (f"{count(len(found), 'device descriptor')} without close-on-exec: each child that execs gets them",)
        commands = (f"grep -H flags /proc/{case.pid}/fdinfo/*  # 02000000 is close-on-exec",)
        title = f"would hand {count(len(found), 'device descriptor')} to its children"
        yield case.shows(EXEC, Grade.HINT, title, evidence, commands, found)
    first = next((one for one in case.process.open if one.number == 0), None)
    if first is not None and first.kind in _STRANGE:
        evidence = (f"descriptor 0 is {first.link}: standard input was closed, and the number was given again",)
        commands = (f"ls -l /proc/{case.pid}/fd/0",)
        yield Judgement(ZERO, Grade.HINT, case.pid, "has a descriptor with the number 0", evidence, commands, (0,))
