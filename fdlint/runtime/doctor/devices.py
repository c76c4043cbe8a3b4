"""What a descriptor of a device means: whom it keeps busy, and how often a program opens it for a good reason."""

from __future__ import annotations

import re

from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Descriptor

FUSE = "/dev/fuse"
_EXCLUSIVE = re.compile(r"/dev/(?:fuse|kvm|vfio/[^/]+|net/tun|vhost-[a-z]+|loop-control|uinput|uhid|cuse)")
_OF_GPUS = re.compile(r"/dev/(?:nvidia[^/]*|nvidia-caps/[^/]+|dri/[^/]+|kfd)")
_PLAIN = frozenset({"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})


def is_exclusive(one: Descriptor) -> bool:
    """Whether this is a device that brokers and launchers open for another process: each open descriptor keeps a
    connection, a machine or an interface alive."""
    return one.kind is Kind.DEVICE and _EXCLUSIVE.fullmatch(one.name) is not None


def is_of_a_gpu(one: Descriptor) -> bool:
    """Whether this is a device of a graphics processor: its memory is free when nobody has it any more."""
    return one.kind is Kind.DEVICE and _OF_GPUS.fullmatch(one.name) is not None


def is_plain(one: Descriptor) -> bool:
    """Whether this is a device of which all openings are equal, so that no program needs many."""
    return one.kind is Kind.DEVICE and one.name in _PLAIN
