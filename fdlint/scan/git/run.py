"""The only place that starts git. Nothing of the tree, the user or the caller's environment configures it."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading

from fdlint.scan.process import programs as installed

_SECONDS = 120
_MAX_OUTPUT = 128 * 1024 * 1024  # bytes; a list of a million files is shorter
_MAX_MESSAGE = 2000
_SETTINGS = (
    *("safe.bareRepository=explicit", "core.fsmonitor=false", f"core.hooksPath={os.devnull}"),
    *(f"core.attributesFile={os.devnull}", "protocol.allow=never", "gc.auto=0"),
)
_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs")


class GitError(Exception):
    """git cannot answer. The message is the reason."""


class Refused(GitError):
    """git ran, and refused the request."""


def _environment(directory: str) -> dict[str, str]:
    """Returns git's environment. git sees only the git directory ``directory``
    (absolute; it fails if there is none) and no configuration."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    nothing = dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
    switches = dict.fromkeys(
        ("GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM", "GIT_NO_LAZY_FETCH", "GIT_NO_REPLACE_OBJECTS"), "1"
    )
    never = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "GIT_ALLOW_PROTOCOL": ""}
    return {**kept, **nothing, **switches, **never, "GIT_DIR": directory, "LC_ALL": "C"}


def git(directory: str, *arguments: str) -> bytes:
    """Runs git and returns its output. ``directory`` is the git directory, absolute, and git's working directory.

    Raises ``GitError`` if git is missing, fails, takes too long or prints too much.
    """
    program = installed.program("git")
    if program is None:
        raise GitError("git cannot be run: it is not installed")
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [program, *settings, *_OPTIONS, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=errors, cwd=directory, env=_environment(directory),
            )  # fmt: skip
        except OSError as error:
            raise GitError(f"git cannot be run: {error.strerror}") from None
        output = _output(process, arguments[0])
        if process.returncode:
            errors.seek(0)
            message = errors.read(_MAX_MESSAGE).decode(errors="replace").strip()
            raise Refused(f"git {arguments[0]}: {message or f'it ended with {process.returncode}'}")
    return output


def _output(process: subprocess.Popen[bytes], command: str) -> bytes:
    clock = threading.Timer(_SECONDS, process.kill)
    clock.start()
    with process:
        try:
            output = _read(process, command)
            process.wait()
            if not clock.is_alive():
                raise GitError(f"git {command}: it did not end within {_SECONDS} s")
        finally:
            clock.cancel()
            process.kill()
    return output


def _read(process: subprocess.Popen[bytes], command: str) -> bytes:
    assert process.stdout is not None
    output = bytearray()
    while part := process.stdout.read(65536):
        output += part
        if len(output) > _MAX_OUTPUT:
            raise GitError(f"git {command}: it prints more than {_MAX_OUTPUT >> 20} MiB")
    return bytes(output)
