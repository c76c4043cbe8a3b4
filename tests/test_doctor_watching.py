"""``fdlint doctor --watch``: rates, and what several looks can tell that one cannot."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from proctree import ON_LINUX, build, fill

from fdlint.runtime.doctor.examination import Examination, examine
from fdlint.runtime.doctor.text import render

pytestmark = ON_LINUX

INIT = {"pid": 1, "name": "init"}


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Examination]:
    """Looks five times in 60 seconds; ``step`` changes the tree between two looks."""

    def watched(process: Mapping[str, Any], step: Callable[[Path, int], None]) -> Examination:
        clock = itertools.count(0, 15.0)
        monkeypatch.setattr("fdlint.runtime.doctor.snapshot.time.monotonic", lambda: next(clock))
        procfs = build(tmp_path, [INIT, {"pid": 50, "name": "server", **process}])
        steps = itertools.count()
        place = tmp_path / "proc" / "50"
        return examine(procfs, [50], 60.0, lambda _seconds: step(place, next(steps)))

    return watched


def opens(place: Path, number: int, link: str, **given: Any) -> None:
    fill(place, number, 0, {"link": link, **given}, {})


def shown(found: Examination) -> str:
    return "\n".join(line.plain for line in render(found))


def titles(found: Examination) -> list[tuple[str, str]]:
    return [(one.grade.value, re.sub(r"\d+", "N", one.title)) for one in found.judgements]


def test_a_rate_tells_when_the_table_is_full(watch: Callable[..., Examination]) -> None:
    def step(place: Path, number: int) -> None:
        for index in range(10):
            opens(place, 100 + number * 10 + index, f"socket:[{7000 + number * 10 + index}]")

    found = watch({"fds": [{"link": "/dev/null", "count": 3}], "soft": 43 + 12_000, "hard": 20_000}, step)
    assert "3 → 13 → 23 → 33 → 43 in 60.0 s: +40 descriptors, 40 new ones; full in about 5 hours at this rate" in shown(
        found
    )
    assert titles(found) == [("hint", "has N descriptors more than N s ago")]


def test_connections_that_come_and_go_are_the_load(watch: Callable[..., Examination]) -> None:
    def step(place: Path, number: int) -> None:
        for one in (place / "fd").iterdir():
            one.unlink()
        for index in range(20 + number * 5):
            opens(place, 10 + index, f"socket:[{number * 1000 + index}]")

    found = watch({"fds": [{"link": "socket:[{}]", "count": 20}]}, step)
    assert titles(found) == []
    growth = found.growth(found.snapshot.processes[0])
    assert growth is not None
    assert (growth.is_steady, growth.lost > 0) == (True, True)


def pipes_of_workers(place: Path, number: int) -> None:
    for index in range(3):
        opens(place, 100 + number * 3 + index, f"pipe:[{7000 + number * 3 + index}]")


def test_pipes_that_only_rise(watch: Callable[..., Examination]) -> None:
    found = watch({"fds": [{"link": "/dev/null", "count": 3}]}, pipes_of_workers)
    assert titles(found) == [("hint", "has N descriptors more than N s ago")]
    assert "the new ones: 12 pipe" in shown(found)
    assert "$ fdlint explain FD401" in shown(found)


def test_workers_that_have_only_started(watch: Callable[..., Examination]) -> None:
    def step(place: Path, number: int) -> None:
        if number < 2:
            pipes_of_workers(place, number)

    assert titles(watch({"fds": [{"link": "/dev/null", "count": 3}]}, step)) == []


def test_pipes_that_come_and_go(watch: Callable[..., Examination]) -> None:
    """Also if there are more of them at the end."""

    def step(place: Path, number: int) -> None:
        for one in (place / "fd").iterdir():
            if number % 2 and int(one.name) >= 100:
                one.unlink()
        pipes_of_workers(place, number)

    assert titles(watch({"fds": [{"link": "/dev/null", "count": 3}]}, step)) == []


def test_pipes_that_only_rise_while_files_come_and_go(watch: Callable[..., Examination]) -> None:
    """A trainer keeps the workers of each job, and reads files meanwhile: the number of all descriptors falls once."""

    def step(place: Path, number: int) -> None:
        for one in (place / "fd").iterdir():
            if 50 <= int(one.name) < 100:
                one.unlink()
        for index in range(4 * (number % 2)):
            opens(place, 50 + index, f"/data/{number}")
        pipes_of_workers(place, number)

    found = watch({"fds": [{"link": "/dev/null", "count": 3}]}, step)
    assert titles(found) == [("hint", "keeps all that it opens of one kind: N descriptors")]
    assert "pipe: 0 → 3 → 6 → 9 → 12 in 60.0 s; none was closed" in shown(found)


def test_the_same_file_again_and_again(watch: Callable[..., Examination]) -> None:
    def step(place: Path, number: int) -> None:
        for index in range(3):
            opens(place, 10 + number * 3 + index, "/etc/app.conf")

    found = watch({"fds": [{"link": "/dev/null", "count": 3}]}, step)
    assert titles(found) == [("finding", "opens the same file again and again: N descriptors")]


def test_many_openings_of_one_file_that_do_not_grow(watch: Callable[..., Examination]) -> None:
    found = watch({"fds": [{"link": "/srv/index.html", "count": 90}]}, lambda *_: None)
    assert titles(found) == []


def test_sockets_that_stay_in_close_wait(watch: Callable[..., Examination]) -> None:
    fds = [{"link": "socket:[{}]", "first": 700, "count": 9}]
    found = watch({"fds": fds, "tcp": [["08", 700, 9]]}, lambda *_: None)
    assert titles(found) == [("finding", "does not close N connections that the peer has closed")]
    assert "9 of them were in this state at each of 5 looks" in shown(found)


def test_sockets_in_close_wait_that_are_closed_soon(watch: Callable[..., Examination]) -> None:
    def step(place: Path, number: int) -> None:
        for one in (place / "fd").iterdir():
            one.unlink()
        for index in range(9):
            opens(place, index, f"socket:[{710 + number * 10 + index}]")

    fds = [{"link": "socket:[{}]", "first": 700, "count": 9}]
    assert titles(watch({"fds": fds, "tcp": [["08", 700, 100]]}, step)) == []


def test_a_process_that_ends_meanwhile(watch: Callable[..., Examination]) -> None:
    def step(place: Path, number: int) -> None:
        if number == 2:
            place.rename(place.parent / "gone")

    found = watch({"fds": ["/dev/null"]}, step)
    assert found.ended == (50,)
    assert "process 50 has ended, or there is none" in shown(found)


def test_a_process_that_took_over_the_number(watch: Callable[..., Examination]) -> None:
    def step(place: Path, number: int) -> None:
        if number == 3:
            stat = place / "stat"
            stat.write_text(stat.read_text().replace(" 100 0\n", " 999 0\n"))

    found = watch({"fds": ["/dev/null"]}, step)
    assert found.growth(found.snapshot.processes[0]) is None


def test_a_thread_that_gets_no_answer(watch: Callable[..., Examination]) -> None:
    stuck = {"tid": 51, "state": "D", "wchan": "request_wait_answer"}
    found = watch({"threads": [{"tid": 50}, stuck]}, lambda *_: None)
    assert titles(found) == [("finding", "waits for a FUSE file system that does not answer")]


def test_a_thread_that_gets_an_answer(watch: Callable[..., Examination]) -> None:
    def step(place: Path, number: int) -> None:
        if number == 1:
            (place / "task" / "51" / "wchan").write_text("0")

    stuck = {"tid": 51, "state": "D", "wchan": "request_wait_answer"}
    assert titles(watch({"threads": [{"tid": 50}, stuck]}, step)) == []


def test_zombies_that_are_new(watch: Callable[..., Examination], tmp_path: Path) -> None:
    def step(_place: Path, number: int) -> None:
        if number == 0:
            for pid in range(60, 70):
                build(tmp_path / str(pid), [{"pid": pid, "parent": 50, "state": "Z"}])
                (tmp_path / str(pid) / "proc" / str(pid)).rename(tmp_path / "proc" / str(pid))

    for pid in range(60, 70):
        (tmp_path / str(pid)).mkdir()
    assert titles(watch({"fds": ["/dev/null"]}, step)) == []


@pytest.mark.parametrize(("sleeps", "grades"), [(7, ["finding"]), (None, [])])
def test_a_thread_that_waits_for_fuse_all_the_time(
    watch: Callable[..., Examination], sleeps: int | None, grades: list[str]
) -> None:
    """A thread that has slept again meanwhile has got its answer, and asked for something else."""

    def step(place: Path, number: int) -> None:
        count = sleeps if sleeps is not None else number
        text = f"SigPnd:\t0\nShdPnd:\t0\nvoluntary_ctxt_switches:\t{count}\n"
        (place / "task" / "61" / "status").write_text(text, encoding="utf-8")

    thread = {"tid": 61, "state": "S", "wchan": "request_wait_answer", "sleeps": 7}
    found = watch({"threads": [{"tid": 50}, thread]}, step)
    assert [one.grade.value for one in found.judgements] == grades
    assert ("1 of them waited all the time, for 60 s" in shown(found)) == bool(grades)
    assert "1 thread waits for the answer of a FUSE file system" in shown(found)
