"""Ranks the acquiring calls of a project by what a process holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Suspect:
    """An acquiring call that fits open descriptors. ``open``: their number. ``exact``: the path fits as well as the
    kind. ``findings``: what fdlint reports there, as codes."""

    path: str
    line: int
    code: str
    api: str
    kind: str
    open: int
    exact: bool
    findings: tuple[str, ...] = ()
