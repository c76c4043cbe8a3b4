"""Growth during a watch: the same file is opened again and again, or the number of descriptors only rises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fdlint.report.summary import count
from fdlint.runtime.doctor.devices import is_exclusive, is_plain
from fdlint.runtime.doctor.judging import pools
from fdlint.runtime.doctor.judging.patterns import MISSED_PATH, POOL
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement, places_of, requests
from fdlint.runtime.doctor.kinds import Kind, is_tensor
from fdlint.runtime.doctor.model import Descriptor
from fdlint.runtime.doctor.watching import Growth, rising
from fdlint.runtime.doctor.words import times

_AGAIN = 8
_FRESH = 4
_KEPT = (Kind.PIPE, Kind.ANON, Kind.PIDFD, Kind.MEMFD)


def judge(case: Case) -> Iterator[Judgement]:
    """Judges the new descriptors. Sockets are the load of a server: their growth alone is a hint."""
    growth = case.growth
    if growth is None:
        return
    found = list(_of_the_table(case, growth)) if growth.is_steady else []
    yield from found or _of_kinds(case, growth)


def _of_the_table(case: Case, growth: Growth) -> Iterator[Judgement]:
    """What the number of all descriptors shows."""
    files = Counter(one.name for one in case.process.of(Kind.FILE))
    enough = _AGAIN + requests(case)
    again = [name for name, number in files.items() if number >= enough and case.grown((Kind.FILE, name)) >= _FRESH]
    for name in sorted(again):
        yield _opened_again(case, name, files[name])
    if not again and not growth.lost:
        yield from _rising(case, growth)


def _opened_again(case: Case, name: str, number: int) -> Judgement:
    found = [one for one in case.process.of(Kind.FILE) if one.name == name]
    grown = case.grown((Kind.FILE, name))
    evidence = (f"{name} is open {times(number)}", f"{grown:,} of them are new, and the number only rises")
    commands = (f"ls -l /proc/{case.pid}/fd", f"tail -n +1 /proc/{case.pid}/fdinfo/{found[-1].number}")
    title = f"opens the same file again and again: {count(number, 'descriptor')}"
    return case.shows(MISSED_PATH, Grade.FINDING, title, evidence, commands, found)


def _rising(case: Case, growth: Growth) -> Iterator[Judgement]:
    """What only rises. Living workers explain their pipes, but not that there are more and more of both."""
    judged = {number for one in pools.judge(case) for number in one.descriptors}
    left = [one for one in growth.fresh if one.number not in judged and _is_open_to_doubt(one)]
    if len(left) < _FRESH or not growth.goes_on:
        return
    shown = ", ".join(f"{number:,} {kind.value}" for kind, _, number in places_of(left)[:3])
    evidence = [
        f"{' → '.join(map(str, growth.counts))} descriptors in {growth.seconds:.1f} s; none of the new ones was closed",
        f"the new ones: {shown}",
    ]
    yield _kept(
        case, f"has {count(len(growth.fresh), 'descriptor')} more than {growth.seconds:.0f} s ago", evidence, left
    )


def _of_kinds(case: Case, growth: Growth) -> Iterator[Judgement]:
    """What rises of one kind, whatever becomes of the others: a trainer that keeps its workers goes on to open and
    close files. Living workers explain that they have pipes, not that there are ever more of them."""
    judged = {number for one in pools.judge(case) for number in one.descriptors}
    left, shown = [], []
    for kind in _KEPT:
        counts = rising(case.looks, case.pid, kind)
        fresh = [one for one in growth.fresh if one.kind is kind and one.number not in judged]
        if counts is not None and len(fresh) >= _FRESH:
            left += fresh
            shown.append(f"{kind.value}: {' → '.join(map(str, counts))} in {growth.seconds:.1f} s; none was closed")
    if left:
        kinds = "one kind" if len(shown) == 1 else "some kinds"
        yield _kept(case, f"keeps all that it opens of {kinds}: {count(len(left), 'descriptor')}", shown, left)


def _kept(case: Case, title: str, evidence: Sequence[str], left: Sequence[Descriptor]) -> Judgement:
    pattern = POOL if places_of(left)[0][0] is Kind.PIPE else MISSED_PATH
    commands = (f"fdlint doctor {case.pid} --watch 60",)
    return case.shows(pattern, Grade.HINT, title, (*evidence, *_about_load(case)), commands, left)


def _about_load(case: Case) -> Iterator[str]:
    before, after = (
        sum(not one.is_zombie for one in look.children(case.pid)) for look in (case.looks[0], case.snapshot)
    )
    if after - before >= _FRESH:
        yield f"living children: {before:,}, and {after:,} at the end; a worker that is kept keeps its pipes"
    yield "more load has the same effect: compare two counts at the same load"


def _is_open_to_doubt(one: Descriptor) -> bool:
    """Whether no other judge has the last word on it."""
    return (one.kind is not Kind.DELETED or is_tensor(one.name)) and not is_exclusive(one) and not is_plain(one)
