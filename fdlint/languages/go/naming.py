"""Guesses what a function of Go does from its name alone."""

from __future__ import annotations

import functools
import re

from fdlint.catalog.naming import Naming, begins_to_tell, never

_once = functools.lru_cache(maxsize=10_000)  # few names make most of the calls

_TAKING = re.compile(
    r"^(New|From|Wrap|Make)(?=[A-Z]|$)|^Open\w*Reader$|[aA]dopt|[aA]ttach|FromF[dD]|FromFile|[cC]onsume|[dD]ispose|[rR]elease|[cC]leanup|[sS]hutdown"
    r"|[hH]and[oO]ver|[tT]ransfer|[fF]d[oO]pen|(^|[a-z])[cC]lose(?!On|d\b|st)|^Set\w*(Output|Writer|Out|Err|Log)$|MultiWriter"
)


@_once
def takes_over(name: str) -> bool:
    """Whether the name of a function of Go suggests that it takes over its arguments: ``NewConn``, ``closeAll``."""
    return bool(_TAKING.search(name))


_STORING = re.compile(r"^(Set|Put|Store|Insert|Add|Save|Cache|Register|LoadOrStore|GetOrSet|GetOrAdd)$")
_QUEUEING = re.compile(r"^(Put|Store|Push|PushBack|PushFront|Enqueue)$")


@_once
def stores_at(name: str, given: int) -> int | None:
    """Returns the number of the first argument that a method of an unknown container keeps, by its name: the value of
    ``cache.Set(key, file)``, the item of ``queue.Push(file)``; None if it keeps none. ``poller.Add(fd, events)`` has no
    key before the descriptor. ``given``: the number of arguments."""
    if given == 1:
        return 0 if _QUEUEING.match(name) else None
    return 1 if _STORING.match(name) else None


_DROPPING = re.compile(r"unless|except|filter|skip|only|allow|tolerat|suppress|handle|retry|recover|try", re.IGNORECASE)
_CONTENT = re.compile(r"nil|none|ok$|okay|success|fine|empty|ignor", re.IGNORECASE)


_SENTINEL = re.compile(r"^(Err[A-Z]\w*|EOF|E[A-Z0-9]{2,})$")


def is_sentinel(name: str) -> bool:
    """Whether the name of a variable of a package is that of an error which is never nil: ``io.ErrShortWrite``,
    ``io.EOF``, ``unix.ENODATA``."""
    return bool(_SENTINEL.match(name))


_MAKING = re.compile(r"[eE]rr(or)?f?(?=[A-Z]|$)|^Errorf?$|^(Wrap|Annotate|Trace)f?$")
_READING = re.compile(r"^(Err$|Last|Get|Check|Load|Read|First|Is|As|Has|Unwrap|Cause)")


@_once
def makes_error(name: str) -> bool:
    """Whether the name of a function of Go suggests that it makes a new error: ``Errorf``, ``parseError``. A function
    that keeps one may have none: ``Err``, ``LastError``."""
    return bool(_MAKING.search(name)) and not _READING.search(name) and not _CONTENT.search(name)


@_once
def passes_errors_on(name: str) -> bool:
    """Whether a function of Go that gets an error and returns one returns none only for none, as far as its name tells:
    ``translate``, but not ``ignoreNotFound``."""
    return not _CONTENT.search(name) and not _DROPPING.search(name)


NAMES = Naming(takes_over, never, begins_to_tell)  # no call is an exception
