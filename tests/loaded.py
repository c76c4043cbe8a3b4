"""Processes of their own that need not start: each forks from one that has loaded fdlint.

A start takes half a second of a processor, most of it for imports. What a fork cannot show needs ``subprocess.run``:
the import path, the variables and options of the interpreter, streams that are closed when it starts.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from asking import ask, number
from defects import look_at
from file_results import file_results

from fdlint.cli import main
from fdlint.cli.formats import FORMATS
from fdlint.scan.files.discover import discover

_ENVIRONMENT = dict(os.environ)  # that of all tests: the one that needs the first fork may have another
_ADDRESS = os.path.join(_ENVIRONMENT["XDG_CACHE_HOME"], "loaded")
_TESTS = Path(__file__).parent
_LEAKS = {
    "a.py": "import os\nos.dup(0)\n",
    "a.go": 'package a\n\nimport "os"\n\nfunc lost() {\n\tos.Create("a")\n}\n',
}
_SERVE = "import sys, socket; sys.path.insert(0, sys.argv[2]); import loaded; loaded.serve(int(sys.argv[1]))"


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: str | bytes = b"",
    stdin: int | None = None,
    text: bool = False,
    check: bool = False,
    timeout: float = 60,
) -> subprocess.CompletedProcess[Any]:
    """Like ``subprocess.run`` with ``capture_output``. The command is ``sys.executable`` with ``-m``, ``-c`` or a
    script."""
    assert command[0] == sys.executable
    if not hasattr(os, "fork"):
        given = input if isinstance(input, bytes) == (not text) else input.encode() if not text else input.decode()
        return subprocess.run(
            command, cwd=cwd, env=env, input=given, text=text, check=check, timeout=timeout, capture_output=True
        )
    start()
    with tempfile.TemporaryFile() as in_, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        in_.write(input.encode() if isinstance(input, str) else input)
        in_.seek(0)
        streams = [in_.fileno() if stdin is None else stdin, out.fileno(), errors.fileno()]
        directory, environment = os.fspath(cwd or Path.cwd()), os.environ if env is None else env
        with ask(_ADDRESS, command[1:], streams, directory, environment) as answers:
            status = _status(answers, timeout, command)
        out.seek(0)
        errors.seek(0)
        said: list[Any] = [out.read(), errors.read()]
    for each in said:
        look_at(each)
    if text:
        said = [each.decode().replace("\r\n", "\n") for each in said]
    done = subprocess.CompletedProcess(list(command), status, *said)
    if check:
        done.check_returncode()
    return done


def program(*arguments: str) -> list[str]:
    """Returns a command that does the same as ``sys.executable`` with these arguments, after ``start``."""
    if not hasattr(os, "fork"):
        return [sys.executable, *arguments]
    return [sys.executable, "-I", "-S", str(_TESTS / "asking.py"), _ADDRESS, *arguments]


def _status(answers: socket.socket, timeout: float, command: Sequence[str]) -> int:
    answers.settimeout(timeout)
    child = number(answers)
    try:
        return os.waitstatus_to_exitcode(number(answers))
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
        raise subprocess.TimeoutExpired(command, timeout) from None


@functools.cache
def start() -> None:
    """Starts the process that all others fork from. It ends with this one."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(_ADDRESS)
    listening.listen(16)
    command = [sys.executable, "-c", _SERVE, str(listening.fileno()), str(_TESTS)]
    started = subprocess.Popen(
        command,
        pass_fds=[listening.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        cwd=_TESTS,
        env=_ENVIRONMENT,
    )
    listening.close()

    def end() -> None:
        started.kill()
        started.wait()

    atexit.register(end)


def serve(listening: int) -> None:
    """Forks a process for each connection, until the process that has started this one is gone."""
    for name in ("flake8.main.application", "fdlint.editor.protocol", "fdlint.fleet.scanning", "fdlint.cli.explaining"):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        options = ("-q", "--isolated", "--no-cache", *(f"--output={one}={folder}/{one}" for one in FORMATS))
        for name, code in _LEAKS.items():
            Path(folder, name).write_text(code)
            main(["scan", f"{folder}/{name}", *options])
            file_results(discover([f"{folder}/{name}"]).files)  # here, and not in a process of the scan
    parent = os.getppid()
    gc.freeze()  # what is loaded stays: no fork looks through it, which would also copy it
    with socket.socket(fileno=listening) as place:
        place.settimeout(1)
        while os.getppid() == parent:
            try:
                connection, _ = place.accept()
            except TimeoutError:
                _reap()
                continue
            with connection:
                _, fds, _, _ = socket.recv_fds(connection, 1, 4)
                asked = json.load(connection.makefile(encoding="ascii"))
            if os.fork() == 0:
                place.close()
                _watched(asked, fds)
            for one in fds:
                os.close(one)
            _reap()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _watched(asked: dict[str, Any], fds: list[int]) -> NoReturn:
    """Starts the program, and says its number and how it has ended."""
    answers, *streams = fds
    child = os.fork()
    if child == 0:
        os.close(answers)
        _become(asked, streams)
    for one in streams:
        os.close(one)
    with socket.socket(fileno=answers) as to:
        to.send(f"{child:>16}".encode())
        to.send(f"{os.waitpid(child, 0)[1]:>16}".encode())
    os._exit(0)


def _become(asked: dict[str, Any], streams: list[int]) -> NoReturn:
    for stream, one in enumerate(streams):
        os.dup2(one, stream)
        os.close(one)
    os.umask(asked["mask"])
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.path[0] = asked["cwd"]
    sys.path[1:1] = filter(None, asked["env"].get("PYTHONPATH", "").split(os.pathsep))
    option, *arguments = sys.argv = asked["command"]
    status = 1
    try:
        if option == "-c":
            code = arguments.pop(0)
            sys.argv = ["-c", *arguments]
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        elif option == "-m":
            sys.argv = arguments
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(option)
            runpy.run_path(option, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = status or 120
    os._exit(status)
