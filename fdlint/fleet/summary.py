"""The summary of a fleet in Markdown: short enough for a chat or a mail."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from fdlint.core.finding import Cost
from fdlint.fleet.overview import Found, Overview, Total, totals
from fdlint.report.printable import printable
from fdlint.report.summary import count

_TOP = 5
_WIDTH = 160  # characters of a name, a path or a reason
_SPECIAL = re.compile(r"[\\*_\[\]<>#@|~!]")
One = TypeVar("One")


def summary(found: Overview) -> str:
    """Returns the summary. Text from repositories is in code spans, so that it is no link, mention or markup."""
    high = [one for one in found.findings if one.impact == Cost.HIGH.value]
    title = f"{count(len(found.findings), 'finding')} in {count(len(found.repositories), 'repository', 'repositories')}"
    owners = totals((owner, one) for one in found.findings for owner in one.owners)
    failed = [one for one in found.not_scanned if one.outcome]
    parts = [
        f"### fdlint fleet: {title}",
        f"{', '.join(_numbers(found, len(high)))}.",
        *_list("New leaks", found.new_leaks, _finding),
        *_list("Of high impact, one for each repository", found.first, _finding),
        *_list("By owner", owners if len(owners) > 1 else [], _owner),
        *_list("Not scanned", failed, lambda one: f"{_code(one.name)}: {_code(one.reason)}"),
    ]
    return "\n\n".join(parts)


def _numbers(found: Overview, high: int) -> Iterator[str]:
    yield f"{high:,} of high impact"
    if len(found.runs) > 1:
        before = found.runs[-2].started.partition("T")[0]
        yield f"since {before} {count(len(found.new_leaks), 'new leak')} and {found.runs[-1].gone:,} gone"
        if found.new_repositories:
            yield f"and {count(len(found.new_repositories), 'new repository', 'new repositories')}"
    if found.not_scanned:
        yield f"{count(len(found.not_scanned), 'repository', 'repositories')} not scanned"


def _list(title: str, some: Sequence[One], line: Callable[[One], str]) -> Iterable[str]:
    if not some:
        return []
    more = [f"- and {len(some) - _TOP:,} more"] if len(some) > _TOP else []
    return [f"**{title}**", "\n".join([*(f"- {line(one)}" for one in some[:_TOP]), *more])]


def _finding(one: Found) -> str:
    words = printable(one.message).split("`")
    message = "".join(
        _code(word) if number % 2 else _SPECIAL.sub(r"\\\g<0>", word) for number, word in enumerate(words)
    )
    return f"{_code(f'{one.repository} {one.path}:{one.line}')} {one.rule} {_code(' '.join(one.owners))}: {message}"


def _owner(one: Total) -> str:
    return f"{_code(one.name)}: {one.high:,} of high impact, {one.all:,} in all, {count(one.new, 'new leak')}"


def _code(text: str) -> str:
    """Returns text as code; what is long is cut."""
    shown = printable(text).replace("`", "'")
    return f"`{shown if len(shown) <= _WIDTH else f'{shown[: _WIDTH - 1]}…'}`"
