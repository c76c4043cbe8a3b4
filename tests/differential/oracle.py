"""Computes the code that the contract requires for each acquiring call, from the fate of its descriptors on all paths.

Where the contract leaves room, it is read as follows:

* A descriptor sent and then lost other than by an exception or a ``raise`` is FD104.
* FD101 and FD102 differ by whether for *each* descriptor of the call some run released it, even in a loop that then
  never ends.
* A descriptor that no run releases, and that only exceptions lose which pass straight through (opened before an endless
  loop, say), is kept for the life of the process: no finding. A bare ``raise`` is a statement of the function: FD101.
* A bare ``raise`` passes the caught exception on (FD103); ``raise Other(...)`` in a handler is explicit (FD102).
* ``other = fd`` in a loop, which loses the last iteration's descriptor, is not the acquiring statement: FD106.
* A descriptor that a list drops (``fds.pop()``, ``fds.clear()``) was in no variable: FD101 or FD102.
"""

from __future__ import annotations

from .execute import Ending, Exit, Site, compile_program, run_all
from .shape import Place
from .table import How

LEAK_CODES = frozenset({"FD101", "FD102", "FD103", "FD104", "FD106", "FD107", "FD109", "FD110"})
FORGOTTEN = frozenset({How.REBOUND, How.DELETED})


def expected(source: str) -> dict[Place, str | None]:
    """Returns the due code, or None, of each call that acquires, or might, and that a run makes."""
    runs = run_all(compile_program(source))
    return {where: code_of(runs.sites[where]) if where in runs.sites else None for where in runs.reached}


def code_of(site: Site) -> str | None:
    """Returns the first code that holds, in the order of the contract."""
    endings = site.endings
    if not endings:
        return None
    if any(ending.how is How.DISCARDED for ending in endings):
        return "FD107"
    if any(ending.sent and is_normal(ending) for ending in endings):
        return "FD104"
    if site.received and not all(by_exception(ending) for ending in endings):
        return "FD109"
    if any(ending.spawned and not by_exception(ending) for ending in endings):
        return "FD110"
    if any(ending.how in FORGOTTEN for ending in endings):
        return "FD106"
    if not site.released:
        return None if all(passes_through(ending) for ending in endings) else "FD101"
    return "FD103" if all(by_exception(ending) for ending in endings) else "FD102"


def passes_through(ending: Ending) -> bool:
    """Whether a call raised, and no statement of the function raises that again."""
    return by_exception(ending) and not ending.again


def by_exception(ending: Ending) -> bool:
    """Whether a call raised, and no handler caught it."""
    return ending.how is How.LEFT and ending.exit is Exit.EXCEPTION


def is_normal(ending: Ending) -> bool:
    """Whether the function continued, or returned normally."""
    return ending.how is not How.LEFT or ending.exit is Exit.NORMAL
