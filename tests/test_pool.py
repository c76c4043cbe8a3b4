"""Files over processes: every file has its result, whatever becomes of a process."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fdlint.report.findings.finding import FileResult, Skipped
from fdlint.scan.files.discover import FileToScan, discover
from fdlint.scan.processes import Job, Lost, Pool
from fdlint.scan.scan import Options, scan

FATAL, WRONG, SLOW, ENDLESS, SHARED, BUSY = "fatal", "wrong", "slow", "endless", "shared", "busy"


def job(file: FileToScan) -> FileResult:
    """Says which process it was."""
    if FATAL in file.shown:
        os._exit(1)
    if WRONG in file.shown:
        raise LookupError(file.shown)
    if ENDLESS in file.shown:
        time.sleep(600)
    if SLOW in file.shown:
        time.sleep(0.3)
    if SHARED in file.shown:  # gets half of a processor, as on a busy machine
        started = time.process_time()
        while time.process_time() - started < 0.3:
            used = time.process_time()
            while time.process_time() - used < 0.02:
                pass
            time.sleep(0.03)
    while BUSY in file.shown:
        pass
    return FileResult(file.shown, os.getpid())


def lost(file: FileToScan, reason: str) -> FileResult:
    return FileResult(file.shown, -1, skipped=(Skipped(file.shown, reason),))


def spread(
    job: Job, files: Sequence[FileToScan], jobs: int, lost: Lost, seconds: float | None = None
) -> Iterator[FileResult]:
    with contextlib.closing(Pool(jobs, lost, seconds)) as pool:
        yield from pool.run(job, files)


def run(names: Sequence[str], jobs: int = 3) -> dict[str, int]:
    results = list(spread(job, [FileToScan(name, name) for name in names], jobs, lost))
    found = {one.path: one.lines for one in results}
    assert len(found) == len(results)
    assert not multiprocessing.active_children()
    return found


@pytest.mark.parametrize("number", [1, 2, 7, 40])
def test_every_file_has_one_result(number: int) -> None:
    names = [f"file{n}" for n in range(number)]
    found = run(names)
    assert found.keys() == set(names)
    assert os.getpid() not in found.values()


def test_neighbours_go_to_the_same_process() -> None:
    names = [f"{n:02}-{SLOW}" for n in range(8)]
    found = run(names, jobs=2)
    assert len({found[name] for name in names[:3]}) == 1
    assert len({found[name] for name in names[-3:]}) == 1


def test_who_is_done_helps_the_others(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"x" * 100_000)
    names = [f"{n}-{SLOW}" for n in range(6)]
    found = run([*names, str(large)], jobs=2)  # by what there is to read, the first process has all the slow ones
    assert len({found[name] for name in names}) == 2


def test_a_process_that_dies_costs_one_file() -> None:
    names = [f"{n}{FATAL if n % 4 == 1 else ''}" for n in range(20)]
    found = run(names)
    assert {name for name, process in found.items() if process == -1} == {name for name in names if FATAL in name}
    assert found.keys() == set(names)


def test_all_may_die() -> None:
    names = [f"{n}{FATAL}" for n in range(9)]
    assert run(names) == dict.fromkeys(names, -1)


def test_what_is_raised_there_is_raised_here() -> None:
    with pytest.raises(LookupError, match="4wrong"):
        run(["1", "2", "3", "4wrong", "5"])
    assert not multiprocessing.active_children()


def test_who_looks_no_further_leaves_no_process_behind() -> None:
    results = spread(job, [FileToScan(name, name) for name in (f"{n}{SLOW}" for n in range(9))], 3, lost)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


def test_processes_stay_for_the_next_round(tmp_path: Path) -> None:
    names = [f"{tmp_path}/{part}/{n}-{SLOW}" for part in ("a", "b") for n in range(4)]
    with contextlib.closing(Pool(2, lost)) as pool:
        first = {one.path: one.lines for one in pool.run(job, [FileToScan(name, name) for name in names])}
        again = {one.path: one.lines for one in pool.run(job, [FileToScan(name, name) for name in names[::-1]])}
        other = functools.partial(lost, reason="another job")
        assert [one.lines for one in pool.run(other, [FileToScan("a", "a")])] == [-1]
    assert len(set(first.values())) == 2
    assert {names[0], names[-1]} <= {name for name in names if first[name] == again[name]}
    assert not multiprocessing.active_children()


def test_a_process_that_dies_between_rounds_costs_nothing() -> None:
    files = [FileToScan(str(n), str(n)) for n in range(6)]
    with contextlib.closing(Pool(2, lost)) as pool:
        gone = {one.lines for one in pool.run(job, files)}
        for process in gone:
            os.kill(process, signal.SIGKILL)
        while any(child.is_alive() for child in multiprocessing.active_children()):
            time.sleep(0.01)
        again = {one.path: one.lines for one in pool.run(job, files)}
    assert again.keys() == {file.shown for file in files}
    assert not gone & set(again.values())
    assert -1 not in again.values()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no /proc")
def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    for n in range(30):
        (tmp_path / f"m{n}.py").write_text("import os\n\n\ndef f(p):\n    fd = os.open(p, 0)\n    print(fd)\n")
    before = sorted(os.listdir("/proc/self/fd"))
    report = scan(discover([tmp_path]).files, Options(jobs=2))
    assert sorted(os.listdir("/proc/self/fd")) == before
    assert len(report.findings) == 30


def test_a_file_that_takes_too_long_is_given_up_and_the_others_are_done() -> None:
    names = ["first", f"{ENDLESS}-1", "second", f"{ENDLESS}-2", "third"]
    started = time.monotonic()
    results = {one.path: one for one in spread(job, [FileToScan(name, name) for name in names], 2, lost, 0.5)}
    assert time.monotonic() - started < 4  # the process is ended, not waited for
    assert results.keys() == set(names)
    given_up = {path: one.skipped[0].reason for path, one in results.items() if one.skipped}
    assert given_up == {f"{ENDLESS}-{n}": "took more than 0.5 seconds" for n in (1, 2)}
    assert not multiprocessing.active_children()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the time of another process")
def test_the_limit_is_processor_time() -> None:
    names = [f"{SHARED}-1", f"{BUSY}-1", f"{SHARED}-2"]
    results = {one.path: one for one in spread(job, [FileToScan(name, name) for name in names], 2, lost, 0.6)}
    given_up = {path: one.skipped[0].reason for path, one in results.items() if one.skipped}
    assert given_up == {f"{BUSY}-1": "took more than 0.6 seconds"}


def test_waiting_in_a_queue_is_no_time_that_a_file_takes() -> None:
    names = [f"{n}-{SLOW}" for n in range(6)]
    results = list(spread(job, [FileToScan(name, name) for name in names], 1, lost, 0.9))
    assert not any(one.skipped for one in results)


@pytest.mark.parametrize("before", [None, "", "1"])
def test_the_environment_is_left_as_it_was(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    run(["a", "b"])
    assert os.environ.get("PYTHONSAFEPATH") == before
