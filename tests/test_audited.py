"""What a report knows of its scan: where, at which revision, when, how and with what."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sample

from fdlint.cli import main
from fdlint.core.finding import Confidence
from fdlint.report import jsonv1
from fdlint.report.findings.audited import Audited, Revision
from fdlint.report.merged import below, merged
from fdlint.report.reading import read
from fdlint.scan.git.head import revision
from fdlint.scan.git.repository import enclosing
from fdlint.version import __version__

SCAN = Audited(
    "/src",
    ("a", "b"),
    (Revision("/src", "c" * 40, "main"),),
    "2026-11-22T10:20:30Z",
    ("scan", "a", "b"),
    ("fdlint.toml",),
    (("fdlint", "9.8"),),
)
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def git(*arguments: str) -> str:
    identity = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid", "-c", "commit.gpgsign=false")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, env=environment)
    return done.stdout.decode().strip()


def repository(place: str = ".") -> str:
    """Makes a repository with a commit, whose name it returns."""
    git("init", "-q", "-b", "topic/x", place)
    git("-C", place, "commit", "-q", "--allow-empty", "-m", "first")
    return git("-C", place, "rev-parse", "HEAD")


def scanned(*arguments: str) -> dict[str, Any]:
    assert main(["scan", "--no-cache", "-q", "-o", "json=out.json", *arguments]) == 0
    (scan,) = json.loads(Path("out.json").read_text())["summary"]["scans"]
    assert isinstance(scan, dict)
    return scan


class TestScanning:
    @needs_git
    def test_all_of_it(self, here: Path) -> None:
        commit = repository()
        Path("fdlint.toml").write_text("")
        Path("a.py").write_text("")
        before = time.time()
        scan = scanned("a.py", ".")
        started = time.mktime(time.strptime(scan.pop("started"), "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
        assert before - 1 <= started <= time.time()
        assert scan == {
            "directory": str(here.resolve()),
            "paths": ["a.py", "."],
            "revisions": [{"directory": str(here.resolve()), "commit": commit, "branch": "topic/x"}],
            "command": ["scan", "--no-cache", "-q", "-o", "json=out.json", "a.py", "."],
            "configurations": ["fdlint.toml"],
            "versions": {"fdlint": __version__, "Python": platform.python_version()},
        }

    def test_without_a_repository_there_is_no_revision(self) -> None:
        Path("a.py").write_text("")
        assert scanned().keys() == {"directory", "paths", "started", "command", "versions"}

    @needs_git
    def test_each_repository_has_its_own(self) -> None:
        commits = {repository("one"), repository("two")}
        for name in ("one", "two"):
            Path(name, "a.py").write_text("")
        assert {found["commit"] for found in scanned("one", "two/a.py", "two")["revisions"]} == commits

    def test_a_named_configuration_counts(self) -> None:
        Path("mine.toml").write_text("")
        assert scanned("--config", "mine.toml")["configurations"] == ["mine.toml"]

    def test_other_formats_do_not_ask(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fdlint.cli.auditing._audited", lambda *_: pytest.fail("nobody wants to know"))
        assert main(["scan", "--no-cache", "-q"]) == 0


@needs_git
class TestRevision:
    def of(self, place: str = ".") -> Revision | None:
        found = enclosing(place)
        assert found is not None
        return revision(found)

    def test_a_detached_head_has_no_branch(self, here: Path) -> None:
        commit = repository()
        git("checkout", "-q", "--detach")
        assert self.of() == Revision(str(here.resolve()), commit)

    def test_before_the_first_commit_there_is_none(self) -> None:
        git("init", "-q", ".")
        assert self.of() is None

    def test_nothing_of_the_tree_is_run(self, here: Path) -> None:
        commit = repository()
        program = here / "trap.sh"
        program.write_text(f"#!/bin/sh\ntouch {here / 'sprung'}\n")
        program.chmod(0o755)
        for name in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "filter.x.clean"):
            git("config", name, str(program))
        for hook in ("post-checkout", "reference-transaction", "post-index-change"):
            shutil.copy(program, Path(".git/hooks", hook))
        Path("sprung").unlink(missing_ok=True)
        found = self.of()
        assert found is not None
        assert found.commit == commit
        assert not Path("sprung").exists()

    @pytest.mark.parametrize("head", ["ref: refs/heads/../../../../etc/passwd\n", "ref: \x1b\n", "x" * 10_000, ""])
    def test_a_head_that_leads_nowhere(self, head: str) -> None:
        repository()
        Path(".git/HEAD").write_text(head)
        assert self.of() is None


class TestReports:
    def test_are_read_back(self) -> None:
        report = replace(sample.report(), scans=(SCAN, Audited(directory="/x")))
        assert read(jsonv1.render(report).encode()).scans == report.scans

    def test_have_nothing_to_say_if_nobody_knows(self) -> None:
        assert "scans" not in json.loads(jsonv1.render(sample.report()))["summary"]

    def test_keep_each_scan_once_when_they_are_merged(self) -> None:
        report = replace(sample.report(), scans=(SCAN,))
        assert merged([report, report, sample.report()]).scans == (SCAN,)
        named = merged([below("api", report), below("all", below("web", report))])
        assert [one.name for one in named.scans] == ["api", "all/web"]

    def test_keep_the_confidence(self) -> None:
        report = sample.report(sample.finding(confidence=Confidence.LOW))
        text = jsonv1.render(report)
        assert json.loads(text)["findings"][0]["confidence"] == "low"
        assert read(text.encode()).findings[0].confidence is Confidence.LOW
