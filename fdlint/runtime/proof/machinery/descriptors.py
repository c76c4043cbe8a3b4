"""The descriptors of this process: which are open, and who holds their numbers.

The numbers under test are high, and nothing in the process holds one of them before: so one in a list or an object is
no accident. This code itself keeps a number only as its complement: it must not be among those who hold it. Inodes are
numbers, too, so it keeps them as text.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import io
import os
import resource
import select
import selectors
import socket

_FIRST = 3_700
_SCARCE = 300
_CHILDREN = 100  # processes that a proof may start
_range = [~0]  # the complement of the first number under test


def first() -> int:
    """Returns the first number under test."""
    return ~_range[0]


def occupy() -> None:
    """Fills all numbers below the first one under test. Raises ``OSError``."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FIRST + _SCARCE if hard == resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, _FIRST + _SCARCE), hard))
    _range[0] = ~beginning(most, os.getpid())
    filling = os.open(os.devnull, os.O_RDWR)
    while os.dup(filling) < first() - 1:
        pass
    for complement in held({~number for number in range(first(), first() + _SCARCE)}):
        os.dup2(filling, ~complement)


def beginning(most: int, process: int) -> int:
    """Returns the first number to test with. ``most``: the limit of descriptors. The ids of this process and of its
    children are no numbers under test: ``tempfile`` keeps the one, ``Popen`` the others."""
    usual = min(_FIRST, most - _SCARCE)
    return usual - 2 * _SCARCE if usual - _CHILDREN <= process <= usual + _SCARCE else usual


def opened() -> dict[int, str]:
    """Returns the complements of the open numbers under test, with what is open there."""
    found = {}
    number, closed = first(), 0
    while closed < _SCARCE // 10:
        one = identity(number)
        if one is not None:
            found[~number] = one
        closed = 0 if one is not None else closed + 1
        number += 1
    return found


def identity(number: int) -> str | None:
    """Returns the device and the inode of a descriptor; None if it is closed."""
    try:
        status = os.fstat(number)
    except OSError:
        return None
    return f"{status.st_dev}:{status.st_ino}"


def is_inheritable(number: int) -> bool:
    """Whether a program that is started gets it."""
    return not fcntl.fcntl(number, fcntl.F_GETFD) & fcntl.FD_CLOEXEC


def held(complements: set[int]) -> set[int]:
    """Returns those whose number some living object holds."""
    gc.collect()
    found: set[int] = set()
    for each in gc.get_objects():
        if each is not complements and each is not found:
            _look(each, complements, found, 0)
    return found


def _look(each: object, complements: set[int], found: set[int], depth: int) -> None:
    """Looks into an object, and into the tuples and dictionaries in it that the collector does not list."""
    for one in gc.get_referents(each):
        if isinstance(one, int):
            if ~one in complements:
                found.add(~one)
        elif depth < 3 and isinstance(one, tuple | dict) and not gc.is_tracked(one):
            _look(one, complements, found, depth + 1)


def stale() -> set[int]:
    """Returns the complements of the closed numbers under test that some living object holds."""
    return held({~number for number in range(first(), first() + _SCARCE) if identity(number) is None})


def registered() -> set[int]:
    """Returns the complements of the numbers that living selectors watch, those of event loops among them."""
    found = set[int]()
    for each in gc.get_objects():
        if isinstance(each, selectors.BaseSelector):
            found.update(~key.fd for key in (each.get_map() or {}).values())
    return found


def unregister_all() -> None:
    """Ends the registrations of numbers under test."""
    for each in gc.get_objects():
        if isinstance(each, selectors.BaseSelector):
            for key in [one for one in (each.get_map() or {}).values() if one.fd >= first()]:
                each.unregister(key.fd)


def free_zero() -> None:
    """Lets the next descriptor have the number 0."""
    with contextlib.suppress(OSError):
        os.close(0)


def occupy_zero() -> None:
    """Ends what has the number 0."""
    free_zero()
    os.open(os.devnull, os.O_RDWR)


def owned_by_objects() -> set[int]:
    """Returns the complements of the numbers that living files and sockets will close."""
    found = set()
    for each in gc.get_objects():
        if isinstance(each, io.FileIO | socket.socket | select.epoll):
            try:
                if getattr(each, "closefd", True):
                    found.add(~each.fileno())
            except ValueError:  # it is closed
                continue
    return found
