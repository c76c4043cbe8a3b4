"""Runs a proof: in a process of its own, in a copy of the project, with limits, and without a network where the kernel
allows that. It executes code of the project, so nothing here is called unless the user asks for it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fdlint.core.finding import Finding
from fdlint.runtime.proof.machinery.searching import NOT_REACHED, PROVED, REFUTED, Verdict
from fdlint.runtime.proof.machinery.watching import Defect
from fdlint.runtime.proof.writing import written
from fdlint.scan.process.programs import program
from fdlint.scan.reading import intake

SECONDS = 60
MEMORY = 4_000_000_000
_WRITTEN = 100_000_000  # bytes of one file
_MOST_FILES, _MOST_BYTES = 20_000, 500_000_000
_LEFT_OUT = {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache"}
_MAIN = """

if __name__ == "__main__":
    for which, most in {limits!r}:
        resource.setrlimit(which, (most, most))
    import json

    answer = isolated({defect!r})
    with open({answer!r}, "w", encoding="utf-8") as stream:
        json.dump(list(answer), stream)
"""


class NotRunError(Exception):
    """The proof cannot be run here. The message is the reason."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where proofs run: a copy of the project, and what begins each command there."""

    directory: str
    before: tuple[str, ...]

    @property
    def has_network(self) -> bool:
        """Whether the code can reach one."""
        return not self.before


@contextmanager
def prepared(project: str) -> Iterator[Place]:
    """Copies a project, and removes the copy at the end. Raises ``NotRunError``."""
    if sys.platform != "linux":
        raise NotRunError("it reads the procfs of Linux; this system has none")
    with tempfile.TemporaryDirectory(prefix="fdlint-prove-", ignore_cleanup_errors=True) as home:
        _copy(project, os.path.join(home, "project"))
        for name in ("home", "tmp"):
            os.mkdir(os.path.join(home, name))
        yield Place(home, _without_network())


def run(finding: Finding, defect: Defect, place: Place) -> Verdict:
    """Runs the proof of one finding."""
    answer = os.path.join(place.directory, "answer.json")
    file = Path(place.directory, "proof.py")
    limits = [(0, SECONDS), (9, MEMORY), (1, _WRITTEN)]  # RLIMIT_CPU, RLIMIT_AS, RLIMIT_FSIZE
    text = written([(finding, defect)]) + _MAIN.format(limits=limits, defect=defect, answer=answer)
    file.write_bytes(text.encode())
    with _removed(answer):
        failed = _executed(place, (*place.before, sys.executable, "-I", "-X", "utf8", str(file)))
        if failed:
            return Verdict(NOT_REACHED, failed)
        return _read(answer)


def _executed(place: Place, command: tuple[str, ...]) -> str:
    """Returns why it did not end, or nothing."""
    variables = {"PATH": os.defpath, "LANG": "C.UTF-8"}
    variables |= {"HOME": os.path.join(place.directory, "home"), "TMPDIR": os.path.join(place.directory, "tmp")}
    started = subprocess.Popen(
        command,
        cwd=os.path.join(place.directory, "project"),
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        started.wait(SECONDS)
    except subprocess.TimeoutExpired:
        return f"it did not end within {SECONDS} seconds"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    return ""


def _read(answer: str) -> Verdict:
    """Returns what the run has written. The code of the project can have written it."""
    try:
        verdict, reason, premises = json.loads(intake.read(answer, intake.STORE))
    except (OSError, ValueError, TypeError, RecursionError):
        return Verdict(NOT_REACHED, "the run ended without an answer")
    if verdict not in (PROVED, NOT_REACHED, REFUTED) or not isinstance(premises, list):
        return Verdict(NOT_REACHED, "the run ended without an answer")
    return Verdict(verdict, str(reason), tuple(map(str, premises)))


@contextmanager
def _removed(path: str) -> Iterator[None]:
    try:
        yield
    finally:
        Path(path).unlink(missing_ok=True)


def _without_network() -> tuple[str, ...]:
    """Returns what begins a command in a network of its own; nothing if the kernel does not allow that."""
    unshare = program("unshare")
    if unshare is None:
        return ()
    before = (unshare, "--user", "--map-root-user", "--net", "--")
    tried = subprocess.run((*before, "true"), capture_output=True, check=False)
    return before if tried.returncode == 0 else ()


def _copy(project: str, target: str) -> None:
    """Copies regular files, without what a project does not own."""
    files = size = 0
    for folder, below, names in os.walk(project):
        below[:] = [one for one in below if one not in _LEFT_OUT and not os.path.islink(os.path.join(folder, one))]
        place = os.path.join(target, os.path.relpath(folder, project))
        os.makedirs(place, exist_ok=True)
        for name in names:
            source = os.path.join(folder, name)
            status = os.lstat(source)
            if stat.S_ISREG(status.st_mode):
                files, size = files + 1, size + status.st_size
                if files > _MOST_FILES or size > _MOST_BYTES:
                    raise NotRunError("the project is too large to be copied: start it in a part of it")
                try:
                    shutil.copyfile(source, os.path.join(place, name))
                except OSError as error:
                    raise NotRunError(f"{source} cannot be copied: {error.strerror or error}") from None
