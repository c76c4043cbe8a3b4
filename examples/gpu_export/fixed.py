"""Shares GPU memory between two processes. Each of them closes its descriptor, so the memory lives as long as it is used."""

import os
import socket

from cuda.bindings import driver

POSIX = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR


def share(peer: socket.socket, memory: int) -> None:
    """Sends a block of GPU memory to another process."""
    error, fd = driver.cuMemExportToShareableHandle(memory, POSIX, 0)
    check(error)
    try:
        socket.send_fds(peer, [b"memory"], [fd])
    finally:
        os.close(fd)


def receive(peer: socket.socket) -> int:
    """Returns the handle of a block of GPU memory that another process shares."""
    _, fds, _, _ = socket.recv_fds(peer, 16, 1)
    os.set_inheritable(fds[0], False)
    error, memory = driver.cuMemImportFromShareableHandle(fds[0], POSIX)
    os.close(fds[0])
    check(error)
    return memory


def check(error: driver.CUresult) -> None:
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(error)
