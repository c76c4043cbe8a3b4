"""The task that a worker of the cluster runs: it finds out whether a repository has changed, and starts the process
that scans it."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fdlint.fleet.job import Job, Outcome, State
from fdlint.scan.git.fetch import Tip, local_tip, remote_tip
from fdlint.scan.git.run import GitError

_GRACE = 60.0  # seconds in which a scan that takes too long must write down what it has
_MESSAGE = 400  # characters
# What lies in the working directory is never imported.
_START = "import sys; sys.path[:] = [one for one in sys.path if one]; from fdlint.fleet.scanning import main; main()"


_running: set[subprocess.Popen[bytes]] = set()
_ending = threading.Event()


class DiedError(Exception):
    """The process of a job was killed. The job can be done again. ``kept``: the bytes of its cache, which grow as long
    as the scan gets on."""

    def __init__(self, message: str, kept: int) -> None:
        super().__init__(message, kept)
        self.kept = kept

    def __str__(self) -> str:
        return str(self.args[0])


def do(job: Job) -> Outcome:
    """Does a job. Raises ``DiedError`` if its process was killed."""
    if _ending.is_set():
        return Outcome(State.FAILED, job.tip, "the run was ended")
    if not job.tip.commit:
        try:
            job = replace(job, tip=_tip(job))
        except (GitError, OSError) as error:
            return Outcome(State.FAILED, reason=str(error))
    if job.tip.commit == job.known:
        return Outcome(State.UNCHANGED, job.tip)
    return _done(job)


def begin_all() -> None:
    """Allows jobs again after ``end_all``."""
    _ending.clear()


def end_all() -> None:
    """Ends the processes of this one's jobs, and begins no other: each keeps in its cache what it has done."""
    _ending.set()
    for process in list(_running):
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()


def _tip(job: Job) -> Tip:
    listed = job.listed
    if listed.url is None:
        return local_tip(listed.path or "", listed.ref)
    return remote_tip(listed.url, listed.ref, job.limits.fetch_seconds, Path(job.home, "git", job.key))


def _done(job: Job) -> Outcome:
    with _started() as (process, errors), _limited(process, job.limits.seconds) as late:
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(pickle.dumps(job))
            process.stdin.flush()  # and it stays open: its end would tell the process that nobody waits any more
        answer = process.stdout.read()
        status = process.wait()
        if status == 0 and answer:
            raw = json.loads(answer)
            return Outcome(**{**raw, "state": State(raw["state"]), "tip": Tip(*raw["tip"])})
        if late.is_set():
            return Outcome(State.FAILED, job.tip, f"it took more than {job.limits.seconds:g} seconds")
        if status < 0:
            raise DiedError(f"its process was killed by {signal.Signals(-status).name}", _kept(job))
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()[-_MESSAGE:]
        return Outcome(State.FAILED, job.tip, f"fdlint failed: {said or status}")


def _kept(job: Job) -> int:
    return sum(one.stat().st_size for one in job.cache.iterdir()) if job.cache.is_dir() else 0


@contextlib.contextmanager
def _started() -> Iterator[tuple[subprocess.Popen[bytes], tempfile._TemporaryFileWrapper[bytes]]]:
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    with tempfile.NamedTemporaryFile(prefix="fdlint-") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            cwd=os.path.abspath(os.sep), env=environment,
        )  # fmt: skip
        _running.add(process)
        with process:
            try:
                yield process, errors
            finally:
                _running.discard(process)
                process.kill()


@contextlib.contextmanager
def _limited(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Ends a process after some time, politely first. Yields what tells whether that was necessary."""
    late = threading.Event()

    def kill() -> None:
        late.set()
        process.kill()

    clocks = threading.Timer(seconds, process.terminate), threading.Timer(seconds + _GRACE, kill)
    for clock in clocks:
        clock.start()
    try:
        yield late
    finally:
        for clock in clocks:
            clock.cancel()
