"""All fixes of Go, by the codes of the findings that they may end."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.catalog import Models
from fdlint.core.finding import Finding
from fdlint.fixes import go_cloexec, go_close, go_drop
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.go_file import GoText, go_differs_only
from fdlint.fixes.registry import LanguageFixes

_ALL = (go_close, go_drop, go_cloexec)
_CODES = frozenset(code for one in _ALL for code in one.CODES)


def _candidates(text: str, _models: Models, finding: Finding) -> Iterator[Candidate]:
    file = GoText(text)
    for one in _ALL:
        if finding.code in one.CODES:
            yield from one.propose(file, finding)


FIXES = LanguageFixes(_CODES, _candidates, go_differs_only)
