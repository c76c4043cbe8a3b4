"""A privileged broker that opens /dev/fuse for unprivileged clients, and keeps a copy of every descriptor."""

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
    """Take a mount namespace and a request; send back a mounted /dev/fuse, or nothing for an unmount."""
    request, namespaces, _flags, _address = socket.recv_fds(conn, 4096, 1)
    os.set_inheritable(namespaces[0], False)
    fd = -1
    if request.startswith(b"mount "):
        fd = os.open("/dev/fuse", os.O_RDWR)
    command = ["nsenter", f"--mount=/proc/self/fd/{namespaces[0]}", "fuse-helper", request.decode()]
    subprocess.run(command, check=True, stdin=fd if fd >= 0 else None, pass_fds=namespaces)
    socket.send_fds(conn, [b"done"], [fd] if fd >= 0 else [])
