"""How descriptors of a process came to be: the call and the lines of code, as the process has recorded them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of code of a process. ``path``: as Python knew it there."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Trail:
    """Open descriptors that one stack has acquired. ``name``: that of a device, or empty. ``site``: the innermost line
    of the project. ``stack``: the innermost line first, without those of libraries if there are others. ``oldest`` and
    ``newest``: seconds since 1970, None if they are unknown. ``codes``: what fdlint reports on these lines."""

    kind: str
    name: str
    api: str
    site: Spot | None
    stack: tuple[Spot, ...]
    numbers: tuple[int, ...]
    oldest: float | None = None
    newest: float | None = None
    codes: tuple[str, ...] = ()
