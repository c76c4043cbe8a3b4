"""Repositories that try to run code, or to hide a change, when fdlint asks git about them."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import loaded
import pytest

from fdlint.cli import main
from fdlint.scan.changes import git as changes
from fdlint.scan.git import run
from fdlint.scan.git.repository import enclosing
from fdlint.scan.git.run import GitError
from tests.package import imports, modules

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

Captured = pytest.CaptureFixture[str]
LEAK = "import os\n\n\ndef leak(path):\n    fd = os.open(path, os.O_RDONLY)\n    print(path)\n"
IDENTITY = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid", "-c", "commit.gpgsign=false")


def git(*arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(["git", *IDENTITY, *arguments], check=True, capture_output=True, env=environment)
    return done.stdout.decode(errors="replace").strip()


def put(path: str | Path, text: str = LEAK) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


@dataclass(frozen=True)
class Trap:
    """A program that leaves a trace when it is run."""

    program: Path
    trace: Path


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    trap = Trap(tmp_path / "trap.sh", tmp_path / "sprung")
    trap.program.write_text(f"#!/bin/sh\necho run >> {trap.trace}\nexit 1\n")
    trap.program.chmod(0o755)
    return trap


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two leaks, committed, and changed since; .gitignore leaves out the second, which git tracks all the same."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    top = tmp_path / "tree"
    top.mkdir()
    monkeypatch.chdir(top)
    git("init", "--quiet", "--initial-branch=main")
    put(".gitignore", "ignored.py\n")
    put("a.py")
    put("ignored.py")
    git("add", "--force", ".")
    git("commit", "--quiet", "--message=first")
    for name in ("a.py", "ignored.py"):
        put(name, LEAK.replace("print(path)", "print(path, fd)"))
    return top


FOUND = ["a.py:leak", "ignored.py:leak"]


def said(capsys: Captured, *arguments: str, revision: str = "HEAD") -> list[str]:
    assert main(["scan", "--no-cache", "--output-format", "json", "--changed-since", revision, *arguments]) in (0, 1)
    out, err = capsys.readouterr()
    assert not err
    return [f"{one['path']}:{one['function']}" for one in json.loads(out)["findings"]]


MORE = "[core]\n\tfsmonitor = {trap}\n"


@dataclass(frozen=True)
class Attack:
    """What a repository brings, ``{trap}`` in it being the trap, and a plain command of git's that runs it."""

    plain: str
    settings: Mapping[str, str]
    attribute: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def install(self, trap: Trap) -> None:
        for name, value in self.settings.items():
            git("config", name, value.format(trap=trap.program))
        if self.attribute:
            put(".gitattributes", f"*.py {self.attribute}\n")
        for path, text in self.files.items():
            put(path, text.format(trap=trap.program))
            Path(path).chmod(0o755)


ATTACKS = {
    "fsmonitor": Attack("status", {"core.fsmonitor": "{trap}"}),
    "clean": Attack("diff", {"filter.x.clean": "{trap}"}, "filter=x"),
    "process": Attack("diff", {"filter.x.process": "{trap}"}, "filter=x"),
    "smudge": Attack("checkout a.py", {"filter.x.smudge": "{trap}"}, "filter=x"),
    "textconv": Attack("diff", {"diff.x.textconv": "{trap}"}, "diff=x"),
    "driver": Attack("diff", {"diff.x.command": "{trap}"}, "diff=x"),
    "external": Attack("diff", {"diff.external": "{trap}"}),
    "hook": Attack("add a.py", {}, files={".git/hooks/post-index-change": "#!/bin/sh\n{trap}\n"}),
    "hooksPath": Attack(
        "add a.py", {"core.hooksPath": "hooks"}, files={"hooks/post-index-change": "#!/bin/sh\n{trap}\n"}
    ),
    "include": Attack("status", {"include.path": "more"}, files={".git/more": MORE}),
    "includeIf": Attack("status", {"includeIf.gitdir:/**.path": "more"}, files={".git/more": MORE}),
    "worktreeConfig": Attack(
        "status",
        {"core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true"},
        files={".git/config.worktree": MORE},
    ),
    "alias": Attack("x", {"alias.x": "!{trap}"}),
    "pager": Attack("diff-tree -p --root HEAD", {"core.pager": "{trap}", "pager.diff-tree": "true"}),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_repository_cannot_make_git_run_code(attack: Attack, trap: Trap, repository: Path, capsys: Captured) -> None:
    attack.install(trap)
    assert said(capsys) == FOUND
    assert said(capsys, "a.py") == FOUND[:1]
    assert not trap.trace.exists()
    assert springs(trap, *attack.plain.split())


def springs(trap: Trap, *arguments: str) -> bool:
    """Whether git springs the trap, asked by somebody at a terminal."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(["git", *IDENTITY, *arguments], stdin=theirs, stdout=theirs, stderr=theirs) as process:
            until = time.monotonic() + 30
            while process.poll() is None and not trap.trace.exists() and time.monotonic() < until:
                time.sleep(0.01)
            process.kill()
    finally:
        os.close(ours)
        os.close(theirs)
    return trap.trace.exists()


@pytest.mark.parametrize(
    "settings",
    [
        {"remote.origin.url": "tree", "remote.origin.uploadpack": "{trap}"},
        {"remote.origin.url": "ssh://example.invalid/tree", "core.sshCommand": "{trap}"},
        {"remote.origin.url": "ext::{trap}", "protocol.ext.allow": "always"},
    ],
    ids=["uploadpack", "sshCommand", "ext"],
)
def test_nothing_is_fetched(settings: Mapping[str, str], trap: Trap, repository: Path, capsys: Captured) -> None:
    """A partial clone without the old contents, which git would fetch as soon as it wants them."""
    (repository / "tree").mkdir()
    partial = {"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "1"}
    Attack("", {**partial, **settings}).install(trap)
    name = git("rev-parse", "HEAD:a.py")
    Path(".git/objects", name[:2], name[2:]).unlink()
    assert main(["scan", "--no-cache", "--changed-since", "HEAD"]) == 2
    assert "has not all of 'HEAD' (is it a partial clone?), and fdlint fetches nothing" in capsys.readouterr().err
    assert not trap.trace.exists()
    assert springs(trap, "cat-file", "-p", name)


def test_a_bare_repository_in_the_tree_is_not_asked(trap: Trap, repository: Path, capsys: Captured) -> None:
    """All of it comes with an ordinary clone."""
    git("init", "--quiet", "--bare", "data/sample")
    git("--git-dir=data/sample", "fetch", "--quiet", ".", "main:main")
    for name, value in {"fsmonitor": str(trap.program), "worktree": "./", "bare": "false"}.items():
        git("config", "--file", "data/sample/config", f"core.{name}", value)
    put("data/sample/x.py")
    assert said(capsys, revision="main") == [*FOUND[:1], "data/sample/x.py:leak", *FOUND[1:]]
    assert said(capsys, "data/sample", revision="main") == ["data/sample/x.py:leak"]
    assert said(capsys, "data/sample/x.py", revision="main") == ["data/sample/x.py:leak"]
    assert not trap.trace.exists()
    assert springs(trap, "-C", "data/sample", "status")


def test_a_repository_in_the_tree_is_not_asked(trap: Trap, repository: Path, capsys: Captured) -> None:
    put("sub/x.py")
    put("sub/ignored.py")
    git("init", "--quiet", "--initial-branch=main", "sub")
    git("-C", "sub", "add", ".")
    git("-C", "sub", "commit", "--quiet", "--message=theirs")
    put("sub/.gitignore", "ignored.py\n")
    git("-C", "sub", "config", "core.fsmonitor", str(trap.program))
    assert said(capsys) == [*FOUND, "sub/ignored.py:leak", "sub/x.py:leak"]
    assert said(capsys, "sub") == []
    assert not trap.trace.exists()
    assert springs(trap, "-C", "sub", "status")


def test_another_work_tree_is_not_looked_at(repository: Path, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "other").mkdir()
    git("config", "core.worktree", str(tmp_path / "other"))
    assert said(capsys) == FOUND
    assert git("rev-parse", "--show-toplevel") == os.path.realpath(tmp_path / "other")


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "{trap}"},
        {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='{trap}'"},
        {"GIT_EXTERNAL_DIFF": "{trap}"},
        {"GIT_DIR": "{trap}", "GIT_WORK_TREE": "/"},
        {"GIT_INDEX_FILE": "{trap}", "GIT_OBJECT_DIRECTORY": "{trap}"},
        {"GIT_EXEC_PATH": "{trap}"},
        {"GIT_CONFIG_GLOBAL": "{trap}"},
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_the_environment_means_nothing(
    variables: Mapping[str, str], trap: Trap, repository: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(trap=trap.program))
    assert said(capsys) == FOUND
    assert not trap.trace.exists()


def test_git_is_not_taken_from_the_tree(
    trap: Trap, repository: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(trap.program, "git")
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", os.environ["PATH"])))
    assert said(capsys) == FOUND
    assert not trap.trace.exists()


NAMES = [
    *(b"new\nline.py", b"-rf.py", b"--output=x.py", b'quo"te.py', b"back\\slash.py", b"\xff\xfe.py", b"tab\t.py"),
    *(b":(top)x.py", b"*.py", b"git~1/x.py", b"a => b.py", b"+++ b/a.py", b"gone-0.py", b"space .py", b"0.py"),
]


@pytest.mark.parametrize("name", [os.fsdecode(name) for name in NAMES], ids=range(len(NAMES)))
def test_names(name: str, repository: Path, capsys: Captured) -> None:
    put(name)
    found = f"{os.fsencode(name).decode(errors='replace')}:leak"
    assert found in said(capsys)
    entry = b"100644 " + git("rev-parse", "HEAD:a.py").encode() + b"\t" + os.fsencode(name) + b"\0"
    command = ["git", "-c", "core.protectNTFS=false", "update-index", "--add", "-z", "--index-info"]
    subprocess.run(command, input=entry, check=True)
    put(".gitignore", "/*\n!/.gitignore\n")
    git("commit", "--quiet", "--message=second")
    assert said(capsys) == FOUND
    put(name, LEAK.replace("print(path)", "print(path, 1)"))
    assert found in said(capsys)


@pytest.mark.parametrize("newline", ["\r", "\r\n", "\n\r", "\x0c\n", "\x85\n"])
def test_other_newlines_hide_nothing(newline: str, repository: Path, capsys: Captured) -> None:
    """git counts lines in its own way."""
    Path("new.py").write_bytes((newline * 9 + LEAK.replace("\n", newline)).encode())
    Path("a.py").write_bytes(("# \r" * 9 + LEAK.replace("print(path)", "print(path, 2)")).encode())
    found = said(capsys, "new.py", "a.py")
    assert "a.py:leak" in found
    assert "new.py:leak" in found or newline == "\x85\n"


def test_attributes_hide_nothing(repository: Path, capsys: Captured) -> None:
    put(".gitattributes", "*.py -diff binary -text working-tree-encoding=UTF-16 eol=crlf ident\n")
    put(".git/info/attributes", "*.py -diff\n")
    git("add", ".gitattributes")
    git("commit", "--quiet", "--message=attributes")
    assert said(capsys) == FOUND


def test_replaced_objects_hide_nothing(repository: Path, capsys: Captured) -> None:
    git("replace", git("rev-parse", "HEAD:a.py"), git("hash-object", "-w", "a.py"))
    assert git("diff", "--stat", "HEAD", "--", "a.py") == ""
    assert said(capsys) == FOUND


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_flags_of_the_index_hide_nothing(flag: str, repository: Path, capsys: Captured) -> None:
    git("update-index", flag, "a.py")
    assert git("diff", "--stat", "--", "a.py") == ""
    assert said(capsys) == FOUND


@pytest.mark.parametrize("kind", ["pipe", "device", "huge", "endless", "binary", "loop", "itself"])
def test_what_is_no_repository(kind: str, repository: Path) -> None:
    """``.git`` can be anything beside what looks like a bare repository; the next one above is that of the user."""
    git("init", "--quiet", "--bare", "sub")
    entry = repository / "sub/.git"
    put("sub/x.py")
    if kind == "pipe":
        os.mkfifo(entry)
    elif kind == "huge":
        with entry.open("wb") as file:
            file.truncate(10**12)
    elif kind == "binary":
        entry.write_bytes(b"gitdir: \0\xff\n")
    elif kind == "itself":
        entry.write_text("gitdir: .git\n")
    else:
        entry.symlink_to({"device": "/dev/tty", "endless": "/dev/zero", "loop": ".git"}[kind])
    found = enclosing("sub")
    assert found is not None
    assert found.top == os.path.realpath(repository)
    command = [sys.executable, "-m", "fdlint", "scan", "--no-cache", "-q", "--changed-since", "HEAD", "sub"]
    done = loaded.run(command, text=True)
    assert done.stdout.startswith("sub/x.py:5:10: FD101"), done.stderr


@pytest.mark.parametrize("file", ["HEAD", "config", "index", "packed-refs", "logs/HEAD", "refs/heads/x", "commondir"])
def test_pipes_in_a_repository(file: str, repository: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be refused, but it never hangs."""
    monkeypatch.setattr(run, "_SECONDS", 2)
    (repository / ".git" / file).unlink(missing_ok=True)
    os.mkfifo(repository / ".git" / file)
    assert main(["scan", "--no-cache", "-q", "--changed-since", "x", "a.py"]) == 2
    assert re.search("unknown git revision|cannot be read|did not end within 2 s", capsys.readouterr().err)
    assert main(["scan", "--no-cache", "-q", "."]) == 1


def test_what_git_prints_is_bounded(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_MAX_OUTPUT", 10)
    with pytest.raises(GitError, match="git help: it prints more than 0 MiB"):
        run.git(str(repository / ".git"), "help")


def test_a_huge_old_version_stops_nothing(repository: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    put("huge.py", "x = 1\n" * 100_000)
    git("add", "huge.py")
    git("commit", "--quiet", "--message=second", "huge.py")
    put("huge.py")
    monkeypatch.setattr(changes, "SOURCE", 100_000)
    monkeypatch.setattr(run, "_MAX_OUTPUT", 200_000)
    assert said(capsys, ".") == sorted([*FOUND, "huge.py:leak"])


def test_a_scan_starts_only_git() -> None:
    starting = re.compile(r"os\.(system|popen|exec\w+|spawn\w+|posix_spawn\w*|startfile)|.*subprocess_(exec|shell)")
    last = re.compile("sys|popen|exec|spawn|posix_|start|subprocess_")  # to unparse all attributes takes seconds
    started = set()
    for module in modules():
        attributes = (node for node in module.nodes if isinstance(node, ast.Attribute) and last.match(node.attr))
        named = map(ast.unparse, attributes)
        packages = {name.partition(".")[0] for name in imports(module)}
        if packages & {"subprocess", "pty"} or any(map(starting.fullmatch, named)):
            started.add(module.name)
    # `prove --run` and `san`; the machinery of a proof only replaces what starts programs
    asked_for = {"runtime.proof.running", "cli.sanitizing"}
    asked_for |= {"runtime.proof.machinery.world", "runtime.proof.machinery.workers"}
    assert started - asked_for == {"scan.git.run", "fleet.task"}  # the latter starts fdlint itself
