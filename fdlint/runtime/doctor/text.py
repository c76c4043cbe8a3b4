"""The examination for people: one block for each process, then what could not be seen."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

from fdlint.report.line import Line, Piece, line
from fdlint.report.printable import printable
from fdlint.report.summary import count
from fdlint.runtime.doctor.devices import FUSE
from fdlint.runtime.doctor.examination import Examination
from fdlint.runtime.doctor.held import held
from fdlint.runtime.doctor.judging.verdict import Grade, Judgement
from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Connection, Descriptor, Process
from fdlint.runtime.doctor.pipes import Pipe, pipes
from fdlint.runtime.doctor.suspects import Suspect
from fdlint.runtime.doctor.trail import Spot, Trail
from fdlint.runtime.doctor.watching import Growth
from fdlint.runtime.doctor.words import duration, in_bytes

_NAMES = 5
_SUSPECTS = 8
_FRAMES = 6
_REST = 10
_ALIKE = 3
_STYLES = {Grade.FINDING: "bold red", Grade.HINT: "bold yellow"}
_INDENT = " " * 10


def render(found: Examination, *, wide: bool = False) -> Iterator[Line]:
    """Yields the lines of the report. ``wide``: of the processes without a judgement, only the fullest are shown."""
    processes = found.snapshot.processes
    judged = {one.pid for one in found.judgements}
    shown = [one for one in processes if one.entry.pid in judged or not wide]
    for process in shown:
        yield from _process(found, process)
        yield line()
    left = [one for one in processes if one.entry.pid not in judged and wide]
    rest = sorted(left, key=lambda one: -len(one.open))
    for process in rest[:_REST]:
        yield line((f"process {process.entry.pid} {printable(process.entry.name)}: ", "bold"), fullness(process))
    if len(rest) > _REST:
        yield line((f"{count(len(rest) - _REST, 'process', 'processes')} more, with fewer descriptors", "dim"))
    yield from _held(found)
    for connection in found.snapshot.connections:
        yield line(("FUSE ", "bold"), fuse(found, connection))
    for pid in found.ended:
        yield line((f"process {pid} has ended, or there is none", "yellow"))
    yield from (line(("not seen: ", "yellow"), text) for text in unseen(found))
    yield line((summary(found), "bold"))


def _held(found: Examination) -> Iterator[Line]:
    groups = held(found)
    for group in groups[:_SUSPECTS]:
        size = f", {in_bytes(group.bytes)}" if group.bytes else ""
        what = f"{count(group.number, group.kind)} {printable(group.name)}{size}"
        yield line(("held in several processes: ", "bold"), what)
        for one in group.holdings:
            site = f" at {_spot(one.site)} by {one.api}" if one.site is not None else ""
            codes = f" [{', '.join(one.codes)}]" if one.codes else ""
            yield line(printable(f"  {one.pid} {one.process}{site}"), (codes, "bold red"))
    if groups:
        yield line()


def unseen(found: Examination) -> Iterator[str]:
    """Yields a line for each thing that could not be seen, in printable text. Many of one kind have one line."""
    alike = Counter((one.what, one.why) for one in found.snapshot.unseen)
    for one in found.snapshot.unseen:
        if alike[one.what, one.why] <= _ALIKE:
            whose = f"process {one.pid}: " if one.pid is not None else ""
            yield printable(f"{whose}{one.what} ({one.why})")
    for (what, why), number in alike.items():
        if number > _ALIKE:
            yield printable(f"{what} of {count(number, 'process', 'processes')} ({why})")


def summary(found: Examination) -> str:
    """Returns the numbers of processes, findings and hints."""
    grades = Counter(one.grade for one in found.judgements)
    processes = count(len(found.snapshot.processes), "process", "processes")
    return f"{processes}: {count(grades[Grade.FINDING], 'finding')}, {count(grades[Grade.HINT], 'hint')}"


def _verdict(one: Suspect, place: str) -> Iterator[Piece]:
    """The codes at a place, or that there are none."""
    codes = ", ".join(dict.fromkeys(each.code for each in one.findings))
    yield f"  {codes:<8}", "bold red" if one.explains else "bold yellow"
    yield f"at {place}" if codes else place, "bold"


def fit(one: Suspect) -> str:
    """Returns how well an acquiring call fits: ``makes exactly these; 17 open``."""
    verb = "makes exactly these" if one.exact else f"can make these ({one.kind.value})"
    silent = "" if one.findings else "; fdlint reports nothing there"
    return f"{verb}; {one.open:,} open{silent}"


def _process(found: Examination, process: Process) -> Iterator[Line]:
    entry = process.entry
    yield line((f"process {entry.pid} {printable(entry.name)}: ", "bold"), fullness(process))
    growth = found.growth(process)
    if growth is not None:
        yield line(f"  {rate(growth)}")
    yield from _kinds(found, process)
    yield from (line((f"  {text}", "yellow")) for text in blocked(process))
    yield from (line((f"  {text}", "dim")) for text in (*family(found, process), *sharing(found, process)))
    if process.cgroup not in (None, "/"):
        yield line((f"  in cgroup {printable(process.cgroup or '')}", "dim"))
    for judgement in found.of(process):
        yield from _judgement(judgement)
    yield from _trails(process, found.trails.get(entry.pid))
    yield from _suspects(found.suspects.get(entry.pid, ()))


def fullness(process: Process) -> str:
    """Returns the number of open descriptors and the limit."""
    living = sum(one.state not in ("Z", "X") for one in process.threads)
    if process.entry.is_zombie and living:
        return f"its main thread has ended; {count(living, 'thread lives', 'threads live')}"
    if process.entry.is_zombie:
        return "it has ended, and waits for its parent to ask for its status"
    if process.descriptors is None:
        return "its descriptors may not be read"
    number, limit = len(process.descriptors), process.limit
    if limit is None or limit.soft is None:
        return f"{count(number, 'descriptor')} open"
    share = f" ({100 * number // limit.soft} %)" if limit.soft else ""
    return f"{number:,} of {count(limit.soft, 'descriptor')} open{share}"


def rate(growth: Growth) -> str:
    """Returns the counts of a watch, and when the table is full."""
    change = growth.counts[-1] - growth.counts[0]
    text = f"{' → '.join(map(str, growth.counts))} in {growth.seconds:.1f} s"
    text += f": {change:+,} descriptors, {count(len(growth.fresh), 'new one')}"
    left = growth.seconds_left
    return text + (f"; full in about {duration(left)} at this rate" if left is not None else "")


def kinds(found: Examination, process: Process) -> list[tuple[Kind, int, str]]:
    """Returns the kinds of a process's descriptors with their numbers and most frequent names, in printable text."""
    counts = Counter(one.kind for one in process.open)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0].value))
    return [(kind, number, _names(found, process, kind)) for kind, number in rows]


def _kinds(found: Examination, process: Process) -> Iterator[Line]:
    rows = kinds(found, process)
    width = max((len(f"{number:,}") for _, number, _ in rows), default=0)
    for kind, number, names in rows:
        shown = f"  {number:>{width},}  {kind.value:<12}" if names else f"  {number:>{width},}  {kind.value}"
        yield line(shown, (f"  {names}" if names else "", "dim"))


def _names(examination: Examination, process: Process, kind: Kind) -> str:
    """The most frequent names of a kind; of deleted files also the bytes, of pipes who has the other end."""
    found = process.of(kind)
    if kind is Kind.PIPE:
        return _ends(list(pipes(process, examination.snapshot)))
    if kind is Kind.SOCKET:
        states = Counter(process.tcp.get(one.inode or 0) or _family(process, one.inode) for one in found)
        return ", ".join(f"{name} {number:,}" for name, number in states.most_common(_NAMES) if name)
    names = Counter(printable(one.name) for one in found if one.name)
    shown = ", ".join(name if number == 1 else f"{name} {number:,}" for name, number in names.most_common(_NAMES))
    more = f" and {count(len(names) - _NAMES, 'other')}" if len(names) > _NAMES else ""
    sizes = [one.bytes for one in found if one.bytes is not None]
    return f"{in_bytes(sum(sizes))}: {shown}{more}" if sizes else f"{shown}{more}"


def _ends(found: list[Pipe]) -> str:
    counts = {
        "both ends here": sum(one.has_both_ends and not one.others for one in found),
        "connected to other processes": sum(bool(one.others) and not one.has_no_other_end for one in found),
        "no other end": sum(one.has_no_other_end for one in found),
    }
    return ", ".join(f"{name} {number:,}" for name, number in counts.items() if number)


def _family(process: Process, inode: int | None) -> str:
    return "unix" if inode in process.unix else "other"


def blocked(process: Process) -> Iterator[str]:
    """Yields lines about threads in uninterruptible sleep, and those that wait for FUSE, in printable text."""
    stuck = [one for one in process.threads if one.state == "D"]
    places = Counter(one.waits_in or "unknown" for one in stuck)
    if stuck:
        shown = ", ".join(f"{printable(place)} {number:,}" for place, number in places.most_common(_NAMES))
        yield f"{count(len(stuck), 'thread')} in state D: {shown}"
    waiting = sum(one.state != "D" and one.waits_for_fuse for one in process.threads)
    if waiting:
        yield f"{count(waiting, 'thread waits', 'threads wait')} for the answer of a FUSE file system"


def sharing(found: Examination, process: Process) -> Iterator[str]:
    """Yields a line for each kind of open files that a process shares with others."""
    numbers: Counter[tuple[str, bool]] = Counter()
    holders: dict[tuple[str, bool], set[int]] = {}
    most: Counter[tuple[str, bool]] = Counter()
    for one in found.shared.get(process.entry.pid, ()):
        key = one.kind, one.certain
        numbers[key] += one.number
        holders.setdefault(key, set()).update(one.others(process.entry.pid))
        most[key] = max(most[key], len(one.holders) - 1)
    for (kind, certain), number in numbers.items():
        others = sorted(holders[kind, certain])
        left = max(len(others), most[kind, certain]) - _NAMES
        listed = ", ".join(map(str, others[:_NAMES])) + (f" and {left:,} more" if left > 0 else "")
        if kind == Kind.DEVICE.value:
            yield f"{count(number, 'descriptor')} of devices that are open in process {listed}, too"
        else:
            yield f"{count(number, kind)} {'' if certain else 'probably '}shared with process {listed}"


def family(found: Examination, process: Process) -> Iterator[str]:
    """Yields a line about the children of a process, if it has any."""
    children = found.snapshot.children(process.entry.pid)
    zombies = sum(one.is_zombie for one in children)
    if children:
        ended = f", {zombies:,} of them ended and not waited for" if zombies else ""
        yield f"{count(len(children), 'child', 'children')}{ended}"


def fuse(found: Examination, connection: Connection) -> str:
    """Returns a line about a connection of FUSE: its waiters, mounts and holders, in printable text."""
    holders = [
        f"{holder.pid} ({count(number, 'descriptor')})"
        for holder in found.snapshot.holders.get(FUSE, ())
        if (number := sum(_belongs(one, connection) for one in holder.descriptors))
    ]
    mounts = ", ".join(map(printable, connection.mounts[:_NAMES])) or "no visible mount point"
    held = f"held by {', '.join(holders[:_NAMES])}" if holders else "no holder is known"
    return f"connection {connection.number}: {count(connection.waiting, 'request')} waiting; {mounts}; {held}"


def _belongs(one: Descriptor, connection: Connection) -> bool:
    return one.details is not None and one.details.refers_to == str(connection.number)


def _judgement(one: Judgement) -> Iterator[Line]:
    codes = f" [{', '.join(one.pattern.codes)}]" if one.pattern.codes else ""
    yield line(
        (f"  {one.grade.value:<8}", _STYLES[one.grade]), (one.pattern.name, "bold"), f"{codes}: {printable(one.title)}"
    )
    for fact in one.evidence:
        yield line(f"{_INDENT}{printable(fact)}")
    for command in one.commands:
        yield line(f"{_INDENT}$ ", (printable(command), "cyan"))
    if one.pattern.explained_by:
        yield line(f"{_INDENT}$ ", (one.pattern.explained_by, "cyan"))


def traced(process: Process, trails: Sequence[Trail]) -> str:
    """Returns how many descriptors have a recorded line: ``17 of 21 descriptors``."""
    return (
        f"{sum(len(one.numbers) for one in trails):,} of {count(len(process.open), 'descriptor')} have a recorded line"
    )


def trail(one: Trail) -> tuple[str, list[str]]:
    """Returns what a stack has acquired, and the lines of that stack, in printable text. Its end is left out if it is
    long."""
    site = f"{_spot(one.site)} by {one.api}" if one.site is not None else f"an unknown line by {one.api}"
    what = f"{one.kind} {one.name}".rstrip()
    first = printable(f"{len(one.numbers):,}  {what} acquired at {site}{_age(one)}")
    rest = [printable(_spot(spot)) for spot in one.stack[one.stack.index(one.site) + 1 if one.site else 0 :]]
    return first, [f"called from {each}" for each in rest[:_FRAMES]]


def _spot(spot: Spot) -> str:
    return f"{spot.path}:{spot.line} in {spot.function}"


def _age(one: Trail) -> str:
    if one.oldest is None or one.newest is None:
        return ""
    ages = [duration(max(0.0, time.time() - when)) for when in (one.oldest, one.newest)]
    return f", {ages[0]} ago" if ages[0] == ages[1] else f", {ages[0]} to {ages[1]} ago"


def _trails(process: Process, trails: Sequence[Trail] | None) -> Iterator[Line]:
    if trails is None:
        return
    yield line(("  record", "bold"), f"  {traced(process, trails)}")
    for one in trails[:_SUSPECTS]:
        first, rest = trail(one)
        codes = f" [{', '.join(one.codes)}]" if one.codes else ""
        yield line(f"  {first}", (codes, "bold red"))
        yield from (line((f"{_INDENT}{each}", "dim")) for each in rest)
    if len(trails) > _SUSPECTS:
        yield line((f"    and {len(trails) - _SUSPECTS:,} more", "dim"))


def _suspects(suspects: tuple[Suspect, ...]) -> Iterator[Line]:
    if suspects:
        yield line(("  code", "bold"))
    for one in suspects[:_SUSPECTS]:
        place = f"{printable(one.site.path)}:{one.site.line}"
        yield line(*_verdict(one, place), f" {fit(one)}")
        yield line((f"{_INDENT}{printable(one.site.code)}", "dim"))
    if len(suspects) > _SUSPECTS:
        yield line((f"    and {len(suspects) - _SUSPECTS:,} more", "dim"))
