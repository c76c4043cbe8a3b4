"""Leaks as text and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

from fdlint.report.documents import sound
from fdlint.report.printable import printable
from fdlint.runtime.recording.findings import Findings
from fdlint.runtime.recording.leaks import Leak, Place, is_of_the_library

_SHOWN = 20
_NAMED = 5


def told(leaks: Sequence[Leak], findings: Findings, threads: Sequence[str] = ()) -> str:
    """Returns the message for one test. ``threads``: the names of those that are still running."""
    noun = "descriptor" if len(leaks) == 1 else "descriptors"
    lines = [f"{len(leaks)} {noun} still open after the test:"]
    for leak in leaks[:_SHOWN]:
        lines.extend(_lines(leak, findings))
    if len(leaks) > _SHOWN:
        lines.append(f"  and {len(leaks) - _SHOWN} more")
    if threads:
        names = ", ".join(map(printable, threads[:_NAMED]))
        lines.append(f"  threads are still running, and may close them later: {names}")
    return "\n".join(lines)


def _lines(leak: Leak, findings: Findings) -> Iterator[str]:
    owner = f", of the fixture {printable(leak.fixture)}" if leak.fixture else ""
    yield f"  {leak.number}: {headline(leak.kind, leak.path)}{owner}"
    site = leak.site
    if site is None:
        yield f"     no line is known: {_unseen()} opened it during this test"
        return
    yield f"     acquired at {_place(site)} by {leak.api}"
    for one in leak.stack:
        if one is not site:
            yield f"     {'called from' if one.own else 'through'} {_place(one)}"
    if said := findings.said_of(leak):
        yield f"     fdlint: {printable(said)}"


def _unseen() -> str:
    """Who can open a descriptor without a call that Python reports."""
    names = loaded()
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    listed = f" (loaded: {printable(', '.join(names[:_NAMED]))}{more})" if names else ""
    return f"select.epoll, fcntl or a compiled module{listed}"


def headline(kind: str, path: str) -> str:
    """Returns what is open, such as ``file /tmp/x``."""
    return f"{kind} {printable(path)}".rstrip()


def _place(place: Place) -> str:
    return printable(f"{place.path}:{place.line} in {place.function}")


def entry(test: str, leak: Leak, findings: Findings) -> dict[str, Any]:
    """Returns a leak for the JSON file. Places outside of the project are left out."""
    own = [one for one in leak.stack if one.own]
    places = [{"path": sound(one.path), "line": one.line, "function": one.function} for one in own]
    return {
        "test": sound(test),
        "fixture": leak.fixture or None,
        "kind": leak.kind,
        "path": sound(leak.path) or None,
        "api": leak.api or None,
        "site": places[0] if places else None,
        "stack": places,
        "finding": findings.said_of(leak) or None,
    }


def loaded() -> list[str]:
    """Returns the names of the packages with compiled modules that are not Python's own, in order."""
    found = set()
    for name, module in tuple(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(tuple(EXTENSION_SUFFIXES)) and not is_of_the_library(file):
            found.add(name.partition(".")[0])
    return sorted(found)
