"""The kinds of open descriptors, from the target of their link in ``/proc/PID/fd``."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fdlint.catalog.model import Made

_NUMBERED = re.compile(r"([a-z_]{1,32}):\[([0-9]{1,20})\]")
_NAMESPACES = frozenset({"cgroup", "ipc", "mnt", "net", "pid", "pid_for_children", "time", "user", "uts"})
_NO_DEVICES = ("/dev/shm/", "/dev/mqueue/", "/dev/hugepages/")
_ANONYMOUS = "anon_inode:"
_MEMFD = "/memfd:"
DMABUF = "dmabuf"
"""The name of a buffer that a driver shares, such as memory of a GPU."""
_DMABUF = "/dmabuf:"  # and the name that the exporter gave it
_TORCH = re.compile(r"/dev/shm/torch_[0-9_]+")
_TORCH_NAME = "/dev/shm/torch_*"
_DELETED = " (deleted)"


class Kind(enum.Enum):
    """What a descriptor refers to."""

    SOCKET = "socket"
    PIPE = "pipe"
    ANON = "anon_inode"
    DEVICE = "device"
    MEMFD = "memfd"
    PIDFD = "pidfd"
    NAMESPACE = "namespace"
    DELETED = "deleted file"
    FILE = "file"
    OTHER = "other"

    __hash__ = object.__hash__


_SOCKETS = "socket.__new__"  # an audit event, which no catalog has


def kinds_of(api: str) -> frozenset[Kind] | None:
    """Returns the kinds that a call of this name makes; None if it can make any. What is open as something else was
    acquired by another call."""
    from fdlint.catalog import default_catalog
    from fdlint.catalog.model import Made

    if api == _SOCKETS:
        return frozenset({Kind.SOCKET})
    made = {one.makes for one in default_catalog().lookup(api)}
    if not made or not made.isdisjoint({None, Made.PATH, Made.TERMINAL}):
        return None
    return frozenset(map(kind_of, filter(None, made)))


def kind_of(made: Made) -> Kind:
    """Returns the kind of what the catalog names: the one of the same name, or an anonymous inode. What has a path, or
    is a terminal, can be of any."""
    return Kind(made.value) if made.value in _SAME else Kind.ANON


_SAME = frozenset(kind.value for kind in (Kind.SOCKET, Kind.PIPE, Kind.MEMFD, Kind.PIDFD))


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a descriptor's link. ``name``: the path without its mark of deletion, the name of an anonymous
    inode (``eventpoll``), or the type of a namespace (``net``). ``inode``: the number in the link, None for a path."""

    kind: Kind
    name: str
    inode: int | None = None


def target_of(link: str) -> Target:
    """Classifies a link by its text alone. A file can have a name that looks like another kind of link; only its
    status tells, and asking for that can block."""
    numbered = _NUMBERED.fullmatch(link)
    if numbered is not None:
        return _numbered(numbered[1], int(numbered[2]))
    if link.startswith(_ANONYMOUS):
        return _anonymous(link.removeprefix(_ANONYMOUS))
    gone = link.endswith(_DELETED)
    path = link.removesuffix(_DELETED)
    if path.startswith(_MEMFD):
        return Target(Kind.MEMFD, path.removeprefix(_MEMFD))
    if path.startswith(_DMABUF):
        return Target(Kind.ANON, DMABUF)
    if path.startswith("/dev/") and not path.startswith(_NO_DEVICES):
        return Target(Kind.DEVICE, path)
    if path.startswith("/"):
        return Target(Kind.DELETED if gone else Kind.FILE, path)
    return Target(Kind.OTHER, link)


def group_of(name: str) -> str:
    """Returns the name that files of one origin share: each tensor of a worker of PyTorch has a file of its own."""
    return _TORCH_NAME if is_tensor(name) else name


def is_tensor(name: str) -> bool:
    """Whether a file is the memory of a tensor that workers of PyTorch share. It is deleted as soon as all have it."""
    return _TORCH.fullmatch(name) is not None


def _numbered(word: str, inode: int) -> Target:
    if word == "socket":
        return Target(Kind.SOCKET, "", inode)
    if word == "pipe":
        return Target(Kind.PIPE, "", inode)
    if word == "pidfd":
        return Target(Kind.PIDFD, "", inode)
    return Target(Kind.NAMESPACE if word in _NAMESPACES else Kind.OTHER, word, inode)


def _anonymous(rest: str) -> Target:
    """An anonymous inode has its name in brackets, or bare; KVM adds a number to it (``kvm-vcpu:0``)."""
    name = rest[1:-1] if rest.startswith("[") and rest.endswith("]") else rest
    start, colon, number = name.rpartition(":")
    if colon and number.isascii() and number.isdigit():
        name = start
    return Target(Kind.PIDFD, "") if name == "pidfd" else Target(Kind.ANON, name)
