"""The same device is open many times: kept after the send, or probed and thrown away."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from fdlint.report.summary import count
from fdlint.runtime.doctor.devices import FUSE, is_exclusive, is_plain
from fdlint.runtime.doctor.judging.patterns import KEPT_AFTER_SEND, THROWN_AWAY
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement, connections, requests
from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Descriptor
from fdlint.runtime.doctor.words import times

_FEW_EXCLUSIVE = 2
_FEW_PLAIN = 8
_READS_REQUESTS = "fuse_dev_do_read"
_MACHINE = "kvm-vm"
_QUEUES = ("/dev/net/tun", "/dev/vhost-")


def judge(case: Case) -> Iterator[Judgement]:
    """Counts the openings of each device. A descriptor and its duplicates in the table are one opening only if the
    kernel shows what they refer to; otherwise each counts."""
    by_name: dict[str, list[Descriptor]] = {}
    for one in case.process.of(Kind.DEVICE):
        by_name.setdefault(one.name, []).append(one)
    for name, found in by_name.items():
        if is_exclusive(found[0]):
            serving = _serving(case) if name == FUSE else 0
            if _openings(found) > max(_FEW_EXCLUSIVE, serving) and not _is_expected(case, name):
                yield _judgement(case, name, found, _FEW_EXCLUSIVE + connections(case) + serving)
        elif is_plain(found[0]) and len(found) > _FEW_PLAIN:
            yield _judgement(case, name, found, _FEW_PLAIN + requests(case))


def _openings(found: Sequence[Descriptor]) -> int:
    """How many connections or interfaces the descriptors belong to. One connection of FUSE may have a descriptor for
    each thread, and one interface a descriptor for each queue."""
    known = {one.details.refers_to for one in found if one.details is not None and one.details.refers_to is not None}
    unknown = sum(one.details is None or one.details.refers_to is None for one in found)
    return len(known) + unknown


def _serving(case: Case) -> int:
    """How many threads wait for requests of FUSE: a file system has one or more for each of its mounts."""
    return sum((one.waits_in or "").startswith(_READS_REQUESTS) for one in case.process.threads)


def _is_expected(case: Case, name: str) -> bool:
    """Whether a virtual machine runs here, which has one descriptor for each queue of its network."""
    return name.startswith(_QUEUES) and any(one.name == _MACHINE for one in case.process.of(Kind.ANON))


def _judgement(case: Case, name: str, found: Sequence[Descriptor], explained: int) -> Judgement:
    """``explained``: how many openings the requests in progress can explain."""
    held = f"{name} is open {times(len(found))}; requests in progress explain at most {explained:,}"
    sends = any(one.inode in case.process.unix for one in case.process.of(Kind.SOCKET))
    evidence = [held, "a process that opens it for others should hold none, one that uses it a few"]
    if is_exclusive(found[0]):
        evidence += _of_exclusive(case, found)
    if sends:
        evidence.append("the process has Unix sockets, so it may have sent copies; its own are still open")
    if grown := case.grown((Kind.DEVICE, name)):
        evidence.append(f"{count(grown, 'descriptor')} more since the first look")
    commands = (
        f"find /proc/{case.pid}/fd -lname {shlex.quote(name)}",
        f"find /proc/[0-9]*/fd -lname {shlex.quote(name)} 2> /dev/null",
    )
    pattern = KEPT_AFTER_SEND if sends else THROWN_AWAY
    title = f"holds {name} {times(len(found))}"
    openings = _openings(found) if is_exclusive(found[0]) else len(found)
    grade = Grade.FINDING if openings > explained else Grade.HINT
    return case.shows(pattern, grade, title, evidence, commands, found)


def _of_exclusive(case: Case, found: Sequence[Descriptor]) -> Iterator[str]:
    others = sorted({one.pid for one in case.snapshot.holders.get(found[0].link, ()) if one.pid != case.pid})
    if others:
        yield f"{count(len(others), 'other process', 'other processes')} hold it too: {_listed(others)}"
    known = sorted({one.details.refers_to for one in found if one.details is not None and one.details.refers_to})
    if known:
        yield f"they belong to {_listed(known)}"


def _listed(parts: Sequence[int | str], shown: int = 8) -> str:
    more = f" and {len(parts) - shown:,} more" if len(parts) > shown else ""
    return ", ".join(map(str, parts[:shown])) + more
