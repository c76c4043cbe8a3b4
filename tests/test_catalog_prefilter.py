"""Which files pass: all that can touch a descriptor, however they import, and few others."""

from __future__ import annotations

import pytest

from fdlint.catalog import default_catalog

MATTER = [
    "import os\nfd = os.open(path, 0)",
    "import os as o\nfd = o.open(path, 0)",
    "import sys, os as o\nfd = o.open(path, 0)",
    "from os import open as f\nfd = f(path, 0)",
    "from os import (\n    O_RDONLY,\n    open,\n)\nfd = open(path, O_RDONLY)",
    "from os import *\nfd = open(path, 0)",
    "import posix\nfd = posix.open(path, 0)",
    "import posix as p\nfd = p.dup(0)",
    "from posix import pipe",
    "from compat import os\nr, w = os.pipe()",
    "import os\nsafe = retry(os.open)",
    "import os\ndef file_of(fd):\n    return os.fdopen(fd)",
    "import socket\ndef socket_of(fd):\n    return socket.socket(fileno=fd)",
    "import socket\ndef listen(a):\n    return socket.create_server(a).fileno()",
    "import os\nr, w = os.pipe2(0)",
    "import os\nfd = os.dup(0)",
    "import os\ndef f(fd):\n    os.close(fd)\n    os.close(fd)",
    "from os import close as c",
    "import pty\nm, s = pty.openpty()",
    "import pty\npid, fd = pty.fork()",
    "import pty as p\npid, fd = p.fork()",
    "from pty import fork",
    "import tempfile\n_, path = tempfile.mkstemp()",
    "from tempfile import mkstemp as m",
    "import fcntl\nfd = fcntl.fcntl(0, fcntl.F_DUPFD, 3)",
    "from fcntl import F_DUPFD_CLOEXEC as D, fcntl",
    "from socket import recv_fds",
    "import socket\nsocket.send_fds(s, [b'x'], [fd])",
    "import socket\ns = socket.socket()\nfd = s.detach()",
    "import socket\ns = socket.socket()\nfd = socket.socket.detach(s)",
    "import array\ndata, anc, flags, addr = sock.recvmsg(1, 20)",
    "sock.recvmsg_into([b], 20)",
    "sock.sendmsg([b'x'], [(SOL_SOCKET, SCM_RIGHTS, fds)])",
    "from multiprocessing import reduction\nfd = reduction.recv_handle(c)",
    "from multiprocessing.reduction import send_handle",
    "from multiprocessing.util import close_fds",
    "import multiprocessing.util as mu\nmu.close_fds(r, w)",
    "fd = os.memfd_create('x')",
    "fd = _posixshmem.shm_open(name, flags)",
    "fd = os.eventfd(0)",
    "fd = os.pidfd_open(1)",
    "fd = os.timerfd_create(0)",
]

DO_NOT = [
    "with open(path) as f:\n    f.read()",
    "import os\nprint(os.path.join(a, b), os.getpid())",
    "import os.path as osp\nosp.exists(p)",
    "y = model(x).detach().cpu()",
    "import socket\ns = socket.socket()\ns.sendall(b'x')",
    "from subprocess import Popen\nPopen(args, close_fds=True)",
    "import posixpath\nposixpath.join('a', 'b')",
    "names = []\nnames.append(1)\nnames.pop()",
    "loop.add_reader(sock, f)",
    "import json\njson.load(open(p))",
]


@pytest.mark.parametrize("code", MATTER)
def test_these_pass(code: str) -> None:
    catalog = default_catalog()
    assert catalog.prefilter.passes(code.encode())
    assert any(word in code.encode() for word in catalog.prefilter.words())


@pytest.mark.parametrize("code", DO_NOT)
def test_these_do_not(code: str) -> None:
    assert not default_catalog().prefilter.passes(code.encode())


def test_no_word_is_so_short_that_it_is_everywhere() -> None:
    assert min(len(word.strip()) for word in default_catalog().prefilter.words()) >= 5
