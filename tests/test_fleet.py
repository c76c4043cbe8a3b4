"""A fleet: many small repositories in one store, whatever happens to the run or is in a repository."""

from __future__ import annotations

import csv
import functools
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import loaded
import pytest
from fixtures_of_git import commit, git, made

from fdlint.cli import main
from fdlint.fleet import cluster, task
from fdlint.fleet.job import Job, Limits, Outcome, State
from fdlint.fleet.manifest import Listed, ManifestError, read
from fdlint.fleet.store import opened

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'fdlint[fleet]'")
Captured = pytest.CaptureFixture[str]

LEAK = "import os\n\n\ndef leak(path):\n    fd = os.open(path, os.O_RDONLY)\n    print(path)\n"
CLEAN = "print('clean')\n"
SLOW = "import os\n" + "".join(
    f"\n\ndef leak_{n}(path):\n    fd = os.open(path, {n})\n    print(path)\n" for n in range(40)
)


class Forks:
    """The module ``subprocess`` for ``task``: its processes fork from one that has loaded fdlint."""

    PIPE = subprocess.PIPE

    @staticmethod
    def Popen(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(loaded.program(*command[1:]), **options)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded.start()
    monkeypatch.setattr(task, "subprocess", Forks)


@pytest.fixture
def checkouts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forked: None) -> Path:
    """Two repositories with a leak, and one without."""
    monkeypatch.chdir(tmp_path)
    made(tmp_path / "checkouts" / "api", {"leak.py": LEAK, "CODEOWNERS": "* @api-team\n"})
    made(
        tmp_path / "checkouts" / "web", {"go.mod": "module web\n", "pkg/leak.py": LEAK, "json.py": "raise SystemExit\n"}
    )
    made(tmp_path / "checkouts" / "docs", {"conf.py": CLEAN})
    return tmp_path / "checkouts"


def run(*arguments: str) -> int:
    return main(["fleet", "run", "-q", "-j2", *arguments])


def rows(query: str, store: str = "fdlint-fleet") -> list[tuple[object, ...]]:
    with sqlite3.connect(f"{store}/fleet.sqlite3") as database:
        return database.execute(query).fetchall()


def test_a_fleet_says_what_each_repository_says(checkouts: Path, capsys: Captured) -> None:
    assert run("checkouts", "--fail-on", "any", "-o", "sarif=sarif", "-o", "all.csv", "-o", "fleet.html") == 1
    out = capsys.readouterr().out
    assert "2 findings in 3 repositories" in out
    found = rows("SELECT repository, owner, rule, path, line, cause FROM open_finding ORDER BY repository")
    assert found == [
        ("api", "@api-team", "FD101", "leak.py", 5, "repository"),
        ("web", "", "FD101", "pkg/leak.py", 5, "repository"),
    ]
    with open("all.csv", newline="") as file:
        assert [row["path"] for row in csv.DictReader(file)] == ["leak.py", "pkg/leak.py"]
    (logged,) = json.loads(Path("sarif/web.sarif").read_text())["runs"]
    assert logged["automationDetails"]["id"] == "fdlint/web/"
    (result,) = logged["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "pkg/leak.py"
    assert result["locations"][0]["physicalLocation"]["region"]["snippet"]["text"].strip().startswith("fd = os.open")
    assert json.loads(Path("sarif/docs.sarif").read_text())["runs"][0]["results"] == []
    assert "pkg/leak.py" in Path("fleet.html").read_text()


def test_a_second_run_scans_only_what_has_changed(
    checkouts: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    assert run("checkouts") == 0
    started: list[str] = []
    real = task._done
    monkeypatch.setattr(task, "_done", lambda job: (started.append(job.listed.name), real(job))[1])
    assert run("checkouts", "--fail-on", "new") == 0
    assert not started
    assert {row[0] for row in rows("SELECT outcome FROM visit WHERE run = 2")} == {"unchanged"}
    commit(checkouts / "docs", {"conf.py": LEAK})
    commit(checkouts / "api", {"leak.py": CLEAN})
    made(checkouts / "more", {"leak.py": LEAK})
    capsys.readouterr()
    assert run("checkouts", "--fail-on", "new") == 1
    assert sorted(started) == ["api", "docs", "more"]
    out = capsys.readouterr().out
    assert "1 new leak and 1 gone, and 1 new repository" in out
    assert re.search(r"\*\*New leaks\*\*\n\n- <code>docs conf&#46;py", out) or "docs conf.py" in out
    assert rows("SELECT repository, cause FROM open_finding WHERE first_run = 3 ORDER BY repository") == [
        ("docs", "code"),
        ("more", "repository"),
    ]


def test_addresses_are_fetched_without_history_and_without_running_anything(checkouts: Path, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    for hook in ("post-checkout", "post-merge", "pre-auto-gc", "post-update", "upload-pack"):
        file = checkouts / "api" / ".git" / "hooks" / hook
        file.write_text(f"#!/bin/sh\ntouch {trap}\n")
        file.chmod(0o755)
    git(checkouts / "api", "config", "filter.x.smudge", f"touch {trap}")
    commit(checkouts / "api", {".gitattributes": "* filter=x\n", "more.py": CLEAN})
    (tmp_path / "fleet.toml").write_text(
        f'[[repository]]\nname = "one/api"\nurl = "{(checkouts / "api").as_uri()}"\nref = "main"\nowner = "core"\n'
        f'[[repository]]\nurl = "{(checkouts / "web").as_uri()}"\n'
        f'[[repository]]\nname = "gone"\nurl = "{(tmp_path / "gone").as_uri()}"\n'
    )
    assert run("fleet.toml") == 0
    assert not trap.exists()
    assert rows("SELECT name, outcome FROM visit JOIN repository ON repository.id = repository ORDER BY name") == [
        ("checkouts/web", "scanned"),
        ("gone", "failed"),
        ("one/api", "scanned"),
    ]
    (fetched,) = Path("fdlint-fleet").glob("*/git/one_api-*")
    assert git(fetched, "rev-list", "--count", "refs/fdlint/fetched") == "1"


REFUSED = ["../up.py", ".git/config", "a\\b.py", "x/../../up.py"]
STRANGE = ["a\x1b[31mb.py", "<img src=x>.py", "-rf.py", "\u202egnp.py"]


def test_names_of_a_hostile_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that no checkout of git's would make: each name stays below the directory, or is not written."""
    monkeypatch.chdir(tmp_path)
    top = made(tmp_path / "evil", {"fine.py": LEAK})
    blob = git(top, "hash-object", "-w", "--stdin", data=LEAK)
    link = git(top, "hash-object", "-w", "--stdin", data="/etc")
    inside = raw_tree(top, [("100644", "x.py", blob)])
    names = [("100644", name, blob) for name in (*REFUSED, *STRANGE)]
    entries = [*names, ("120000", "l", link), ("40000", "l", inside), ("160000", "sub", "1" * 40)]
    git(top, "update-ref", "HEAD", git(top, "commit-tree", raw_tree(top, entries), data="evil"))
    assert main(["fleet", "run", "-q", "-j1", str(tmp_path), "-o", "fleet.html", "-o", "sarif=sarif"]) == 0
    assert not list((tmp_path / "fdlint-fleet").rglob("up.py"))
    assert not any(path.is_symlink() for path in (tmp_path / "fdlint-fleet").rglob("*"))
    page = (tmp_path / "fleet.html").read_text()
    assert not [text for text in ("<img", "\x1b", "\u202e") if text in page]
    assert {row[0] for row in rows("SELECT path FROM finding")} == {*STRANGE, "l/x.py"}
    assert {row[0] for row in rows("SELECT path FROM skipped")} == {*REFUSED, "sub"}


def raw_tree(top: Path, entries: list[tuple[str, str, str]]) -> str:
    """Writes a tree with names that ``git mktree`` would refuse."""
    data = b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(blob) for mode, name, blob in entries)
    return git(top, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", data=data)


def test_a_repository_that_is_too_large_is_said_and_a_large_one_is_split(
    checkouts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(checkouts / "web", {f"pkg/m{n}.py": LEAK for n in range(3)})
    whole = done(Job(Listed("web", path=str(checkouts / "web")), str(checkouts / "home")))
    small = Limits(part=250)
    with opened(Path("store"), write=True) as store, cluster.connected(None, 2) as client:
        from fdlint.fleet.running import Place
        from fdlint.fleet.running import run as run_fleet

        listed = (Listed("web", path=str(checkouts / "web")), Listed("api", path=str(checkouts / "api")))
        assert run_fleet(store, listed, client, Place(Path("work").absolute(), small), lambda *_: None)["scanned"] == 2
    parts = rows("SELECT parts FROM scan JOIN repository ON repository.id = repository WHERE name = 'web'", "store")
    assert parts[0][0] > 1
    found = rows("SELECT path, fingerprint FROM open_finding WHERE repository = 'web' ORDER BY path", "store")
    assert found == sorted((one["path"], one["fingerprint"]) for one in whole.report["findings"])
    refused = done(Job(Listed("api", path=str(checkouts / "api")), str(checkouts / "home"), Limits(files=1)))
    assert (refused.state, refused.reason) == (State.FAILED, "it has 2 files, the limit is 1")


def done(job: Job) -> Outcome:
    return task.do(job)


def children(parent: int) -> list[int]:
    """The processes that scan for another one."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if (
                f"PPid:\t{parent}\n" in (place / "status").read_text()
                and b"fleet.scanning" in (place / "cmdline").read_bytes()
            ):
                found.append(int(place.name))
        except OSError:
            continue
    return found


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        made(tmp_path / "many" / f"r{number}", {"slow.py": SLOW})
    return tmp_path / "many"


def killing(parent: int, times: int) -> threading.Thread:
    """Kills scanning processes of another process, in the middle of their work."""

    def kill() -> None:
        killed = set[int]()
        until = time.monotonic() + 60
        while len(killed) < times and time.monotonic() < until:
            for one in set(children(parent)) - killed:
                time.sleep(0.4)
                os.kill(one, signal.SIGKILL)
                killed.add(one)
                break
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


COUNTED = "SELECT repository, path, count(*) FROM open_finding GROUP BY 1, 2"
FOUND = "SELECT repository, path, fingerprint FROM open_finding ORDER BY 1, 2, 3"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it looks for processes in /proc")
def test_killed_processes_change_nothing(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(task, "subprocess", Forks)
        loaded.start()
        assert run("many", "--store", "calm") == 0
    killer = killing(os.getpid(), 2)
    assert run("many", "--store", "wild") == 0
    killer.join()
    assert rows(FOUND, "wild") == rows(FOUND, "calm") != []


class Dying:
    """A cluster on which each job of some repositories is killed: at once, or after it has got on a little."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, gets_on: int) -> None:
        self.deaths, self.beside = Counter[str](), Counter[str]()
        self._running, self._gets_on = list[str](), gets_on
        monkeypatch.setattr(task, "_done", functools.partial(self._done, task._done))

    def _done(self, real: Callable[[Job], Outcome], job: Job) -> Outcome:
        name = job.listed.name
        self._running.append(name)
        try:
            time.sleep(0.1)
            self.beside[name] += len(self._running) > 1
            if name != "r0" or self.deaths[name] == self._gets_on > 0:
                return real(job)
            self.deaths[name] += 1
            raise task.DiedError("its process was killed by SIGKILL", self.deaths[name] if self._gets_on else 0)
        finally:
            self._running.remove(name)


def test_a_job_that_kills_itself_is_given_up_when_it_was_alone(
    many: Path, forked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = Dying(monkeypatch, gets_on=0)
    assert run("many") == 0
    (one,) = rows("SELECT outcome, reason FROM visit JOIN repository ON repository.id = repository WHERE name = 'r0'")
    assert one == ("failed", "its process was killed by SIGKILL, 8 times, also with no other job beside it")
    assert rows(COUNTED) == [(f"r{number}", "slow.py", 40) for number in (1, 2)]
    assert 0 < dying.beside["r0"] <= 5


def test_a_job_that_gets_on_between_its_deaths_is_not_given_up(
    many: Path, forked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    Dying(monkeypatch, gets_on=20)
    assert run("many") == 0
    assert rows(COUNTED) == [(f"r{number}", "slow.py", 40) for number in range(3)]


def test_a_fetch_that_was_killed_is_no_obstacle(many: Path) -> None:
    listed = Listed("r0", url=(many / "r0").as_uri())
    job = Job(listed, str(many.parent / "home"))
    store = many.parent / "home" / "git" / job.key
    store.mkdir(parents=True)
    (store / "shallow.lock").touch()
    assert done(job).state is State.SCANNED


def test_a_repository_without_a_configuration(checkouts: Path) -> None:
    (checkouts / "api" / ".git" / "config").unlink()
    assert done(Job(Listed("api", path=str(checkouts / "api")), str(checkouts / "home"))).state is State.SCANNED


def test_an_interrupted_run_goes_on_where_it_was(many: Path, capsys: Captured) -> None:
    command = [sys.executable, "-c", "import sys; from fdlint.cli import main; sys.exit(main())"]
    process = subprocess.Popen([*command, "fleet", "run", "many", "-j1"], stderr=subprocess.DEVNULL)
    while not Path("fdlint-fleet/fleet.sqlite3").is_file() or not visits():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    before = visits()
    assert 1 <= len(before) < 3
    assert main(["fleet", "status"]) == 0
    assert "not finished" in capsys.readouterr().out
    assert run("many") == 0
    assert rows("SELECT count(*), min(finished IS NOT NULL) FROM run") == [(1, 1)]
    assert visits()[: len(before)] == [(name, "unchanged") for name, _ in before]
    assert len(rows(FOUND)) == 120


def visits() -> list[tuple[object, ...]]:
    try:
        return rows("SELECT name, outcome FROM visit JOIN repository ON repository.id = repository ORDER BY name")
    except sqlite3.OperationalError:
        return []


def test_an_existing_cluster_whose_worker_is_killed(many: Path, tmp_path: Path) -> None:
    with scheduler(tmp_path) as (address, worker):
        threading.Timer(3.0, worker().kill).start()
        assert run("many", "--scheduler", address) == 0
    assert rows(COUNTED) == [(f"r{number}", "slow.py", 40) for number in range(3)]


class scheduler:
    """A scheduler and one worker that stays, as processes of their own, and what starts a further worker."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.processes = directory, list[subprocess.Popen[bytes]]()

    def __enter__(self) -> tuple[str, Callable[[], subprocess.Popen[bytes]]]:
        file = self.directory / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        while not file.is_file() or not file.read_text():
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]
        self._worker()
        return self.address, self._worker

    def _worker(self) -> subprocess.Popen[bytes]:
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        process = subprocess.Popen(command, cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def __exit__(self, *_: object) -> None:
        for one in reversed(self.processes):
            one.kill()
            one.wait()


@pytest.fixture
def fixable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    text = "import os\n\n\ndef size(path):\n    fd = os.open(path, os.O_RDONLY)\n    return os.fstat(fd).st_size\n"
    yield made(tmp_path / "fleet" / "tool", {"tool.py": text})


def test_patches_apply_and_mend(fixable: Path, capsys: Captured) -> None:
    assert run("fleet") == 0
    assert main(["fleet", "patches", "fleet", "patches", "-j1"]) == 0
    assert "tool: patches/tool.patch" in capsys.readouterr().out
    git(fixable, "am", str(Path("patches/tool.patch").absolute()))
    assert "FD" in git(fixable, "log", "-1", "--format=%B")
    assert main(["scan", "-q", str(fixable)]) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it names no repository"),
        ("[[repository]\n", "it is not TOML"),
        ("[other]\n", "there is no key 'other'"),
        ("repository = 3\n", "write [[repository]]"),
        ("[[repository]]\nname = 'x'\n", "repository 1 (x): say `url` or `path`"),
        ("[[repository]]\nurl = 'ext::sh -c x'\n", "is no address of git"),
        ("[[repository]]\nurl = '--upload-pack=x'\n", "is no address of git"),
        ("[[repository]]\npath = 'x'\nref = '--all'\n", "is no branch, tag or commit"),
        ("[[repository]]\npath = 'x'\ncolour = 'red'\n", "there is no key 'colour'"),
        ("[[repository]]\npath = 'x'\npersona = 'me'\n", "'me' is not a valid Persona"),
        ("[[repository]]\npath = 'x'\nselect = ['FD999']\n", "there is no rule FD999"),
        ('[[repository]]\npath = "x"\nname = "a\\u001bb"\n', "not printable"),
        ("[[repository]]\npath = 'x'\n[[repository]]\npath = 'x'\n", "two repositories are called"),
        ("[[repository]]\npath = 3\n", "`path` is not a text"),
    ],
)
def test_a_wrong_manifest(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fleet.toml").write_text(text)
    assert main(["fleet", "run", "fleet.toml"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("fdlint-fleet").exists()


def test_a_list_of_repositories() -> None:
    found = read("-", ["# all", "", "https://git.example.org/team/api.git owner=api ref=v1", "checkouts/web name=web"])
    assert [(one.name, one.url, one.ref, one.owner) for one in found] == [
        ("team/api", "https://git.example.org/team/api.git", "v1", "api"),
        ("web", None, "HEAD", ""),
    ]
    with pytest.raises(ManifestError, match="line 1: 'color=red' is not name="):
        read("-", ["x color=red"])


def test_credentials_stay_out_of_the_store() -> None:
    (one,) = read("-", ["https://robot:secret@git.example.org/team/api.git"])
    assert "secret" in one.source
    assert one.shown == "https://git.example.org/team/api.git"


def test_two_runs_do_not_share_a_store(checkouts: Path, capsys: Captured) -> None:
    with opened(Path("fdlint-fleet"), write=True):
        assert run("checkouts") == 2
    assert "another run works with this store" in capsys.readouterr().err


def test_a_store_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["fleet", "status"]) == 2
    assert "there is no store of a fleet" in capsys.readouterr().err


def test_a_scheduler_that_is_not_there(checkouts: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", 1)
    assert run("checkouts", "--scheduler", "tcp://127.0.0.1:9") == 2
    assert "there is no scheduler" in capsys.readouterr().err
