"""A broker that opens a device for its client, sends it, and keeps its copy. Run it, and examine it with doctor.

/dev/zero stands in for /dev/fuse, so that no file system hangs.
"""

from __future__ import annotations

import os
import socket
import sys

DEVICE = "/dev/zero"


def main(requests: int = 17) -> None:
    """Answer some requests, then wait until standard input ends."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        client(theirs, requests)
        os._exit(0)
    theirs.close()
    with ours:
        for _ in range(requests):
            hand_out(ours)
        print("ready", os.getpid(), flush=True)
        sys.stdin.read()
    os.wait()


def hand_out(peer: socket.socket) -> None:
    """Open the device and send it. The send duplicates it; this copy stays open."""
    peer.recv(1)
    fd = os.open(DEVICE, os.O_RDWR)
    socket.send_fds(peer, [b"here it is"], [fd])


def client(peer: socket.socket, requests: int) -> None:
    """Ask for the device, use it, and close it."""
    for _ in range(requests):
        peer.send(b"?")
        _message, fds, _flags, _address = socket.recv_fds(peer, 100, 1)
        for fd in fds:
            os.set_inheritable(fd, False)
            os.close(fd)
    peer.recv(1)


if __name__ == "__main__":
    main()
