"""The only place that starts git. Nothing of the tree, the user or the caller's environment configures it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from fdlint.scan.process import programs as installed

_SECONDS = 120
_MAX_OUTPUT = 128 * 1024 * 1024  # bytes; a list of a million files is shorter
_MAX_MESSAGE = 2000
_SETTINGS = (
    *("safe.bareRepository=explicit", "core.fsmonitor=false", f"core.hooksPath={os.devnull}"),
    *(f"core.attributesFile={os.devnull}", "gc.auto=0", "maintenance.auto=false"),
)
_NO_NETWORK = ("protocol.allow=never",)
_NETWORK = ("fetch.recurseSubmodules=no", "transfer.bundleURI=false")
_PROTOCOLS = "file:git:http:https:ssh"
_POLL = 0.5  # seconds between two looks at the size of what arrives
_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs")


class GitError(Exception):
    """git cannot answer. The message is the reason."""


class Refused(GitError):
    """git ran, and refused the request."""


@dataclass(frozen=True, slots=True)
class Remote:
    """The permission to reach another repository: for so many ``seconds``, until so many bytes (``size``) have
    arrived. git then reads the user's configuration, which knows the user's credentials."""

    seconds: float
    size: int


def _environment(directory: str, remote: Remote | None) -> dict[str, str]:
    """Returns git's environment. git sees only the git directory ``directory`` (absolute; it fails if there is none)
    and no configuration, unless it may reach a ``remote``."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    switches = dict.fromkeys(("GIT_ATTR_NOSYSTEM", "GIT_NO_LAZY_FETCH", "GIT_NO_REPLACE_OBJECTS"), "1")
    own = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "GIT_DIR": directory, "LC_ALL": "C"}
    if remote is not None:
        ssh = {name: value for name, value in os.environ.items() if name == "GIT_SSH_COMMAND"}
        return {**kept, **ssh, **switches, **own, "GIT_ALLOW_PROTOCOL": _PROTOCOLS}
    nothing = dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
    return {**kept, **nothing, **switches, **own, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": ""}


def git(directory: str, *arguments: str, remote: Remote | None = None) -> bytes:
    """Runs git and returns its output. ``directory`` is the git directory, absolute, and git's working directory.

    Raises ``GitError`` if git is missing, fails, takes too long or prints too much.
    """
    with running(directory, *arguments, remote=remote) as stream:
        output = bytearray()
        while part := stream.read(65536):
            output += part
            if len(output) > _MAX_OUTPUT:
                raise GitError(f"git {arguments[0]}: it prints more than {_MAX_OUTPUT >> 20} MiB")
    return bytes(output)


@contextlib.contextmanager
def running(directory: str, *arguments: str, given: bytes = b"", remote: Remote | None = None) -> Iterator[IO[bytes]]:
    """Starts git, yields its output as a stream, and ends it. ``given``: its input. Raises as ``git`` does, if the
    stream was read to its end."""
    program = installed.program("git")
    if program is None:
        raise GitError("git cannot be run: it is not installed")
    chosen = (*_SETTINGS, *(_NO_NETWORK if remote is None else _NETWORK))
    settings = [part for setting in chosen for part in ("-c", setting)]
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as source:
        source.write(given)
        source.seek(0)
        try:
            process = subprocess.Popen(
                [program, *settings, *_OPTIONS, *arguments], stdin=source, stdout=subprocess.PIPE,
                stderr=errors, cwd=directory, env=_environment(directory, remote),
                start_new_session=remote is not None,  # no terminal: nothing asks there for a password
            )  # fmt: skip
        except OSError as error:
            raise GitError(f"git cannot be run: {error.strerror}") from None
        watch = _Watch(process, directory, remote or Remote(_SECONDS, 0))
        assert process.stdout is not None
        with process:
            try:
                yield process.stdout
                process.wait()
            finally:
                watch.end()
                process.kill()
        if watch.why:
            raise GitError(f"git {arguments[0]}: {watch.why}")
        if process.returncode:
            errors.seek(0)
            message = errors.read(_MAX_MESSAGE).decode(errors="replace").strip()
            raise Refused(f"git {arguments[0]}: {message or f'it ended with {process.returncode}'}")


class _Watch(threading.Thread):
    """Kills a process that takes too long, or fills its git directory. ``why``: the reason, empty if it did not."""

    def __init__(self, process: subprocess.Popen[bytes], directory: str, limits: Remote) -> None:
        super().__init__(daemon=True)
        self.why = ""
        self._process, self._directory, self._limits, self._ended = process, directory, limits, threading.Event()
        self.start()

    def end(self) -> None:
        """Stops watching."""
        self._ended.set()
        self.join()

    def run(self) -> None:
        """Looks from time to time."""
        limits, left = self._limits, self._limits.seconds
        while not self._ended.wait(min(left, _POLL) if limits.size else left):
            left -= _POLL if limits.size else left
            if limits.size and _size(self._directory) > limits.size:
                self.why = f"it is larger than {limits.size:,} bytes"
            elif left <= 0:
                self.why = f"it did not end within {limits.seconds:g} s"
            if self.why:
                self._process.kill()
                return


def _size(directory: str) -> int:
    """Returns the bytes of the files in a directory, at any depth."""
    total = 0
    for place, _, names in os.walk(directory):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total
