"""The examination for people: one block for each process, then what could not be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fdlint.doctor.examination import Examination
from fdlint.doctor.judging.verdict import Grade, Judgement
from fdlint.doctor.kinds import Kind
from fdlint.doctor.model import Process
from fdlint.doctor.ranking import Suspect
from fdlint.doctor.sharing import shared_with
from fdlint.doctor.watching import Growth
from fdlint.doctor.words import duration, in_bytes, some
from fdlint.report.line import Line, line
from fdlint.report.printable import printable

_NAMES = 5
_SUSPECTS = 8
_STYLES = {Grade.FINDING: "bold red", Grade.HINT: "bold yellow"}
_INDENT = " " * 9


def render(found: Examination) -> Iterator[Line]:
    """Yields the lines of the report."""
    for process in found.snapshot.processes:
        yield from _process(found, process)
        yield line()
    for pid in found.ended:
        yield line((f"process {pid} has ended, or there is none", "yellow"))
    for one in found.snapshot.unseen:
        whose = f"process {one.pid}: " if one.pid is not None else ""
        yield line(("not seen: ", "yellow"), printable(f"{whose}{one.what} ({one.why})"))
    yield line((_summary(found), "bold"))


def _summary(found: Examination) -> str:
    grades = Counter(one.grade for one in found.judgements)
    processes = some(len(found.snapshot.processes), "process", "processes")
    return f"{processes}: {some(grades[Grade.FINDING], 'finding')}, {some(grades[Grade.HINT], 'hint')}"


def _process(found: Examination, process: Process) -> Iterator[Line]:
    entry = process.entry
    yield line((f"process {entry.pid} {printable(entry.name)}: ", "bold"), _fullness(process))
    growth = found.growth(process)
    if growth is not None:
        yield line(f"  {_rate(growth)}")
    yield from _kinds(process)
    yield from _threads(process)
    yield from _shared(found, process)
    if process.cgroup not in (None, "/"):
        yield line((f"  in cgroup {printable(process.cgroup or '')}", "dim"))
    for judgement in found.of(process):
        yield from _judgement(judgement)
    yield from _suspects(found.suspects.get(entry.pid, ()))


def _fullness(process: Process) -> str:
    if process.entry.is_zombie:
        return "it has ended, and waits for its parent to ask for its status"
    if process.descriptors is None:
        return "its descriptors may not be read"
    number, limit = len(process.descriptors), process.limit
    if limit is None or limit.soft is None:
        return f"{some(number, 'descriptor')} open"
    share = f" ({100 * number // limit.soft} %)" if limit.soft else ""
    return f"{number:,} of {some(limit.soft, 'descriptor')} open{share}"


def _rate(growth: Growth) -> str:
    change = growth.counts[-1] - growth.counts[0]
    text = f"{' → '.join(map(str, growth.counts))} in {growth.seconds:.1f} s"
    text += f": {change:+,} descriptors, {some(len(growth.fresh), 'new one')}"
    left = growth.seconds_left
    return text + (f"; full in about {duration(left)} at this rate" if left is not None else "")


def _kinds(process: Process) -> Iterator[Line]:
    counts = Counter(one.kind for one in process.open)
    width = max(len(f"{number:,}") for number in counts.values()) if counts else 0
    for kind, number in sorted(counts.items(), key=lambda row: (-row[1], row[0].value)):
        yield line(f"  {number:>{width},}  {kind.value:<12}  ", (_names(process, kind), "dim"))


def _names(process: Process, kind: Kind) -> str:
    """The most frequent names of a kind; of deleted files also the bytes."""
    found = process.of(kind)
    if kind is Kind.SOCKET:
        states = Counter(process.tcp.get(one.inode or 0) or _family(process, one.inode) for one in found)
        return ", ".join(f"{name} {number:,}" for name, number in states.most_common(_NAMES) if name)
    names = Counter(printable(one.name) for one in found if one.name)
    shown = ", ".join(name if number == 1 else f"{name} {number:,}" for name, number in names.most_common(_NAMES))
    more = f" and {some(len(names) - _NAMES, 'other')}" if len(names) > _NAMES else ""
    sizes = [one.bytes for one in found if one.bytes is not None]
    return f"{in_bytes(sum(sizes))}: {shown}{more}" if sizes else f"{shown}{more}"


def _family(process: Process, inode: int | None) -> str:
    return "unix" if inode in process.unix else "other"


def _threads(process: Process) -> Iterator[Line]:
    stuck = [one for one in process.threads if one.state == "D"]
    places = Counter(one.waits_in or "unknown" for one in stuck)
    if stuck:
        shown = ", ".join(f"{printable(place)} {number:,}" for place, number in places.most_common(_NAMES))
        yield line((f"  {some(len(stuck), 'thread')} in state D: ", "yellow"), shown)


def _shared(found: Examination, process: Process) -> Iterator[Line]:
    """With whom the process shares open files."""
    for kind, certain, number, pids in shared_with(found.snapshot, process):
        word = "" if certain else "probably "
        others = ", ".join(map(str, pids[:_NAMES]))
        others += f" and {len(pids) - _NAMES:,} more" if len(pids) > _NAMES else ""
        yield line((f"  {word}shared with process {others}: {some(number, kind)}", "dim"))


def _judgement(one: Judgement) -> Iterator[Line]:
    codes = f" [{', '.join(one.pattern.codes)}]" if one.pattern.codes else ""
    yield line(
        (f"  {one.grade.value:<7}", _STYLES[one.grade]), (one.pattern.name, "bold"), f"{codes}: {printable(one.title)}"
    )
    for fact in one.evidence:
        yield line(f"{_INDENT}{printable(fact)}")
    for command in one.commands:
        yield line(f"{_INDENT}$ ", (printable(command), "cyan"))
    yield line((f"{_INDENT}see {one.pattern.place}", "dim"))


def _suspects(suspects: tuple[Suspect, ...]) -> Iterator[Line]:
    if suspects:
        yield line(("  code that makes such descriptors:", "bold"))
    for one in suspects[:_SUSPECTS]:
        yield line(f"    {printable(one.path)}:{one.line}")
    if len(suspects) > _SUSPECTS:
        yield line((f"    and {len(suspects) - _SUSPECTS:,} more", "dim"))
