"""All fixes, by the codes of the findings that they may end. The best one for a finding comes first."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.findings.finding import Finding
from fdlint.fixes import close_before_leaving, close_in_finally, close_on_exception, drop_second_close
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile

_ALL = (close_in_finally, close_on_exception, close_before_leaving, drop_second_close)
CODES = frozenset(code for one in _ALL for code in one.CODES)
"""The codes of findings that may have a fix."""


def candidates(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Yields the changes that may end a finding."""
    for one in _ALL:
        if finding.code in one.CODES:
            yield from one.propose(file, finding)
