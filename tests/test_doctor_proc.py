"""The readers of ``fdlint doctor``: links, ``fdinfo``, and processes that vanish while they are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from proctree import ON_LINUX, FakeProcfs, build

from fdlint.runtime.doctor.choosing import Choice, choose
from fdlint.runtime.doctor.examination import examine
from fdlint.runtime.doctor.judging import patterns
from fdlint.runtime.doctor.kinds import Kind, Target, target_of
from fdlint.runtime.doctor.proc import processes
from fdlint.runtime.doctor.proc.descriptors import Allowance, Tables, details_of
from fdlint.runtime.doctor.proc.files import GoneError, Procfs
from fdlint.runtime.doctor.words import duration, in_bytes

pytestmark = ON_LINUX

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("socket:[12]", Target(Kind.SOCKET, "", 12)),
        ("pipe:[12]", Target(Kind.PIPE, "", 12)),
        ("pidfd:[12]", Target(Kind.PIDFD, "", 12)),
        ("anon_inode:[pidfd]", Target(Kind.PIDFD, "")),
        ("anon_inode:[eventpoll]", Target(Kind.ANON, "eventpoll")),
        ("anon_inode:inotify", Target(Kind.ANON, "inotify")),
        ("anon_inode:kvm-vcpu:11", Target(Kind.ANON, "kvm-vcpu")),
        ("net:[4026531840]", Target(Kind.NAMESPACE, "net", 4026531840)),
        ("/memfd:a b (deleted)", Target(Kind.MEMFD, "a b")),
        ("/dev/fuse", Target(Kind.DEVICE, "/dev/fuse")),
        ("/dev/pts/3 (deleted)", Target(Kind.DEVICE, "/dev/pts/3")),
        ("/dev/shm/sem.x (deleted)", Target(Kind.DELETED, "/dev/shm/sem.x")),
        ("/tmp/a (deleted)", Target(Kind.DELETED, "/tmp/a")),
        ("/tmp/a (deleted) b", Target(Kind.FILE, "/tmp/a (deleted) b")),
        ("/tmp/socket:[12]", Target(Kind.FILE, "/tmp/socket:[12]")),
        ("socket:[12", Target(Kind.OTHER, "socket:[12")),
        ("(unreachable)/a", Target(Kind.OTHER, "(unreachable)/a")),
    ],
)
def test_kinds(link: str, target: Target) -> None:
    assert target_of(link) == target


def test_fdinfo() -> None:
    text = "pos:\t7\nflags:\t02000001\nmnt_id:\t15\nino:\t99\ntfd:   5 events: 19\ntfd:   6 events: 19\nscm_fds: 3\n"
    details = details_of(text)
    assert (details.position, details.mount, details.inode, details.watches, details.in_flight) == (7, 15, 99, 2, 3)
    assert (details.reads, details.writes, details.is_inherited) == (False, True, False)


@pytest.mark.parametrize("text", ["", "\n\n:\n", "flags:\tx\npos:\t\n", "pos", "flags:\t" + "9" * 40])
def test_fdinfo_that_makes_no_sense(text: str) -> None:
    assert details_of(text).position is None


@pytest.mark.parametrize("stat", ["", "50", "50 (", ") (", "50 (a) S x y z", "50 (a) S 1"])
def test_a_stat_that_makes_no_sense(tmp_path: Path, stat: str) -> None:
    procfs = build(tmp_path, [{"pid": 50}])
    (tmp_path / "proc" / "50" / "stat").write_text(stat)
    assert processes.entry(procfs, 50) is None


class Vanishing(FakeProcfs):
    """The process ends after some reads."""

    reads = 0

    def text(self, *parts: str | int, limit: int = 65_536) -> str:
        self._count(parts)
        return super().text(*parts, limit=limit)

    def link(self, *parts: str | int) -> str:
        self._count(parts)
        return super().link(*parts)

    def numbers(self, *parts: str | int) -> list[int]:
        self._count(parts)
        return super().numbers(*parts)

    def _count(self, parts: tuple[str | int, ...]) -> None:
        if parts and parts[0] == 50:
            Vanishing.reads -= 1
            if Vanishing.reads < 0:
                raise GoneError


@pytest.mark.parametrize("reads", range(30))
def test_a_process_may_end_at_any_read(tmp_path: Path, reads: int) -> None:
    fds = ["/dev/null", "socket:[5]", {"link": "/tmp/a (deleted)", "bytes": 512}, "pipe:[6]"]
    whole = build(tmp_path, [{"pid": 1}, {"pid": 50, "fds": fds, "threads": [{"tid": 50, "state": "D"}]}])
    Vanishing.reads = reads
    found = examine(Vanishing(whole.root, whole.fuse, whole.status), [50])
    assert len(found.snapshot.processes) + len(found.ended) == 1


def test_no_procfs(tmp_path: Path) -> None:
    with pytest.raises(GoneError):
        examine(Procfs(str(tmp_path / "nowhere")), [1])


def test_work_is_bounded(tmp_path: Path) -> None:
    procfs = build(tmp_path, [{"pid": 50, "fds": [{"link": "/srv/{}", "count": 10}]}])
    table = Tables(procfs, Allowance(4)).table(50)
    assert [one.details is not None for one in table] == [True] * 4 + [False] * 6


def test_a_network_file_system_is_not_asked(tmp_path: Path) -> None:
    fds = [{"link": "/mnt/bucket/a (deleted)", "mnt": 40}, {"link": "/tmp/b (deleted)", "mnt": 25}]
    whole = build(tmp_path, [{"pid": 50, "fds": fds}])
    asked: list[str] = []

    def status(path: str) -> None:
        asked.append(path)
        raise PermissionError(path)

    Tables(Procfs(whole.root, whole.fuse, status)).table(50)  # type: ignore[arg-type]
    assert [path.rpartition("/")[2] for path in asked] == ["1"]


class TestChoosing:
    @pytest.fixture
    def procfs(self, tmp_path: Path) -> FakeProcfs:
        pods = "/kubepods/pod1/cri-containerd-abc.scope"
        return build(
            tmp_path,
            [
                {"pid": 1, "name": "init"},
                {"pid": 9, "name": "kworker/0:1", "parent": 2, "group": 0},
                {"pid": 50, "name": "python", "command": "python -m broker", "cgroup": pods, "pid_namespace": 77},
                {"pid": 51, "name": "python", "command": "python -m client", "pid_namespace": 77},
                {"pid": 52, "name": "python", "command": "python -m broker", "threads": [{"state": "D"}]},
            ],
        )

    def test_everything_but_the_kernel(self, procfs: FakeProcfs) -> None:
        assert choose(procfs, Choice(everything=True)) == (1, 50, 51, 52)

    def test_by_command(self, procfs: FakeProcfs) -> None:
        assert choose(procfs, Choice(pattern=re.compile("python"))) == (50, 51, 52)

    def test_the_command_of_a_stuck_process_is_not_read(self, procfs: FakeProcfs) -> None:
        assert choose(procfs, Choice(pattern=re.compile("broker"))) == (50,)

    def test_by_container(self, procfs: FakeProcfs) -> None:
        assert choose(procfs, Choice(cgroup="containerd-abc")) == (50,)
        assert choose(procfs, Choice(beside=51)) == (50, 51)
        assert choose(procfs, Choice((50, 52), beside=51)) == (50,)
        assert choose(procfs, Choice(beside=999)) == ()

    def test_by_number(self, procfs: FakeProcfs) -> None:
        assert choose(procfs, Choice((51, 4711))) == (51, 4711)


def test_each_pattern_has_a_page_or_a_heading() -> None:
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "patterns").glob("*.md")]
    titles = {line.lstrip("# ") for page in pages for line in page.split("\n") if line.startswith("#")}
    assert titles >= {one.name for one in vars(patterns).values() if isinstance(one, patterns.Pattern)}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "0 seconds"),
        (1, "1 second"),
        (100, "100 seconds"),
        (18_000, "5 hours"),
        (9e5, "10 days"),
        (1e12, "10 years"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert words in duration(seconds)


def test_sizes() -> None:
    assert [in_bytes(one) for one in (5, 1536, 12 << 30)] == ["5 bytes", "1.5 KiB", "12.0 GiB"]


def test_each_namespace_is_read_once(tmp_path: Path) -> None:
    processes = [{"pid": pid, "fds": ["socket:[5]"], "tcp": [["08", 5, 1]]} for pid in (50, 51, 52)]
    whole = build(tmp_path, processes)
    for pid, namespace in ((50, 1), (51, 1), (52, 2)):
        (tmp_path / "proc" / str(pid) / "ns" / "net").symlink_to(f"net:[{namespace}]")
    (tmp_path / "proc" / "51" / "net" / "tcp").unlink()
    found = examine(whole, [50, 51, 52])
    assert [dict(one.tcp) for one in found.snapshot.processes] == [{5: "CLOSE_WAIT"}] * 3


def test_thousands_that_share_one_pipe() -> None:
    """Each of them names some of the others only, and nobody is blamed for what all have inherited."""
    from fdlint.runtime.doctor.judging import judge
    from fdlint.runtime.doctor.model import Descriptor, Details, Entry, Holder, Process, Snapshot
    from fdlint.runtime.doctor.sharing import MOST, shared_files

    ends = tuple(Descriptor(n, Kind.PIPE, "", f"pipe:[{n // 2}]", n // 2, details=Details(n % 2)) for n in range(40))
    entries = {pid: Entry(pid, "worker", "S", 1, 1, 1, 1) for pid in range(1, 2001)}
    processes = tuple(Process(one, ends) for one in entries.values())
    held: dict[str, list[Descriptor]] = {}
    for one in ends:
        held.setdefault(one.link, []).append(one)
    holders = {link: tuple(Holder(pid, tuple(some)) for pid in entries) for link, some in held.items()}
    snapshot = Snapshot(0.0, processes, entries, holders)
    shared = shared_files(snapshot)
    assert len(shared) == 2000
    assert {len(one.others(pid)) for pid, some in shared.items() for one in some} == {MOST}
    assert {len(one.holders) for some in shared.values() for one in some} == {2000}
    assert judge([snapshot]) == ()
