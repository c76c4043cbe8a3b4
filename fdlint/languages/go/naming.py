"""Guesses what a function of Go does from its name alone."""

from __future__ import annotations

import functools
import re

from fdlint.catalog.naming import Naming, never

_once = functools.lru_cache(maxsize=10_000)  # few names make most of the calls

_TAKING = re.compile(
    r"^(New|From|Wrap|Make)(?=[A-Z]|$)|[aA]dopt|[aA]ttach|FromF[dD]|FromFile|[cC]onsume|[dD]ispose|[rR]elease|[cC]leanup|[sS]hutdown"
    r"|[hH]and[oO]ver|[tT]ransfer|(^|[a-z])[cC]lose(?!On|d\b|st)|SetOutput|MultiWriter"
)


@_once
def takes_over(name: str) -> bool:
    """Whether the name of a function of Go suggests that it takes over its arguments: ``NewConn``, ``closeAll``."""
    return bool(_TAKING.search(name))


_CLASSIFYING = re.compile(
    r"^([iI]s|[hH]as|[sS]hould|[cC]an|[mM]ay|[eE]rror[iI]s|[eE]quals?$)(?=[A-Z]|$)|(Error|Err|Is|Equals)$"
)
_CONTENT = re.compile(r"nil|none|ok$|okay|success|fine|empty|ignor", re.IGNORECASE)


@_once
def classifies_errors(name: str) -> bool:
    """Whether the name of a function of Go suggests that it tells whether an error is of some kind, so that it denies
    this of no error: ``isTemporary``, ``linuxerr.Equals``."""
    return bool(_CLASSIFYING.search(name)) and not _CONTENT.search(name)


NAMES = Naming(takes_over, never, classifies_errors)
