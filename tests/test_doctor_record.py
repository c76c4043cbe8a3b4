"""``FDLINT_RECORD`` and ``fdlint doctor --record``: a program notes its acquisitions, and doctor names the lines."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from proctree import ON_LINUX

from fdlint.cli import main
from fdlint.runtime.doctor.document import document
from fdlint.runtime.doctor.examination import Examination, examine
from fdlint.runtime.doctor.held import held
from fdlint.runtime.doctor.proc.files import Procfs
from fdlint.runtime.doctor.recorded import layout
from fdlint.runtime.doctor.recorded.reading import NotARecordError, file_in, read
from fdlint.runtime.doctor.recorded.trails import NO_CODE, with_records
from fdlint.runtime.doctor.text import render
from fdlint.runtime.doctor.trail import Trail

pytestmark = ON_LINUX
ROOT = Path(__file__).parent.parent
HEAD = "import os, resource, select, selectors, socket, sys, tempfile\n"
BEGIN = "from fdlint.runtime.recording.recording import begin_from_environment\nbegin_from_environment()\n"
END = "print('ready', *ready, flush=True)\nsys.stdin.read()\n"
PROGRAM = """\
ready = []
def opened(path):
    return os.open(path, os.O_RDWR)

kept = [opened("/dev/zero") for _ in range(5)]
kept += [os.pipe(), socket.socketpair(), selectors.DefaultSelector(), select.epoll()]
log = open(sys.argv[1] + "/log", "w")
os.rename(log.name, log.name + ".1")
os.close(opened("/dev/full"))
silent = os.dup2(0, 900)
closed = opened("/dev/full")
os.close(closed)
os.dup2(0, closed)
"""


@contextlib.contextmanager
def running(directory: Path, text: str, head: str = HEAD + BEGIN) -> Iterator[subprocess.Popen[str]]:
    """A program that records below ``directory``, until its standard input ends."""
    program = directory / "program.py"
    program.write_text(head + text + END, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FDLINT_RECORD": str(directory / "records")}
    process = subprocess.Popen(
        [sys.executable, str(program), str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            assert process.stdout.readline().startswith("ready")
            yield process
        finally:
            process.stdin.close()


def recorded(directory: Path, pid: int) -> Examination:
    return with_records(examine(Procfs(), [pid]), Procfs(), str(directory / "records"), NO_CODE)


def told(trails: tuple[Trail, ...]) -> set[tuple[str, str, str, str, int]]:
    return {(one.kind, one.name, one.api, one.site.function if one.site else "", len(one.numbers)) for one in trails}


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in (directory / "records").iterdir())


def test_the_lines_of_what_is_open(tmp_path: Path) -> None:
    """Numbers that are closed, or that a silent call has taken over, have no line."""
    with running(tmp_path, PROGRAM) as process:
        found = recorded(tmp_path, process.pid)
        assert told(found.trails[process.pid]) == {
            ("device", "/dev/zero", "open", "opened", 5),
            ("pipe", "", "os.pipe", "<module>", 2),
            ("socket", "", "socket.__new__", "<module>", 2),
            ("anon_inode", "", "select.epoll", "<module>", 1),
            ("file", "", "open", "<module>", 1),
        }
        text = "\n".join(line.plain for line in render(found))
        line = HEAD.count("\n") + BEGIN.count("\n") + 3
        assert f"5  device /dev/zero acquired at {tmp_path}/program.py:{line} in opened by open" in text
        assert f"called from {tmp_path}/program.py:{line + 2} in " in text
        assert [names(tmp_path)[0].split("-")[1]] == [str(process.pid)]
    assert names(tmp_path) == []  # a process removes its own file


def test_the_line_beside_the_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(tmp_path, PROGRAM) as process:
        place = tmp_path / "records" / names(tmp_path)[0]
        options = ["doctor", str(process.pid), "--isolated", "--record"]
        main([*options, str(place), "--source", str(tmp_path), "--json", "--html", str(tmp_path / "page.html")])
        (one,) = json.loads(capsys.readouterr().out)["processes"]
        first = one["recorded"][0]
        assert (first["site"]["function"], first["site"]["path"].endswith("program.py")) == ("opened", True)
        assert first["descriptors"] == [each["number"] for each in one["descriptors"] if each["name"] == "/dev/zero"]
        assert first["oldest"] <= first["newest"] <= time.time()
        assert "have a recorded line" in (tmp_path / "page.html").read_text(encoding="utf-8")
        assert main([*options, str(tmp_path / "program.py")]) == 2
        assert "this is no record of a process" in capsys.readouterr().err
        main(["doctor", str(os.getpid()), "--record", str(place)])
        assert "is of another process" in capsys.readouterr().out
        main(["doctor", str(os.getpid()), "--record", str(tmp_path)])
        assert f"its record (there is none in {tmp_path})" in capsys.readouterr().out


def test_children_have_records_of_their_own(tmp_path: Path) -> None:
    """A child knows what its parent had opened; the file of a killed process is removed by the next one."""
    forks = """\
kept = [os.open("/dev/zero", os.O_RDONLY)]
child = os.fork()
if not child:
    kept.append(os.open("/dev/full", os.O_RDONLY))
    os.kill(os.getpid(), 19)
os.waitpid(child, os.WUNTRACED)
ready = [child]
"""
    with running(tmp_path, forks.replace("ready = [child]", "ready = []")) as process:
        (child,) = examine(Procfs(), [process.pid]).snapshot.children(process.pid)
        try:
            found = recorded(tmp_path, child.pid)
            devices = {one.name for one in found.trails[child.pid]}
            assert devices == {"/dev/zero", "/dev/full"}
            assert {one.name for one in recorded(tmp_path, process.pid).trails[process.pid]} == {"/dev/zero"}
        finally:
            os.kill(child.pid, 9)
    assert len(names(tmp_path)) == 1
    with running(tmp_path, "ready = []\n") as process:
        assert [name.split("-")[1] for name in names(tmp_path)] == [str(process.pid)]


SENDER = """\
ready, kept = [], []
ours, theirs = socket.socketpair()
def made():
    return os.memfd_create("frames")
def received():
    return socket.recv_fds(theirs, 1, 1)[1]

for _ in range(3):
    kept.append(made())
    socket.send_fds(ours, [b"x"], kept[-1:])
if (child := os.fork()) == 0:
    for number in kept:
        os.close(number)
    kept = [received() for _ in range(3)]
    os.write(theirs.fileno(), b"x")
    sys.stdin.read()
    os._exit(0)
os.read(ours.fileno(), 1)
ready.append(child)
"""


def test_one_graph_of_those_who_hold_the_same_memory(tmp_path: Path) -> None:
    with running(tmp_path, SENDER) as process:
        (child,) = (one.pid for one in examine(Procfs(), [process.pid]).snapshot.children(process.pid))
        found = with_records(examine(Procfs(), [process.pid, child]), Procfs(), str(tmp_path / "records"), NO_CODE)
        (group,) = held(found)
        assert (group.kind, group.name, group.number) == ("memfd", "frames", 3)
        sites = [(one.pid, one.site.function if one.site else "", one.api) for one in group.holdings]
        assert sites == [(process.pid, "made", "os.memfd_create"), (child, "received", "socket.recv_fds")]
        text = "\n".join(line.plain for line in render(found))
        assert f"held in several processes: 3 memfds frames\n  {process.pid} " in text
        (written,) = document(found)["held"]
        assert [one["site"]["function"] for one in written["holders"]] == ["made", "received"]


def test_a_large_table(tmp_path: Path) -> None:
    text = """\
ready = []
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 3000), hard))
kept = [os.dup(0) for _ in range(2500)]
"""
    with running(tmp_path, text) as process:
        (trail,) = recorded(tmp_path, process.pid).trails[process.pid]
        assert len(trail.numbers) == 2500
        (file,) = (tmp_path / "records").iterdir()
        assert file.stat().st_size == layout.size(4096)


def test_nothing_breaks_the_program(tmp_path: Path) -> None:
    """Neither a listener that fails, nor a full disk, nor a directory that cannot be used."""
    text = """\
from fdlint.runtime.recording import hearing
class Fails:
    note = adopt = int  # it gets too many arguments
hearing.listen(Fails())
reading, writing = os.pipe()
open(os.devnull).close()
sys.audit("open")
hearing.forget(hearing._listeners[0])
assert os.pipe.__name__ == "pipe" and not hasattr(os.pipe, "__wrapped__")
ready = []
"""
    with running(tmp_path, text, HEAD) as process:
        assert process.poll() is None
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, -1))\n"
    with running(tmp_path, "ready = []\nos.pipe()\n", full + HEAD + BEGIN) as process:
        assert names(tmp_path) == []
    (tmp_path / "records").rmdir()
    (tmp_path / "records").write_text("no directory", encoding="utf-8")
    with running(tmp_path, "ready = []\n", HEAD + BEGIN) as process:
        assert process.poll() is None


def test_enable_and_disable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fdlint.cli.recording.sysconfig.get_paths", lambda: {"purelib": str(tmp_path)})
    assert main(["record"]) == 2
    assert "Choose from: enable, disable\n" in capsys.readouterr().err
    assert main(["record", "enable"]) == 0
    with running(tmp_path, "ready = []\n", f"{HEAD}import site\nsite.addsitedir({str(tmp_path)!r})\n") as process:
        assert [name.split("-")[1] for name in names(tmp_path)] == [str(process.pid)]
    assert main(["record", "disable"]) == 0
    assert "removed" in capsys.readouterr().out
    assert not list(tmp_path.glob("*.pth"))
    monkeypatch.setattr("fdlint.cli.recording.sysconfig.get_paths", lambda: {"purelib": "/nowhere"})
    assert main(["record", "enable"]) == 2
    assert "/nowhere/fdlint_record.pth: No such file" in capsys.readouterr().err
    monkeypatch.setattr("fdlint.cli.recording.sys.platform", "darwin")
    assert main(["record", "enable"]) == 2
    assert "procfs of Linux" in capsys.readouterr().err


def test_hostile_records(tmp_path: Path) -> None:
    """Whatever is in the file, reading it ends with a record or with an error that says why."""
    with running(tmp_path, PROGRAM) as process:
        good = (tmp_path / "records" / names(tmp_path)[0]).read_bytes()
        examination = examine(Procfs(), [process.pid])
    chance = random.Random(7)
    file = tmp_path / "hostile"
    for number in range(60):
        data = bytearray(good)
        for _ in range(chance.randrange(1, 40)):
            data[chance.choice((chance.randrange(64), chance.randrange(len(data)), 64 + chance.randrange(500)))] = (
                chance.randrange(256)
            )
        file.write_bytes(data[: len(data) - (chance.randrange(len(data)) if number % 5 == 0 else 0)])
        with contextlib.suppress(NotARecordError):
            read(str(file))
            found = with_records(examination, Procfs(), str(file))
            assert all(line.plain.isprintable() for line in render(found))


def test_a_record_with_hostile_text(tmp_path: Path) -> None:
    data = bytearray(layout.size(layout.FIRST_SLOTS))
    data[: layout.HEADER.size] = layout.HEADER.pack(layout.MAGIC, 1, layout.FIRST_SLOTS, 7, 0)
    texts = [b"open\0", b"f\x1b[31m\n::error::x\0/a\nb\x80.py"]
    at = layout.PLACES_FROM
    for line, text in enumerate(texts):
        placed = layout.PLACE.pack(len(text), line) + text
        data[at : at + len(placed)] = placed
        at += len(placed)
    made = layout.MADE.pack(0, 1, float("nan"), 0, 2, 1, 2, *[0] * 10)
    from binascii import crc32

    checked = made[layout.CHECKED :]
    data[layout.slot(0) : layout.slot(0) + len(made)] = crc32(checked).to_bytes(4, "little") + checked
    file = tmp_path / "record"
    file.write_bytes(data)
    (found,) = read(str(file)).by_number.values()
    assert (found.api, found.time, found.stack[0].line) == ("open", None, 1)
    assert file_in(str(tmp_path), (1,), 7) is None
