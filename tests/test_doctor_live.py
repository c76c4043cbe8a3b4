"""``fdlint doctor`` on real processes: known descriptors, the live examples, and a healthy server under load."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from proctree import ON_LINUX

from fdlint.cli import main
from fdlint.runtime.doctor.choosing import Choice, choose
from fdlint.runtime.doctor.examination import Examination, examine
from fdlint.runtime.doctor.judging.verdict import Grade
from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.proc.files import Procfs
from fdlint.runtime.doctor.ranking import Project, read, with_code
from fdlint.runtime.doctor.text import render

pytestmark = ON_LINUX
EXAMPLES = Path(__file__).parent.parent / "examples" / "live"
HOLDER = """
import os, select, socket, sys, tempfile
kept = [os.pipe(), socket.socketpair(), select.epoll(), tempfile.TemporaryFile()]
name = os.path.join(sys.argv[1], "gone")
kept.append(os.open(name, os.O_RDWR | os.O_CREAT))
os.write(kept[-1], b"x" * 100_000)
os.unlink(name)
if hasattr(os, "memfd_create"):
    kept.append(os.memfd_create("known"))
kept.append(os.open("/dev/zero", os.O_RDONLY))
print("ready", flush=True)
sys.stdin.read()
"""
SERVER = """
import asyncio, concurrent.futures, os, sys, tempfile

async def serve(reader, writer):
    with tempfile.TemporaryFile() as body, open("/dev/null", "rb") as nothing:
        body.write(await reader.readline())
        await asyncio.sleep(0.002)
        writer.write(b"done\\n" + nothing.read())
        await writer.drain()
    writer.close()
    await writer.wait_closed()

async def client(port):
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello\\n")
        await reader.readline()
        writer.close()
        await writer.wait_closed()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    clients = [asyncio.create_task(client(port)) for _ in range(40)]
    await asyncio.sleep(0.2)
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for one in clients:
        one.cancel()

def work(number):
    return number * number

if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(4) as pool:
        assert len(list(pool.map(work, range(100)))) == 100
        asyncio.run(main())
"""


QUEUE = """
import multiprocessing, sys
context = multiprocessing.get_context("fork")
queue = context.Queue()
workers = [context.Process(target=queue.get) for _ in range(3)]
for one in workers:
    one.start()
print("ready", *(one.pid for one in workers), flush=True)
sys.stdin.read()
"""

LOADERS = """
import multiprocessing, select, sys
context = multiprocessing.get_context("fork")

class Loader:
    def __init__(self):
        self.queue = context.Queue()
        self.process = context.Process(target=self.queue.get, daemon=True)
        self.process.start()

kept, mode = [Loader() for _ in range(6)], sys.argv[1]
print("ready", flush=True)
# It ends by itself, for the test can be killed; all descriptors grow with the square of the loaders.
while mode != "stable" and len(kept) < 100 and not select.select([sys.stdin], [], [], 0.25)[0]:
    kept.append(Loader())
    if mode == "replaced":
        old = kept.pop(0)
        old.queue.put(None)
        old.process.join()
        old.queue.close()
        old.queue.join_thread()
        old.process.close()
sys.stdin.read()
"""


@contextlib.contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process that has printed ``ready``, with all that it starts ended at the end. Its temporary files are
    in a directory of their own."""
    directory = tempfile.mkdtemp()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": directory},
    )
    try:
        assert process.stdout is not None
        assert any(line.startswith("ready") for line in process.stdout)
        yield process
        assert process.stdin is not None
        process.stdin.close()
        process.wait(10)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        shutil.rmtree(directory, ignore_errors=True)


def look(pid: int, seconds: float = 0.0) -> Examination:
    return examine(Procfs(), [pid], seconds)


def test_known_descriptors(tmp_path: Path) -> None:
    with running("-c", HOLDER, str(tmp_path)) as process:
        found = look(process.pid)
    (one,) = found.snapshot.processes
    kinds = {kind: [each.name for each in one.of(kind)] for kind in Kind}
    assert len(kinds[Kind.SOCKET]) == 2
    assert kinds[Kind.ANON] == ["eventpoll"]
    assert kinds[Kind.MEMFD] in (["known"], [])
    assert "/dev/zero" in kinds[Kind.DEVICE]
    gone = [each for each in one.of(Kind.DELETED) if each.name == str(tmp_path / "gone")]
    assert [each.bytes is None or each.bytes >= 100_000 for each in gone] == [True]
    assert one.limit is not None
    assert found.judgements == ()
    holders = [found.snapshot.holders[each.link] for each in one.of(Kind.PIPE)]
    assert sum(any(each.pid == os.getpid() for each in some) for some in holders) >= 2


def test_a_healthy_server_under_load() -> None:
    with running("-c", SERVER) as process:
        pids = {process.pid, *(one.pid for one in look(process.pid).snapshot.children(process.pid))}
        for _ in range(10):  # on a busy machine the load comes late
            found = examine(Procfs(), sorted(pids), 0.6)
            assert [one for one in found.judgements if one.grade is Grade.FINDING] == []
            most = max(len(one.open) for look in found.looks for one in look.processes)
            if most > 80:
                break
    assert len(found.snapshot.processes) == 5
    assert most > 80


WANTED = {
    "broker.py": ("Kept after the send", "FD104", "/dev/zero"),
    "checkpoints.py": ("The sentinel that overwrites", "FD105", "deleted"),
    "pool_per_job.py": ("A new pool for each job", "FD401", "pipes"),
    "probe.py": ("Thrown away: temporary files and probes", "FD107", "/dev/full"),
}


@pytest.mark.parametrize(("mode", "expected"), [("kept", ["hint"]), ("replaced", []), ("stable", [])])
def test_a_loader_for_each_job(mode: str, expected: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Its living workers explain all pipes, but not that there are more and more of both."""
    with running("-c", LOADERS, mode) as process:
        for _ in range(4):  # a look in the middle of a start sees a pipe that goes at once: no hint
            status = main(["doctor", str(process.pid), "--watch", "1", "--json"])
            (one,) = json.loads(capsys.readouterr().out)["processes"]
            found = look(process.pid, 1.0)
            grades = [
                [each["grade"] for each in one["judgements"]],
                [each.grade.value for each in found.judgements],
            ]
            assert status == 0
            assert all(each in (expected, []) for each in grades)
            if mode != "kept" or [] not in grades:
                break
        assert grades == [expected, expected]
    text = "\n".join(line.plain for line in render(found))
    assert ("hint    A new pool for each job [FD401]: has" in text) == bool(expected)
    assert bool(re.search(r"living children: \d+, and \d+ at the end", text)) == bool(expected)


def test_each_live_example_is_here() -> None:
    others = {"gpu_memory.py", "trainer.py", "trainer_fixed.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(WANTED) | others


def test_memory_that_two_processes_share_as_with_a_gpu() -> None:
    with running(str(EXAMPLES / "gpu_memory.py")) as process:
        (client,) = (one.pid for one in look(process.pid).snapshot.children(process.pid))
        found = with_code(examine(Procfs(), [process.pid, client], 6.0), read(str(EXAMPLES / "gpu_memory.py")))
    hints = {one.pid: (one.grade, [*one.places]) for one in found.judgements}
    assert [grade for grade, _ in hints.values()] == [Grade.HINT] * 2
    assert {(kind.value, name) for kind, name, _ in hints[process.pid][1]} == {
        ("memfd", "dmabuf"),
        ("anon_inode", "eventfd"),
    }
    codes = [[each.code for each in one.findings] for one in found.suspects[process.pid]]
    assert codes == [["FD104"], ["FD104"]]
    assert "memfd" in [one.kind for one in found.shared[process.pid]]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
@pytest.mark.parametrize("name", ["trainer.py", "trainer_fixed.py"])
def test_a_trainer_with_a_loader_for_each_job(name: str) -> None:
    with running("-W", "ignore", str(EXAMPLES / name)) as process:
        try:
            found = with_code(look(process.pid, 30.0), read(str(EXAMPLES / name)))
        finally:
            process.kill()
    judged = [(one.grade, one.pattern.name) for one in found.judgements]
    if name == "trainer_fixed.py":
        assert judged == []
        return
    assert judged == [(Grade.HINT, "A new pool for each job")]
    assert [one.code for one in found.suspects[process.pid][0].findings] == ["FD401"]


@pytest.fixture(scope="module")
def code() -> Project:
    """What a scan of the examples says."""
    return read(str(EXAMPLES))


@pytest.mark.parametrize("name", WANTED)
def test_a_live_example_is_named_with_its_line(name: str, code: Project) -> None:
    pattern, rule, word = WANTED[name]
    with running(str(EXAMPLES / name)) as process:
        found = with_code(look(process.pid), code)
    findings = [one for one in found.judgements if one.grade is Grade.FINDING]
    assert [one.pattern.name for one in findings] == [pattern]
    assert word in findings[0].title
    first = found.suspects[process.pid][0]
    assert (Path(first.site.path).name, [one.code for one in first.findings]) == (name, [rule])
    assert first.open >= 12


def test_processes_that_come_and_go() -> None:
    """Whatever ends between two reads is left out."""
    code = "import os, time\nfor _ in range(300):\n    pid = os.fork() or os._exit(0)\n    os.waitpid(pid, 0)\n"
    noise = subprocess.Popen([sys.executable, "-c", code])
    try:
        for _ in range(5):
            found = examine(Procfs(), choose(Procfs(), Choice(everything=True)))
            assert os.getppid() in found.snapshot.entries
    finally:
        noise.kill()
        noise.wait()


def test_workers_whose_parent_was_killed() -> None:
    """Each of them holds both ends of the queue, so that none ever reads its end."""
    parent = subprocess.Popen(
        [sys.executable, "-c", QUEUE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert parent.stdout is not None
        workers = sorted(map(int, parent.stdout.readline().split()[1:]))
        parent.kill()
        parent.wait()
        found = examine(Procfs(), workers)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(parent.pid, signal.SIGKILL)
        for stream in (parent.stdin, parent.stdout):
            if stream is not None:
                stream.close()
    assert len(found.snapshot.processes) == 3
    assert [(one.pid, one.title) for one in found.judgements] == [(workers[0], "is one of 3 orphaned workers")]


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="only root can become somebody else")
def test_without_permission() -> None:
    with running("-c", "import sys; print('ready', flush=True); sys.stdin.read()") as process:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setuid(65534)
                found = look(process.pid)
                os.write(writing, "\n".join(line.plain for line in render(found)).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, encoding="utf-8") as stream:
            text = stream.read()
        os.waitpid(child, 0)
    assert "its descriptors may not be read" in text
    assert f"not seen: process {process.pid}: the descriptors (not permitted)" in text


def test_no_analysis_of_code_is_loaded_without_a_project() -> None:
    """A machine that is out of descriptors or memory needs a small program."""
    code = "import sys; from fdlint.cli import main; main(['doctor', '1'])\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "fdlint.runtime.doctor.examination" in loaded
    assert loaded.isdisjoint({"libcst", "fdlint.scan.scan", "fdlint.runtime.doctor.ranking", "jinja2"})


class TestCommandLine:
    @pytest.fixture
    def process(self) -> Iterator[subprocess.Popen[str]]:
        with running(str(EXAMPLES / "probe.py"), f"of-{os.getpid()}-alone") as process:
            yield process

    def test_text_and_status(self, process: subprocess.Popen[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor", str(process.pid)]) == 1
        text = capsys.readouterr().out
        assert "holds /dev/full 12 times" in text
        assert re.search(r"\b1 process: 1 finding, 0 hints$", text.strip())
        assert main(["doctor", str(os.getpid())]) == 0

    def test_json_and_html(
        self, process: subprocess.Popen[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        page = tmp_path / "page.html"
        arguments = ["doctor", "--pgrep", f"of-{os.getpid()}-alone", "--json", "--html", str(page), "--watch", "0.1"]
        assert main(arguments) == 1
        (one,) = json.loads(capsys.readouterr().out)["processes"]
        assert (one["pid"], one["judgements"][0]["rules"][0]) == (process.pid, "FD107")
        assert one["growth"]["counts"] == [one["open"]] * 5
        text = page.read_text(encoding="utf-8")
        assert "holds /dev/full 12 times" in text
        assert "<script" not in text

    def test_source(self, process: subprocess.Popen[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor", str(process.pid), "--source", str(EXAMPLES)]) == 1
        assert re.search(r"FD107 +at .*probe\.py:22 makes exactly these; 12 open", capsys.readouterr().out)

    def test_a_process_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor", "4194305"]) == 2
        assert "process 4194305 has ended, or there is none" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "name processes"),
            (["--pgrep", "("], "not a regular expression"),
            (["--pgrep", "no process has this in its command" * 3], "no process fits"),
            (["0"], "Invalid value"),
            (["1", "--watch", "0"], "Invalid value"),
            (["1", "--source", "/nowhere"], "does not exist"),
        ],
    )
    def test_wrong_usage(self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor", *arguments]) == 2
        assert message in capsys.readouterr().err

    def test_elsewhere(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr("fdlint.cli.doctor.sys.platform", "darwin")
        assert main(["doctor", "1"]) == 2
        assert "procfs of Linux" in capsys.readouterr().err
