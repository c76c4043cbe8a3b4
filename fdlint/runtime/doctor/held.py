"""Who holds the same memory, device or deleted file: one graph over all processes, with the lines that are recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fdlint.runtime.doctor.examination import Examination
from fdlint.runtime.doctor.kinds import Kind, group_of
from fdlint.runtime.doctor.model import Descriptor, Holder
from fdlint.runtime.doctor.sharing import MOST, named_file
from fdlint.runtime.doctor.trail import Spot, Trail


@dataclass(frozen=True, slots=True)
class Holding:
    """A process that has a file open. ``site``: the line that acquired it, with the call and what fdlint reports there;
    None without a record."""

    pid: int
    process: str
    site: Spot | None = None
    api: str = ""
    codes: tuple[str, ...] = ()


@dataclass(slots=True)
class Held:
    """Files that the same lines of the same processes hold. ``bytes``: together, as far as the kernel tells."""

    kind: str
    name: str
    holdings: tuple[Holding, ...]
    number: int = 0
    bytes: int = 0


def held(found: Examination) -> list[Held]:
    """Returns the files that several processes hold, if one of them has recorded its line; the most first."""
    trails = {(pid, number): one for pid, some in found.trails.items() for one in some for number in one.numbers}
    groups: dict[tuple[str, str, tuple[Holding, ...]], Held] = {}
    for one in _files(found):
        holders = found.snapshot.holders.get(one.link, ())[:MOST]
        holdings = tuple(each for holder in holders if (each := _holding(found, holder, one, trails)) is not None)
        if len(holdings) < 2 or not any(each.site for each in holdings):
            continue
        key = one.kind.value, group_of(one.name), holdings
        group = groups.setdefault(key, Held(*key))
        group.number += 1
        group.bytes += one.bytes or 0
    return sorted(groups.values(), key=lambda group: (-group.number, group.kind, group.name))


def _files(found: Examination) -> Iterator[Descriptor]:
    seen = set[object]()
    for process in found.snapshot.processes:
        for one in process.open:
            file = named_file(one)
            if file is not None and file not in seen:
                seen.add(file)
                yield one


def _holding(
    found: Examination, holder: Holder, one: Descriptor, trails: Mapping[tuple[int, int], Trail]
) -> Holding | None:
    same = [each for each in holder.descriptors if one.kind is Kind.DEVICE or each.inode == one.inode]
    if not same:
        return None
    entry = found.snapshot.entries.get(holder.pid)
    name = entry.name if entry is not None else ""
    trail = next((trails[holder.pid, each.number] for each in same if (holder.pid, each.number) in trails), None)
    return Holding(holder.pid, name, trail.site, trail.api, trail.codes) if trail else Holding(holder.pid, name)
