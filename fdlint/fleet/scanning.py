"""The process that does one job: it fetches a commit, writes its files, scans them, and gives back what it found.

It is a process of its own because a scan needs a working directory, a deep stack and no garbage collection, and because
what a repository does to it must not reach the others. It ends when the process that started it does: its standard
input is then closed.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from fdlint.fleet.job import Job, Outcome, State
from fdlint.report.excerpts import excerpts
from fdlint.report.findings.finding import NOT_SCANNED, Report, Skipped
from fdlint.report.findings.persona import levels_of
from fdlint.report.jsonv1 import document
from fdlint.scan import config
from fdlint.scan.cache import open_cache
from fdlint.scan.files.discover import Discovery, discover
from fdlint.scan.files.owners import owners_of
from fdlint.scan.files.shard import WHOLE, Shard
from fdlint.scan.git.fetch import with_commit
from fdlint.scan.git.run import GitError, Remote
from fdlint.scan.git.tree import TreeLimits, write_tree
from fdlint.scan.options import Options
from fdlint.scan.process.ending import Ended, end
from fdlint.scan.scan import scan
from fdlint.scan.select import checking
from fdlint.scan.selection import with_discovery

_PER_FILE = 300.0  # seconds


def main() -> None:
    """Reads a job from standard input, and writes its outcome to standard output."""
    source = os.fdopen(0, "rb", buffering=0, closefd=False)
    job: Job = pickle.load(source)  # it comes from the process that started this one
    threading.Thread(target=_end_with, args=(source,), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it, too, and closes standard input
    signal.signal(signal.SIGTERM, end)
    try:
        outcome = outcome_of(job)
    except (GitError, OSError, config.ConfigError, ValueError) as error:
        outcome = Outcome(State.FAILED, job.tip, _said(error))
    except Ended:
        outcome = Outcome(State.FAILED, job.tip, "it was ended before its scan began")
    with os.fdopen(1, "wb", closefd=False) as target:
        target.write(json.dumps({**asdict(outcome), "state": outcome.state.value}).encode())


def _end_with(source: Any) -> None:
    """Ends this process when nobody can read its outcome any more."""
    source.read()
    os.kill(os.getpid(), signal.SIGTERM)


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, config.ConfigError):
        return f"{error.strerror or error}" + (f": {os.path.basename(str(error.filename))}" if error.filename else "")
    return str(error)


def outcome_of(job: Job) -> Outcome:
    """Does a job. Raises ``GitError``, ``OSError``, ``ConfigError`` and ``ValueError``."""
    home = Path(job.home)
    with _alone(home / "trees" / f"{job.place}.lock"):
        tree = home / "trees" / job.place
        try:
            with _alone(home / "trees" / f"{job.key}.fetch.lock"):  # all parts fetch into one store
                left_out = _written(job, home / "git" / job.key, tree)
            os.chdir(tree)
            return _in_tree(job, left_out, job.cache)
        finally:
            os.chdir(home)
            shutil.rmtree(tree, ignore_errors=True)


def _in_tree(job: Job, left_out: list[tuple[str, str]], cache: Path) -> Outcome:
    """Scans the working directory. ``left_out``: paths that are not in it, with the reasons."""
    found = discover(["."], checking(_choose(job)))
    if job.patch:
        from fdlint.fleet.patches import patch_of  # it needs the parser, which most scans of small trees do not

        report = _scanned(job, found, cache)
        return Outcome(State.SCANNED, job.tip, patch=patch_of(job, report, checking(_choose(job))))
    size = sum(file.size for file in found.files)
    if job.parts == 1 and size > job.limits.part:
        return Outcome(State.SPLIT, job.tip, parts=-(-size // job.limits.part))
    report = _scanned(job, found, cache)
    if job.part == 1:
        report = replace(report, skipped=(*(Skipped(*one) for one in left_out), *report.skipped))
    report = replace(report, owners=owners_of((one.span.path for one in report.findings), Path.cwd()))
    state = State.SCANNED if report.ended is None else State.ENDED
    return Outcome(state, job.tip, _why(report), 1, document(report), excerpts(report.findings, report.sources))


def _written(job: Job, store: Path, tree: Path) -> list[tuple[str, str]]:
    listed, limits = job.listed, job.limits
    remote = Remote(limits.fetch_seconds, limits.size)
    with with_commit(listed.url, listed.path, job.tip.commit, remote, store) as own:
        return write_tree(own, job.tip, tree, TreeLimits(limits.files, limits.size))


def _choose(job: Job) -> config.Choose:
    return config.isolated if job.listed.choice.isolated else config.nearest()


def _scanned(job: Job, found: Discovery, cache: Path) -> Report:
    choice = job.listed.choice
    levels = levels_of(choice.persona, choice.min_confidence, choice.min_impact, choice.min_severity, choice.tests)
    part = Shard(job.part, job.parts) if job.parts > 1 else WHOLE
    options = Options(choice.select, choice.ignore, 1, part, seconds=_PER_FILE, levels=levels)
    report = scan(found.files, options, None, open_cache(cache), partial=True)
    return with_discovery(report, found, part)


def _why(report: Report) -> str:
    if report.ended is None:
        return ""
    missing = sum(one.reason == NOT_SCANNED for one in report.skipped)
    return f"a limit of time ended it: {missing:,} of {report.summary.files:,} files were not scanned"


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Keeps other processes of this machine from the same files. One that lost its parent gives them up soon."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "ab") as held:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX)
        yield
