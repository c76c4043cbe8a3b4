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
    """One scan. Unknown values are empty.

    ``directory`` is the absolute working directory, ``paths`` are the scanned paths. ``started`` is the time in UTC, as
    in ISO 8601. ``command`` has the arguments of fdlint, ``configurations`` the files in effect. ``versions`` are those
    of fdlint, Python and other programs, by name. ``name`` is the prefix of the paths of this scan in a merged report.
    """

    directory: str = ""
    paths: tuple[str, ...] = ()
    revisions: tuple[Revision, ...] = ()
    started: str = ""
    command: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    name: str = ""
