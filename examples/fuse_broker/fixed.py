"""A privileged broker that opens /dev/fuse for unprivileged clients, and keeps nothing."""

from __future__ import annotations

import os
import socket
import subprocess


def serve(listener: socket.socket) -> None:
    """Answer one client after the other, for ever."""
    while True:
        conn, _ = listener.accept()
        with conn:
            handle(conn)


def handle(conn: socket.socket) -> None:
    """Take a mount namespace and a request; what came in is closed whatever the answer is."""
    request, namespaces, _flags, _address = socket.recv_fds(conn, 4096, 1)
    try:
        os.set_inheritable(namespaces[0], False)
        answer(conn, request, namespaces[0])
    finally:
        for namespace in namespaces:
            os.close(namespace)


def answer(conn: socket.socket, request: bytes, namespace: int) -> None:
    """Send back a mounted /dev/fuse, or nothing for an unmount."""
    fd = -1
    try:
        if request.startswith(b"mount "):
            fd = os.open("/dev/fuse", os.O_RDWR)
        command = ["nsenter", f"--mount=/proc/self/fd/{namespace}", "fuse-helper", request.decode()]
        subprocess.run(command, check=True, stdin=fd if fd >= 0 else None, pass_fds=(namespace,))
        socket.send_fds(conn, [b"done"], [fd] if fd >= 0 else [])
    finally:
        # After the send, not before: the client's duplicate exists only once the message is on its way.
        if fd >= 0:
            os.close(fd)
