"""Builds a tree like /proc from a short description, for tests of ``fdlint doctor``."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fdlint.runtime.doctor.proc.files import Procfs, RefusedError

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="doctor reads the procfs of Linux")
MOUNTS = (
    "24 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
    "25 24 0:25 / /tmp rw - tmpfs tmpfs rw\n"
    "40 24 0:40 / /mnt/bucket rw - fuse.rclone remote: rw\n"
)
FIRST_NAMESPACE = 4026531836


@dataclass(frozen=True)
class FakeProcfs(Procfs):
    """A tree in which some directories are forbidden. Root may read everything, so modes would not do it."""

    forbidden: frozenset[tuple[str, ...]] = field(default_factory=frozenset)

    def numbers(self, *parts: str | int) -> list[int]:
        self._check(parts)
        return super().numbers(*parts)

    def text(self, *parts: str | int, limit: int = 65_536) -> str:
        self._check(parts)
        return super().text(*parts, limit=limit)

    def link(self, *parts: str | int) -> str:
        self._check(parts)
        return super().link(*parts)

    def _check(self, parts: Sequence[str | int]) -> None:
        if tuple(map(str, parts)) in self.forbidden:
            raise RefusedError


def build(root: Path, processes: Sequence[Mapping[str, Any]], fuse: Mapping[int, int] | None = None) -> FakeProcfs:
    """``fuse``: the number of waiting requests of each connection."""
    sizes: dict[str, Any] = {}
    forbidden = {(str(one["pid"]), *name.split("/")) for one in processes for name in one.get("forbidden", ())}
    proc = root / "proc"
    proc.mkdir()
    for one in processes:
        _process(proc / str(one["pid"]), one, sizes)
    connections = root / "connections"
    if fuse is not None:
        connections.mkdir()
    for number, waiting in (fuse or {}).items():
        _write(connections / str(number) / "waiting", f"{waiting}\n")

    def status(path: str) -> Any:
        if path not in sizes:
            raise FileNotFoundError(path)
        return sizes[path]

    return FakeProcfs(str(proc), str(connections), status, frozenset(forbidden))


def _process(place: Path, one: Mapping[str, Any], sizes: dict[str, Any]) -> None:
    pid = one["pid"]
    _write(place / "stat", _stat(pid, one))
    _write(place / "cmdline", one.get("command", one.get("name", "program")).replace(" ", "\0") + "\0")
    _write(place / "mountinfo", MOUNTS)
    _write(place / "cgroup", f"0::{one.get('cgroup', '/')}\n")
    soft, hard = one.get("soft", 1024), one.get("hard", 524288)
    head = "Limit                     Soft Limit           Hard Limit           Units\n"
    _write(place / "limits", f"{head}Max open files            {soft!s:<20} {hard!s:<20} files\n")
    (place / "ns").mkdir()
    (place / "ns" / "pid").symlink_to(f"pid:[{one.get('pid_namespace', FIRST_NAMESPACE)}]")
    for thread in one.get("threads", [{}]):
        number = thread.get("tid", pid)
        _write(place / "task" / str(number) / "stat", _stat(number, {**one, **thread}))
        sleeps = f"voluntary_ctxt_switches:\t{thread.get('sleeps', 1)}\n"
        pending = "0000000000000100" if thread.get("killed") else "0000000000000000"
        signals = f"SigPnd:\t{pending}\nShdPnd:\t0000000000000000\n"
        _write(place / "task" / str(number) / "status", f"Name:\tx\n{signals}{sleeps}")
        _write(place / "task" / str(number) / "wchan", thread.get("wchan", "0"))
    _tables(place / "net", one)
    (place / "fd").mkdir()
    (place / "fdinfo").mkdir()
    number = 0
    for group in one.get("fds", ()):
        given = {"link": group} if isinstance(group, str) else group
        for index in range(given.get("count", 1)):
            number = given.get("number", number)
            fill(place, number, index, given, sizes)
            number += 1


def fill(place: Path, number: int, index: int, given: Mapping[str, Any], sizes: dict[str, Any]) -> None:
    """Adds a descriptor. ``{}`` in its link and its ``fdinfo`` is the index in its group."""
    os.symlink(given["link"].replace("{}", str(index + given.get("first", 0))), place / "fd" / str(number))
    lines = [
        f"pos:\t{given.get('pos', 0)}",
        f"flags:\t{given.get('flags', '02000002')}",
        f"mnt_id:\t{given.get('mnt', 24)}",
    ]
    lines += [f"ino:\t{given.get('ino', 1000 + number)}", *given.get("fdinfo", ())]
    _write(place / "fdinfo" / str(number), "\n".join(lines).replace("{}", str(index)) + "\n")
    if "bytes" in given:
        links, written = given.get("links", 0), time.time() - given.get("idle", 0)
        blocks = given["bytes"] // 512
        sizes[str(place / "fd" / str(number))] = SimpleNamespace(st_nlink=links, st_blocks=blocks, st_mtime=written)


def _stat(number: int, one: Mapping[str, Any]) -> str:
    pid = one["pid"]
    group = one.get("group", pid)
    fields = [one.get("parent", 1), group, one.get("session", group), *["0"] * 15, one.get("started", 100), 0]
    return f"{number} ({one.get('name', 'program')}) {one.get('state', 'S')} {' '.join(map(str, fields))}\n"


def _tables(place: Path, one: Mapping[str, Any]) -> None:
    rows = [
        f"   {row}: 0100007F:1F90 0100007F:C350 {state} 00000000:00000000 00:00000000 00000000  0 0 {inode} 1 0\n"
        for row, (inode, state) in enumerate(_states(one))
    ]
    head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    _write(place / "tcp", head + "".join(rows))
    unix = [f"0000000000000000: 00000003 00000000 00000000 0001 03 {inode}\n" for inode in one.get("unix", ())]
    _write(place / "unix", "Num RefCount Protocol Flags Type St Inode Path\n" + "".join(unix))


def _states(one: Mapping[str, Any]) -> list[tuple[int, str]]:
    """``tcp``: lists of a state, the first inode and how many follow it."""
    return [(inode, state) for state, first, many in one.get("tcp", ()) for inode in range(first, first + many)]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
