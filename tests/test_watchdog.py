"""The watchdog of a process in production, and the metrics of ``fdlint doctor``."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import textwrap
from pathlib import Path

from proctree import ON_LINUX, build

from fdlint.runtime.doctor.examination import examine
from fdlint.runtime.doctor.metrics import render
from fdlint.runtime.recording import hearing
from fdlint.runtime.recording.watchdog import Watchdog

pytestmark = ON_LINUX


def leak() -> int:
    return os.dup(0)


def test_it_records_from_half_of_the_limit_and_reports_once_an_hour() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    reports: list[str] = []
    dog = Watchdog(reports.append)
    opened: list[int] = []
    try:
        now = len(os.listdir("/proc/self/fd"))
        resource.setrlimit(resource.RLIMIT_NOFILE, (4 * now + 80, limits[1]))
        dog.look(0.0)
        assert not hearing._listeners
        opened += (os.dup(0) for _ in range(2 * now + 40))
        dog.look(10.0)
        assert len(hearing._listeners) == 1
        opened += (leak() for _ in range(36 + 7 * now // 10))
        for seconds in (20.0, 30.0, 3_000.0):
            dog.look(seconds)
        assert len(reports) == 1
        dog.look(3_700.0)
        assert len(reports) == 2
    finally:
        for number in opened:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    dog.look(3_800.0)
    assert not hearing._listeners
    assert f"process {os.getpid()} has " in reports[0]
    assert "by os.dup" in reports[0]
    assert "test_watchdog.py:23 in leak" in reports[0]


def test_a_program_that_loses_descriptors_reports_itself(tmp_path: Path) -> None:
    code = """
    import os, resource, time
    from fdlint.runtime.recording.watchdog import Watchdog

    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
    Watchdog(lambda text: print(text, flush=True)).start(0.01)

    def lose():
        os.dup(0)

    for _ in range(93 - len(os.listdir("/proc/self/fd"))):
        lose()
        time.sleep(0.02)
    time.sleep(0.5)
    """
    Path(tmp_path, "spam.py").write_text(textwrap.dedent(code))
    done = subprocess.run([sys.executable, "spam.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.count("of 100 descriptors open") == 1
    assert "spam.py:9 in lose" in done.stdout
    assert not done.stderr


def test_a_report_names_the_rule(tmp_path: Path) -> None:
    code = """\
    import os, resource, sys, time
    from fdlint.runtime.recording import watchdog

    watchdog.Watchdog.start.__defaults__ = (0.01,)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
    watchdog.begin_from_environment()

    def lose():
        os.dup(0)

    for _ in range(93 - len(os.listdir("/proc/self/fd"))):
        lose()
        time.sleep(0.02)
    time.sleep(0.5)
    """
    Path(tmp_path, "spam.py").write_text(textwrap.dedent(code))
    scan = [
        sys.executable,
        "-m",
        "fdlint",
        "scan",
        "spam.py",
        "-q",
        "--exit-zero",
        "--isolated",
        "-o",
        "json=found.json",
    ]
    subprocess.run(scan, cwd=tmp_path, check=True)
    command = [sys.executable, "spam.py"]
    for findings, said in (("found.json", "by os.dup [FD107 discarded at spam.py:9]"), ("no.json", "no.json: ")):
        asked = {"FDLINT_WATCHDOG": "1", "FDLINT_WATCHDOG_FINDINGS": findings}
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, **asked}
        )
        assert said in done.stderr
        assert done.stderr.count("of 100 descriptors open") == 1


def test_metrics(tmp_path: Path) -> None:
    fds = [{"link": "/dev/null", "count": 3}, {"link": "pipe:[{}]", "first": 7, "count": 2}]
    tree = [{"pid": 1}, {"pid": 50, "name": 'a"b\\c', "fds": fds, "soft": 1024}]
    lines = render(examine(build(tmp_path, tree), [50])).split("\n")
    assert 'fdlint_open_descriptors{pid="50",name="a\\"b\\\\c",kind="device"} 3' in lines
    assert 'fdlint_open_descriptors{pid="50",name="a\\"b\\\\c",kind="pipe"} 2' in lines
    assert 'fdlint_descriptor_limit{pid="50",name="a\\"b\\\\c"} 1024' in lines
    assert lines[-1] == "# EOF"
    assert all(line.startswith(("#", "fdlint_")) for line in lines)
