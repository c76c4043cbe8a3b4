"""All fixes, by the codes of the findings that they may end. The best one for a finding comes first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fdlint.findings.finding import Finding
from fdlint.fixes import (
    close_attribute_before_overwrite,
    close_before_leaving,
    close_discarded,
    close_in_finally,
    close_on_exception,
    compare_with_none,
    drop_second_close,
    received_cloexec,
    reset_attribute,
)
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile

if TYPE_CHECKING:
    from fdlint.fixes.go_file import GoText

_ALL = (
    close_in_finally, close_on_exception, close_before_leaving, close_discarded,
    close_attribute_before_overwrite, drop_second_close, reset_attribute,
    compare_with_none, received_cloexec,
)  # fmt: skip
CODES = frozenset(code for one in _ALL for code in one.CODES)
"""The codes of findings that may have a fix."""


def go_candidates(file: GoText, finding: Finding) -> Iterator[Candidate]:
    """Yields the changes that may end a finding in Go. Needs the parser of Go."""
    from fdlint.fixes import go_cloexec, go_close

    for one in (go_close, go_cloexec):
        if finding.code in one.CODES:
            yield from one.propose(file, finding)


def candidates(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Yields the changes that may end a finding."""
    for one in _ALL:
        if finding.code in one.CODES:
            yield from one.propose(file, finding)
