"""Descriptors of the kernel's own objects that serve nothing any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fdlint.report.summary import count
from fdlint.runtime.doctor.judging.patterns import OBJECT, RECEIVED
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement
from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Descriptor

_SPARE = 8
_LOOP = "eventpoll"
_WATCHERS = (_LOOP, "inotify")
_ENDED = "-1"


def judge(case: Case) -> Iterator[Judgement]:
    """Looks for event loops without a thread, watchers that watch nothing, pidfds of processes that have ended, and
    many namespaces."""
    loops = [one for one in case.process.of(Kind.ANON) if one.name == _LOOP]
    threads = len(case.process.threads)
    if len(loops) > threads + _SPARE and threads:
        fact = f"{count(len(loops), 'epoll')} and {count(threads, 'thread')}: a thread can wait for one at a time"
        yield _judgement(case, f"keeps {count(len(loops), 'event loop')}", loops, fact)
    else:
        idle = [one for one in case.process.of(Kind.ANON) if one.name in _WATCHERS and _watches_nothing(one)]
        if len(idle) > _SPARE:
            fact = f"{count(len(idle), 'epoll or inotify', 'epoll and inotify')} descriptors watch nothing"
            yield _judgement(case, f"keeps {count(len(idle), 'watcher')} that watch nothing", idle, fact)
    ended = [one for one in case.process.of(Kind.PIDFD) if one.details is not None and one.details.refers_to == _ENDED]
    if len(ended) > _SPARE:
        fact = f"{count(len(ended), 'pidfd')} of processes that have ended, and whose status was read"
        yield _judgement(case, f"keeps {count(len(ended), 'pidfd')} of ended processes", ended, fact)
    yield from _namespaces(case)


def _watches_nothing(one: Descriptor) -> bool:
    return one.details is not None and not one.details.watches


def _judgement(case: Case, title: str, found: Sequence[Descriptor], fact: str) -> Judgement:
    grown = case.grown(found[0].place)
    more = (f"{count(grown, 'descriptor')} more since the first look",) if grown else ()
    commands = (f"tail -n +1 /proc/{case.pid}/fdinfo/{found[0].number}", f"ls -l /proc/{case.pid}/fd | grep anon_inode")
    return case.shows(OBJECT, Grade.FINDING, title, (fact, *more), commands, found)


def _namespaces(case: Case) -> Iterator[Judgement]:
    found = case.process.of(Kind.NAMESPACE)
    if len(found) > _SPARE:
        different = len({one.link for one in found})
        evidence = (f"{count(len(found), 'descriptor')} of {count(different, 'namespace')}",)
        commands = (f"ls -l /proc/{case.pid}/fd | grep -E ' (mnt|net|user|pid|ipc|uts|cgroup|time):'", "lsns")
        title = f"keeps {count(len(found), 'namespace descriptor')}"
        yield case.shows(RECEIVED, Grade.HINT, title, evidence, commands, found)
