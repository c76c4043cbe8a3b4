"""The modules and functions that a generated function can use.

Each fake changes the table as the contract describes the real function, and asks for a decision on everything opaque. A
fake drops its arguments before it raises: a traceback must not keep a descriptor alive.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from .opaque import Items, Opaque, Stack, Stream
from .shape import PROGRAM, Place
from .table import Fd, State, reachable
from .world import World


class Modules:
    """The fakes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._table = world.table

    def _check(self, fd: object) -> None:
        if self._world.lenient and (fd is None or fd == -1):
            self._world.decline()
        if type(fd) is not int and not isinstance(fd, Fd):
            self._world.reject(f"a {type(fd).__name__} for a descriptor")

    def acquire_one(self, *args: object, _site: Place) -> Fd:
        """``os.open`` and its like; ``os.dup`` checks nothing, as its argument is only used."""
        self._table.watch(args, closes=False)
        del args
        self._table.reach(_site)
        self._world.may_raise(of_os=True)
        return self._table.acquire(_site, 1)[0]

    def acquire_two(self, *_: object, _site: Place) -> tuple[Fd, Fd]:
        """``os.pipe`` and its like."""
        self._table.reach(_site)
        self._world.may_raise(of_os=True)
        first, second = self._table.acquire(_site, 2)
        return first, second

    def mkstemp(self, *, _site: Place) -> tuple[Fd, str]:
        """``tempfile.mkstemp``: raises ``OSError`` alone."""
        self._table.reach(_site)
        self._world.may_raise(of_os=True)
        return self._table.acquire(_site, 1)[0], "name"

    def recv_fds(self, *_: object, _site: Place) -> tuple[bytes, list[Fd], int, None]:
        """``socket.recv_fds``: none, one or two descriptors."""
        self._table.reach(_site)
        count = self._world.may_raise(of_os=True, outcomes=3)
        self._table.received.add(_site)
        fds = self._table.acquire(_site, count)
        for fd in fds:
            fd.descriptor.received = True
        return b"", fds, 0, None

    def send_fds(self, sock: object, buffers: object, fds: list[object]) -> int:
        """``socket.send_fds``: the descriptors are sent when it has returned."""
        rows = list(reachable(fds))
        self._table.watch(fds, closes=False)
        del fds
        self._world.may_raise(of_os=True)
        for row in rows:
            row.sent = True
        return 1

    def popen(self, command: object, **streams: object) -> Opaque:
        """``subprocess.Popen``: the child has its copies when it has returned. It raises only ``OSError``."""
        rows = list(reachable(streams))
        self._table.watch(streams, closes=False)
        streams.clear()
        self._world.may_raise(of_os=True)
        for row in rows:
            row.spawned = True
        return Opaque(self._world)

    def close(self, fd: object) -> None:
        """``os.close``: never raises, for any argument."""
        self._world.quiet()
        self._check(fd)
        self._table.watch(fd, closes=True)
        self._table.settle(fd, State.CLOSED)

    def fdopen(self, fd: object, *_: object) -> Stream:
        """``os.fdopen`` with a constant mode: takes the descriptor over, and does not raise."""
        self._world.quiet()
        self._check(fd)
        self._table.watch(fd, closes=False)
        self._table.settle(fd, State.HANDED_OVER)
        stream = Stream(self._world)
        stream.own(reachable(fd))
        return stream

    def hand_over(self, *args: object) -> Opaque:
        """``adopt(fd)``, ``Owner(fd)``: take over their arguments, even if they then raise."""
        self._table.settle(args, State.HANDED_OVER)
        del args
        self._world.may_raise()
        return Opaque(self._world)

    def os_use(self, *args: object) -> bytes:
        """``os.read`` and its like."""
        self._table.watch(args, closes=False)
        del args
        self._world.may_raise(of_os=True)
        return b""

    def use(self, *args: object, **kwargs: object) -> Opaque:
        """An unknown call."""
        self._world.call(*args, **kwargs)
        return Opaque(self._world)

    def cond(self, *args: object) -> bool:
        """An unknown call as a condition."""
        del args
        return bool(self._world.may_raise(outcomes=2))

    def probe(self, *args: object) -> bytes:
        """``os.fstat``: in a ``try`` that catches its error, it asks whether the descriptor is open."""
        self._table.watch(args, closes=False, doubtful=True)
        del args
        self._world.may_raise(of_os=True)
        return b""

    def calm_use(self, *args: object) -> None:
        """``os.set_blocking``."""
        self._table.watch(args, closes=False)
        del args
        self._world.quiet()

    def calm(self, *args: object, **kwargs: object) -> None:
        """A call that does not raise: ``print``, ``os.set_blocking``."""
        del args, kwargs
        self._world.quiet()

    def range(self, *_: object) -> Iterator[object]:
        """``range`` of something opaque: any number of iterations, and advancing it raises nothing."""
        self._world.quiet()
        return Items(self._world, raises=False)

    def namespace(self) -> dict[str, Any]:
        """Returns the globals of the function under test."""
        table = {"open": self.acquire_one, "dup": self.acquire_one, "memfd_create": self.acquire_one}
        pairs = {"pipe": self.acquire_two, "openpty": self.acquire_two}
        uses = dict.fromkeys(("read", "write", "fsync"), self.os_use)
        calm = dict.fromkeys(("set_blocking", "set_inheritable"), self.calm_use)
        others = {"close": self.close, "fdopen": self.fdopen, "fstat": self.probe}
        os = SimpleNamespace(**table, **pairs, **uses, **calm, **others)
        os.O_RDONLY = os.O_RDWR = 0
        return {
            "os": os,
            "tempfile": SimpleNamespace(mkstemp=self.mkstemp),
            "socket": SimpleNamespace(send_fds=self.send_fds, recv_fds=self.recv_fds),
            "subprocess": SimpleNamespace(Popen=self.popen),
            "__name__": PROGRAM,
            "dataclass": dataclasses.dataclass,
            "NamedTuple": NamedTuple,
            "suppress": contextlib.suppress,
            "ExitStack": lambda: Stack(self._world, self.close),
            **dict.fromkeys(("adopt", "Owner"), self.hand_over),
            **dict.fromkeys(("use", "work"), self.use),
            **{"cond": self.cond, "print": self.calm, "range": self.range, "BaseException": Exception},
            **self._world.hooks(),
        }
