"""Runs Semgrep, found beside this Python or on the PATH: once, offline, and without leaving files behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fdlint.git.run import environment
from fdlint.process import programs as installed

_OFFLINE = {"SEMGREP_SEND_METRICS": "off", "SEMGREP_ENABLE_VERSION_CHECK": "0"}
_SECONDS_PER_RULE = 30  # per file
_SECONDS, _SECONDS_PER_FILE = 120, 30  # for the whole run: more than any healthy run takes
_OLDEST = (1, 176, 1)  # an older one finds less, without an error
_MAX_ARGUMENTS = 400_000  # bytes of file names in one call; systems allow more


class SemgrepError(Exception):
    """Semgrep did not run, or its output is invalid."""


def executable() -> str | None:
    """Returns the path of Semgrep, installed with fdlint or elsewhere."""
    beside = Path(sys.executable).parent / "semgrep"
    return str(beside) if os.access(beside, os.X_OK) else installed.program("semgrep")


def run(program: str, rules: Sequence[Path], files: Sequence[Path], jobs: int) -> Mapping[str, Any]:
    """Runs Semgrep on files and returns its results. Raises ``SemgrepError``.

    It is one call, unless there are too many files for one command line.
    """
    said: dict[str, list[Any]] = {"results": [], "errors": []}
    for batch in _batches(files):
        document = _call(program, rules, batch, jobs)
        for key, collected in said.items():
            found = document.get(key)
            if not isinstance(found, list):
                raise SemgrepError(f"its output has no list of {key}")
            collected.extend(found)
    return said


def _batches(files: Sequence[Path]) -> list[list[Path]]:
    batches: list[list[Path]] = [[]]
    size = 0
    for file in files:
        size += len(os.fsencode(file)) + 1
        if size > _MAX_ARGUMENTS and batches[-1]:
            batches.append([])
            size = len(os.fsencode(file)) + 1
        batches[-1].append(file)
    return batches


def _call(program: str, rules: Sequence[Path], files: Sequence[Path], jobs: int) -> Mapping[str, Any]:
    configs = [option for rule in rules for option in ("--config", str(rule))]
    limits = ["--timeout", str(_SECONDS_PER_RULE), "--timeout-threshold", "3", "--max-target-bytes", "0"]
    with tempfile.TemporaryDirectory(prefix="fdlint-") as scratch:
        command = [program, "scan", "--json", "--quiet", "--metrics=off", "--disable-version-check", "--no-git-ignore"]
        command += ["--disable-nosem", "--jobs", str(jobs), *limits, *configs, "--", *map(str, files)]
        # Semgrep's own files go to a directory that is deleted: the home directory stays clean.
        own = {"SEMGREP_SETTINGS_FILE": f"{scratch}/settings.yml", "SEMGREP_LOG_FILE": f"{scratch}/semgrep.log"}
        path = os.pathsep.join((str(Path(program).parent), os.environ.get("PATH", os.defpath)))
        # Semgrep asks git about the working directory: it gets no repository, and no configuration.
        without_git = environment(os.path.join(scratch, "no-repository"))
        variables = {**without_git, **_OFFLINE, **own, "PATH": path}
        output, errors = _wait(command, variables, scratch, _SECONDS + _SECONDS_PER_FILE * len(files))
    try:
        document = json.loads(output)
    except ValueError:
        raise SemgrepError(_last_line(errors) or "it printed nothing") from None
    if not isinstance(document, dict):
        raise SemgrepError("its output is not in a known format")
    version = str(document.get("version", ""))
    if not _recent(version):
        raise SemgrepError(f"it is version {version or 'unknown'}, and the rules need {_dotted(_OLDEST)}")
    return document


def oldest() -> str:
    """Returns the oldest version that finds everything."""
    return _dotted(_OLDEST)


def _recent(version: str) -> bool:
    numbers = version.split(".")[: len(_OLDEST)]
    return all(number.isdecimal() for number in numbers) and tuple(map(int, numbers)) >= _OLDEST


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _wait(command: Sequence[str], variables: Mapping[str, str], directory: str, seconds: int) -> tuple[str, str]:
    """Returns Semgrep's output and errors. Semgrep's processes end with this call, even after an exception."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, encoding="utf-8", errors="replace", cwd=directory, env=variables, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise SemgrepError(f"it cannot be started: {error.strerror or error}") from None
    try:
        with _ended_by_an_exception():
            return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise SemgrepError(f"it did not end within {seconds} s") from None
    finally:
        if process.poll() is None:
            _end(process)


@contextlib.contextmanager
def _ended_by_an_exception() -> Iterator[None]:
    """Turns signals that end this process into exceptions, so that ``finally`` can end Semgrep too."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield  # only the main thread can set handlers
        return

    def leave(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(process: subprocess.Popen[str]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)  # Semgrep and its workers are a session of their own
    process.kill()
    process.communicate()


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2][:200]
