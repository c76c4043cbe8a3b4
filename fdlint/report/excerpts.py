"""The lines around the findings of a report, which it takes along: who reads it may not have the files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from fdlint.core.finding import Finding
from fdlint.report.documents import sound

AROUND = 2
"""The number of lines before and after a step."""
_WIDTH = 400  # characters; a longer line is cut
_MOST = 5_000_000  # lines of all files up to the last ones that are known

Excerpts = dict[str, dict[str, str]]
"""Lines by path and number, which is text in JSON."""


class TooManyLinesError(Exception):
    """The excerpts are about more lines than any report has."""


def excerpts(findings: Iterable[Finding], sources: Mapping[str, Sequence[str]]) -> Excerpts:
    """Returns the lines around the steps of findings, as far as ``sources`` has them."""
    found: Excerpts = defaultdict(dict)
    for span in (span for one in findings for span in one.spans):
        lines = sources.get(span.path, ())
        for number in range(max(1, span.line - AROUND), min(len(lines), span.line + AROUND) + 1):
            found[sound(span.path)][str(number)] = sound(lines[number - 1][:_WIDTH])
    return dict(found)


def sources_of(found: Iterable[Mapping[str, Mapping[int, str]]]) -> dict[str, tuple[str, ...]]:
    """Returns the lines of each file from the first one on; those that no excerpt has are empty. Raises
    ``TooManyLinesError``."""
    known: dict[str, dict[int, str]] = defaultdict(dict)
    for path, lines in (pair for one in found for pair in one.items() if pair[1]):
        here = known[path]
        here.update((number, text) for number, text in lines.items() if text or number not in here)
    if sum(map(max, known.values())) > _MOST:
        raise TooManyLinesError
    return {path: tuple(lines.get(number, "") for number in range(1, max(lines) + 1)) for path, lines in known.items()}


def together(found: Iterable[Mapping[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    """Returns what several reports know of the lines of files."""
    known: dict[str, list[str]] = {}
    for path, lines in (pair for one in found for pair in one.items()):
        here = known.setdefault(path, [])
        here += [""] * (len(lines) - len(here))
        here[: len(lines)] = [new or old for new, old in zip(lines, here, strict=False)]
    return {path: tuple(lines) for path, lines in known.items()}
