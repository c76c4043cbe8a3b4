"""Asks the process that has loaded fdlint for a fork (see ``loaded.py``). As a program it stands for the fork.

It imports little: as a program, it is there to be quick.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence


def ask(
    address: str, command: Sequence[str], streams: Sequence[int], cwd: str, env: Mapping[str, str]
) -> socket.socket:
    """Returns what tells the number of the process, and how it has ended."""
    mask = os.umask(0)
    os.umask(mask)
    asked = {"command": list(command), "cwd": cwd, "env": dict(env), "mask": mask}
    ours, theirs = socket.socketpair()
    with theirs, socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [b"*"], [theirs.fileno(), *streams])
        server.sendall(json.dumps(asked).encode())
    return ours


def number(answers: socket.socket) -> int:
    """Reads the next number."""
    return int(answers.recv(16, socket.MSG_WAITALL))


if __name__ == "__main__":
    with ask(sys.argv[1], sys.argv[2:], (0, 1, 2), os.getcwd(), os.environ) as told:
        child = number(told)
        signal.signal(signal.SIGTERM, lambda which, _: os.kill(child, which))
        status = os.waitstatus_to_exitcode(number(told))
    sys.exit(status if status >= 0 else 128 - status)
