"""One run of a fleet: what is not in the store is done, and goes there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from distributed import Client

from fdlint.fleet.cluster import outcomes
from fdlint.fleet.job import Job, Limits, Outcome, State
from fdlint.fleet.manifest import Listed
from fdlint.fleet.overview import overview
from fdlint.fleet.store import Store
from fdlint.scan.git.fetch import Tip
from fdlint.version import __version__


@dataclass(frozen=True, slots=True)
class Place:
    """``work``: the directory for what is fetched and for the caches, on the machine of each worker."""

    work: Path
    limits: Limits = field(default_factory=Limits)


def run(
    store: Store, fleet: Sequence[Listed], client: Client, place: Place, told: Callable[[str, str], None]
) -> Counter[str]:
    """Scans what has changed, and writes it to the store. ``told`` gets the name of each repository when something
    happens to it, and what. Returns how many repositories were scanned, unchanged, ended and failed. Raises
    ``ClusterError``."""
    store.begin(fleet)

    def then(job: Job, outcome: Outcome) -> Iterable[Job]:
        if outcome.state is not State.SPLIT:
            return
        split = replace(job, tip=outcome.tip, parts=outcome.parts)
        for number in store.missing(job, outcome):
            yield replace(split, part=number)

    jobs = (Job(one, str(place.work), place.limits, store.known(one)) for one in fleet)
    for job, outcome in outcomes(client, jobs, then):
        if outcome.state is State.SPLIT:
            told(job.listed.name, f"{outcome.parts} parts")
            continue
        ours = _of_this_version(outcome)
        store.record(job, ours)
        told(job.listed.name, _said(job, ours))
    store.finish()
    return Counter(row["outcome"] for row in store.rows("SELECT outcome FROM visit WHERE run = ?", store.run))


def patches(store: Store, fleet: Sequence[Listed], client: Client, place: Place) -> Iterator[tuple[str, str, str]]:
    """Yields each repository that has findings in the store, the patch of its safe fixes, empty if there are none, and
    the reason if it failed. Raises ``ClusterError``."""
    found = overview(store)
    tips = {one.name: Tip(one.revision, one.branch, one.address) for one in found.repositories}
    wanted = {one.repository for one in found.findings}
    jobs = [
        Job(one, str(place.work), place.limits, tip=tips[one.name], patch=True) for one in fleet if one.name in wanted
    ]
    for job, outcome in outcomes(client, jobs, lambda _job, _outcome: ()):
        yield job.listed.name, outcome.patch, outcome.reason


def _of_this_version(outcome: Outcome) -> Outcome:
    if outcome.version == __version__:
        return outcome
    return Outcome(State.FAILED, reason=f"the worker has fdlint {outcome.version}, not {__version__}")


def _said(job: Job, outcome: Outcome) -> str:
    part = f"part {job.part} of {job.parts}: " if job.parts > 1 else ""
    if outcome.state is State.SCANNED:
        number = len(outcome.report["findings"])
        return f"{part}{number:,} finding{'' if number == 1 else 's'}"
    return f"{part}{outcome.state.value}{f': {outcome.reason}' if outcome.reason else ''}"
