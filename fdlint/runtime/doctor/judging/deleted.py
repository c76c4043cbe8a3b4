"""Deleted files that a process keeps open: their blocks stay allocated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fdlint.report.summary import count
from fdlint.runtime.doctor.judging.patterns import MISSED_PATH, SENTINEL, Pattern
from fdlint.runtime.doctor.judging.verdict import Case, Grade, Judgement, requests
from fdlint.runtime.doctor.kinds import Kind, is_tensor
from fdlint.runtime.doctor.model import Descriptor
from fdlint.runtime.doctor.words import duration, in_bytes

_SERIES = 5
_SPARE = 2
_MANY = 16
_LARGE = 1 << 30
_OLD = 600  # seconds; a request seldom takes longer
_NUMBER = re.compile(r"[0-9]+")
_UNNAMED = re.compile(r"/#[0-9]+\Z")


def judge(case: Case) -> Iterator[Judgement]:
    """Looks for series of names that differ in a number only, for many files, and for large ones. A file that never
    had a name is temporary on purpose, and so is the memory of a tensor."""
    found = [one for one in case.process.of(Kind.DELETED) if not (_UNNAMED.search(one.name) or is_tensor(one.name))]
    series: dict[str, list[Descriptor]] = {}
    for one in found:
        series.setdefault(_NUMBER.sub("0", one.name), []).append(one)
    rotated = [one for some in series.values() if len({each.name for each in some}) >= _SERIES for one in some]
    if rotated:
        example = sorted(one.name for one in rotated)
        fact = f"the names differ in their numbers only: {example[0]} … {example[-1]}"
        title = f"keeps {count(len(rotated), 'rotated file')} that are deleted"
        old = [one for one in rotated if one.idle is not None and one.idle >= _OLD]
        certain = len(rotated) > requests(case) + _SPARE or len(old) >= _SERIES
        yield _judgement(case, Grade.FINDING if certain else Grade.HINT, title, rotated, fact)
        return
    size = sum(one.bytes or 0 for one in found)
    if len(found) >= _MANY or size >= _LARGE:
        title = f"keeps {count(len(found), 'deleted file')}"
        yield _judgement(case, Grade.HINT, title, found, "databases and caches do this on purpose", MISSED_PATH)


def _judgement(
    case: Case, grade: Grade, title: str, found: Sequence[Descriptor], fact: str, pattern: Pattern = SENTINEL
) -> Judgement:
    known = [one.bytes for one in found if one.bytes is not None]
    evidence = [f"{count(len(found), 'deleted file')} in {_directory(found)}", fact]
    if known:
        evidence.append(f"{in_bytes(sum(known))} stay allocated until the last descriptor is closed")
    if len(known) < len(found):
        evidence.append(f"the size of {len(found) - len(known):,} is unknown: their file system was not asked")
    written = sum(one.details is not None and one.details.writes for one in found)
    if written:
        evidence.append(f"{written:,} of them are open for writing")
    old = sum(one.idle is not None and one.idle >= _OLD for one in found)
    if old:
        evidence.append(f"{old:,} of them were last written more than {duration(_OLD)} ago")
    grown = sum(case.grown(place) for place in {one.place for one in found})
    if grown:
        evidence.append(f"{count(grown, 'file')} more since the first look")
    commands = (f"lsof +L1 -p {case.pid}", f"ls -l /proc/{case.pid}/fd | grep deleted", "df -h; df -i")
    return case.shows(pattern, grade, title, evidence, commands, found)


def _directory(found: Sequence[Descriptor]) -> str:
    directories = sorted({one.name.rpartition("/")[0] or "/" for one in found})
    more = len(directories) - 1
    return directories[0] + (f" and {count(more, 'other directory', 'other directories')}" if more else "")
