"""The words of random programs: those that fdlint looks for, and those around them."""

from __future__ import annotations

NAMES = ("a", "b", "c", "fd", "fds", "p", "self", "cls", "x", "os", "f", "g", "C", "D")
ATTRIBUTES = ("fd", "_fd", "sock", "fds", "items", "a", "close", "append", "pop", "__init__", "__exit__")
OPENERS = (
    "os.open(p, 0)", "os.dup(fd)", "os.pipe()", "os.eventfd(0)", "os.memfd_create('m')", "socket.socket().detach()",
    "os.openpty()", "os.posix_openpt(0)", "socket.recv_fds(sock, 10, 4)", "tempfile.mkstemp()", "os.pidfd_open(1)",
    "array.array('i')", "sock.recvmsg(1, socket.CMSG_SPACE(4))", "os.fork()",
)  # fmt: skip
ACQUISITIONS = (
    *(f"fd = {call}" for call in OPENERS),
    "r, w = os.pipe()",
    "self.fd = os.open(p, 0)",
    "fds.append(os.open(p, 0))",
    "fds[a] = os.dup(fd)",
    "with os.fdopen(os.open(p, 0)) as f: pass",
    "data, fds, flags, addr = socket.recv_fds(sock, 10, 4)",
)
RELEASES = (
    "os.close(fd)", "os.close(self.fd)", "os.close(r); os.close(w)", "self.close()", "os.closerange(3, 9)",
    "for fd in fds: os.close(fd)", "f = os.fdopen(fd)", "subprocess.Popen(p, pass_fds=[fd])", "os.dup2(fd, 1)",
    "socket.send_fds(sock, [b''], [fd])", "del fd", "fd = -1", "self.fd = None", "return fd", "yield fd",
)  # fmt: skip
ALIASES = (
    "fd = a", "a = fd", "a, b = fd, fd", "x = [fd, a]", "self.a = self.fd", "fds = {a: fd}", "fd = f(fd)",
    "fd = fd if a else b", "x = (fd, x)", "x = lambda: fd", "fd, a = a, fd", "fds = fds + [fd]", "global fd",
    "nonlocal fd", "self.fd, old = fd, self.fd", "p = a.b(fd)[0]", "x = [fd for fd in fds]", "f(*fds, **x)",
)  # fmt: skip
COMMENTS = (
    "# noqa", "# noqa: FD101", "# fdlint: ignore[FD101] because", "# fdlint: ignore", "# fdlint: ignore-file",
    "# fdlint: ignore[", "# type: ignore", "# -*- coding: latin-1 -*-", "# noqa:FD101,FD102 # noqa", "#",
)  # fmt: skip
IMPORTS = "import array, os, socket, subprocess, tempfile\n"
STATEMENTS = (*ACQUISITIONS, *RELEASES, *ALIASES)
