"""The data of an audit: where, at which revision, when and how fdlint scanned, and with which programs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Revision:
    """The commit of a repository. ``directory`` is the top of its work tree; ``branch`` is empty for a detached head.
    ``repository``: the address from which others can get it, empty if there is none. The work tree may have uncommitted
    changes."""

    directory: str
    commit: str
    branch: str = ""
    repository: str = ""


@dataclass(frozen=True, slots=True)
class Audited:
    """One scan. Unknown values are empty.

    ``directory`` is the absolute working directory, ``paths`` are the scanned paths. ``started`` is the time in UTC, in
    ISO 8601. ``command`` has the arguments of fdlint, ``configurations`` the files in effect. ``versions`` maps fdlint,
    Python and other programs to their versions. ``name`` is the prefix that the paths of this scan have in a merged
    report.
    """

    directory: str = ""
    paths: tuple[str, ...] = ()
    revisions: tuple[Revision, ...] = ()
    started: str = ""
    command: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    name: str = ""
