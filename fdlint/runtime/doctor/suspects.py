"""The acquiring calls of a project, and those of them that fit the descriptors of a process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fdlint.runtime.doctor.kinds import Kind

if TYPE_CHECKING:  # the analysis of code is loaded only if there is a project
    from fdlint.catalog.model import Made
    from fdlint.core.finding import Finding

Parts = tuple[str | None, ...]
"""A text as far as the code spells it; None stands for any text."""


@dataclass(frozen=True, slots=True)
class Site:
    """An acquiring call. ``makes``: the kinds that it can open. ``parts``: the path that it opens, empty if it is
    unknown. ``line`` counts from 1; ``code`` is that line."""

    path: str
    line: int
    code: str
    api: str
    makes: frozenset[Made]
    parts: Parts = ()


@dataclass(frozen=True, slots=True)
class Suspect:
    """An acquiring call that fits open descriptors. ``open``: their number. ``exact``: the path fits as well as the
    kind, or there is no path and a finding explains the pattern. ``findings``: what fdlint reports
    there. ``explains``: one of them is a rule of a pattern that the process shows."""

    site: Site
    open: int
    kind: Kind
    exact: bool
    findings: tuple[Finding, ...] = ()
    explains: bool = False
