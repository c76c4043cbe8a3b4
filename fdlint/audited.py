"""What was audited: where, at which revision, when, how and with what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Revision:
    """The commit that a repository was at. ``directory`` is the top of its work tree; ``branch`` is empty for a
    detached head. The work tree may have had changes on top of it."""

    directory: str
    commit: str
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Audited:
    """One scan. What is not known is empty.

    ``directory``: where it ran, absolute; ``paths``: what it was told to look at; ``started``: the time in UTC, as in
    ISO 8601; ``command``: the arguments of fdlint; ``configurations``: the files in effect; ``versions``: of fdlint and
    of what it ran with, by their names; ``name``: what comes before the paths of this scan in a merged report.
    """

    directory: str = ""
    paths: tuple[str, ...] = ()
    revisions: tuple[Revision, ...] = ()
    started: str = ""
    command: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    name: str = ""
