"""All fixes of Python, by the codes of the findings that they may end. The best one for a finding comes first."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace

from fdlint.catalog import Models
from fdlint.core.finding import Finding
from fdlint.fixes import (
    close_attribute_before_overwrite,
    close_before_leaving,
    close_discarded,
    close_in_class,
    close_in_finally,
    close_on_exception,
    close_the_rest,
    compare_with_none,
    drop_second_close,
    end_object,
    opened_cloexec,
    received_cloexec,
    reset_attribute,
    tear_down_workers,
)
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.importing import with_closer
from fdlint.fixes.python_file import PythonFile
from fdlint.fixes.registry import LanguageFixes
from fdlint.fixes.trees import Inserted, differs_only

_CLOSING = (
    close_in_finally, close_on_exception, close_before_leaving, close_the_rest, close_discarded, close_in_class,
    close_attribute_before_overwrite,
)  # fmt: skip
_ALL = (
    *_CLOSING, end_object, drop_second_close, reset_attribute, compare_with_none, received_cloexec, opened_cloexec,
    tear_down_workers,
)  # fmt: skip
_CODES = frozenset(code for one in _ALL for code in one.CODES)


def _candidates(text: str, models: Models, finding: Finding) -> Iterator[Candidate]:
    file = _parsed(text, models)
    for one in _ALL:
        if finding.code not in one.CODES:
            continue
        if one in _CLOSING:
            given = with_closer(file, finding)
            for found in one.propose(given.file, given.finding):
                yield replace(found, changes=[*map(Inserted, given.added), *found.changes])
        else:
            yield from one.propose(file, finding)


@functools.lru_cache(maxsize=2)
def _parsed(text: str, models: Models) -> PythonFile:
    return PythonFile(text, models)


FIXES = LanguageFixes(_CODES, _candidates, differs_only)
