"""Two processes that share memory as with a GPU: one exports blocks, the other maps them, and each keeps descriptors.

A memfd stands in for the dma-buf, an eventfd for its fence. Run it, and examine it with doctor.
"""

from __future__ import annotations

import mmap
import os
import select
import socket
import sys

SIZE = 64 * 1024


def main(blocks: int = 12) -> None:
    """Share some blocks, then one a second until standard input ends."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        client(theirs)
        os._exit(0)
    theirs.close()
    with ours:
        for _ in range(blocks):
            export(ours)
        print("ready", os.getpid(), flush=True)
        while not select.select([sys.stdin], [], [], 1)[0]:
            export(ours)
    os.wait()


def export(peer: socket.socket) -> None:
    """Make a block, and send it with its fence. The send duplicates both; these copies stay open."""
    block = os.memfd_create("dmabuf")
    fence = os.eventfd(1, os.EFD_CLOEXEC)
    os.ftruncate(block, SIZE)
    socket.send_fds(peer, [b"block"], [block, fence])
    peer.recv(1)


def client(peer: socket.socket) -> None:
    """Map each block that comes."""
    mapped = []
    while (memory := take(peer)) is not None:
        mapped.append(memory)
        peer.send(b"!")


def take(peer: socket.socket) -> mmap.mmap | None:
    """Map a block. Its number stays open, and that of the fence is closed twice: by then it is another file's."""
    message, fds, _flags, _address = socket.recv_fds(peer, 16, 2)
    if not message:
        return None
    block, fence = fds
    try:
        os.eventfd_read(fence)
        os.close(fence)
        return mmap.mmap(block, SIZE)
    finally:
        os.close(fence)


if __name__ == "__main__":
    main()
