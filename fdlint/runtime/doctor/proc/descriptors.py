"""Reads the descriptor table of a process: links, ``fdinfo``, and the bytes of deleted files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from fdlint.runtime.doctor.kinds import DMABUF, Kind, target_of
from fdlint.runtime.doctor.model import Descriptor, Details
from fdlint.runtime.doctor.proc.files import GoneError, Procfs, RefusedError

MOST = 400_000
"""The number of descriptors of all processes whose details are read; of the others only the links are."""
_LOCAL = frozenset(
    {"bcachefs", "btrfs", "devtmpfs", "erofs", "exfat", "ext2", "ext3", "ext4", "f2fs", "hugetlbfs", "jfs", "nilfs2"}
    | {"overlay", "ramfs", "reiserfs", "squashfs", "tmpfs", "vfat", "xfs", "zfs"}
)
"""File systems that answer without a network and without another process."""
_REFERENCES = ("fuse_connection", "iff", "Pid")
_BLOCK = 512


@dataclass(slots=True)
class Allowance:
    """How many more descriptors are read in detail."""

    left: int = MOST

    def take(self) -> bool:
        """Whether there is one left; takes it."""
        self.left -= 1
        return self.left >= 0


@dataclass(frozen=True, slots=True)
class Tables:
    """Reads tables of descriptors from one procfs."""

    procfs: Procfs
    allowance: Allowance = field(default_factory=Allowance)

    def links(self, pid: int) -> Iterator[Descriptor]:
        """Yields the descriptors of a process without their details. Raises ``GoneError`` and ``RefusedError``."""
        for number in self.procfs.numbers(pid, "fd"):
            try:
                link = self.procfs.link(pid, "fd", number)
            except GoneError:  # it was closed in between
                continue
            target = target_of(link)
            yield Descriptor(number, target.kind, target.name, link, target.inode)

    def table(self, pid: int) -> tuple[Descriptor, ...]:
        """Returns the descriptors of a process with their details. Raises ``GoneError`` and ``RefusedError``."""
        found = list(self.links(pid))
        local = self._local_mounts(pid) if any(one.kind is Kind.DELETED for one in found) else frozenset[int]()
        return tuple(self._sized(pid, self.detailed(pid, one), local) for one in found)

    def detailed(self, pid: int, one: Descriptor) -> Descriptor:
        """Returns a descriptor with its details, if they can be read."""
        if not self.allowance.take():
            return one
        try:
            text = self.procfs.text(pid, "fdinfo", one.number, limit=1_000_000)
        except (GoneError, RefusedError):
            return one
        details = details_of(text)
        size = details.size if one.name == DMABUF else one.bytes
        return replace(one, details=details, inode=one.inode if one.inode is not None else details.inode, bytes=size)

    def _local_mounts(self, pid: int) -> frozenset[int]:
        """The mounts whose file systems answer at once."""
        try:
            text = self.procfs.text(pid, "mountinfo", limit=8_000_000)
        except (GoneError, RefusedError):
            return frozenset()
        return frozenset(number for number, kind, _, _ in mounts(text) if kind in _LOCAL)

    def _sized(self, pid: int, one: Descriptor, local: frozenset[int]) -> Descriptor:
        """Adds the bytes of a deleted file. A file that has another name keeps its blocks anyway: it counts as a file.
        Asks no file system that may not answer."""
        if one.kind is not Kind.DELETED or one.details is None or one.details.mount not in local:
            return one
        try:
            status = self.procfs.status(f"{self.procfs.root}/{pid}/fd/{one.number}")
        except OSError:
            return one
        if status.st_nlink:
            return replace(one, kind=Kind.FILE)
        idle = max(0, int(time.time() - status.st_mtime))
        return replace(one, bytes=status.st_blocks * _BLOCK, idle=idle)


def details_of(text: str) -> Details:
    """Parses ``fdinfo``."""
    values: dict[str, str] = {}
    watches = 0
    for line in text.split("\n"):
        name, _, value = line.partition(":")
        watches += name in ("tfd", "inotify wd", "fanotify ino") or name.startswith("inotify wd")
        values.setdefault(name.strip(), value.strip())
    refers_to = next((values[name] for name in _REFERENCES if values.get(name)), None)
    return Details(
        _number(values, "flags", 8) or 0,
        _number(values, "pos"),
        _number(values, "mnt_id"),
        _number(values, "ino"),
        watches,
        refers_to,
        _number(values, "scm_fds") or 0,
        _number(values, "size"),
    )


def mounts(text: str) -> Iterator[tuple[int, str, int, str]]:
    """Yields the mounts in a ``mountinfo``: number, file system, minor number of the device, mount point."""
    for line in text.split("\n"):
        left, separator, right = line.partition(" - ")
        fields, source = left.split(" "), right.split(" ")
        minor = fields[2].rpartition(":")[2] if len(fields) > 4 else ""
        if separator and fields[0].isdigit() and minor.isdigit():
            yield int(fields[0]), source[0], int(minor), fields[4]


def _number(values: Mapping[str, str], name: str, base: int = 10) -> int | None:
    try:
        return int(values[name], base)
    except (KeyError, ValueError):
        return None
