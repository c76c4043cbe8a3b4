"""Markdown for job summaries and comments: the totals, and a table of the findings.

Text from the scanned tree stays text: no link, image, HTML, mention or reference to an issue.
GitHub takes 1 MiB a step: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fdlint.core.finding import Finding
from fdlint.report.findings.finding import Report, Skipped
from fdlint.report.order import costliest_first
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import NEW, gone, states
from fdlint.report.summary import costly, count, hidden, rated, silenced, summary, trend

_ROOM = 900_000
"""The bytes for the tables. GitHub's limit is for all output of an action's steps."""
_PLAIN = re.compile(r"[^A-Za-z0-9\s.,;()/=+'-]|(?<=\bwww)\.", re.IGNORECASE)
_LINKED = frozenset("@#")


def render(report: Report, _rules: Rulebook) -> str:
    """Returns the document. New findings come first, then those that cost most. It counts those that have no room."""
    parts = [f"### {_title(report)}", _text(summary(report))]
    if report.trend is not None:
        parts.append(_text(trend(report.trend)))
    if said := silenced(report):
        parts.append(_text(said))
    room = _ROOM
    for head, rule, body, what in _tables(report):
        shown = list(_within(body, room))
        room -= sum(map(_size, shown))
        if shown:
            parts.append("\n".join([head, rule, *shown]))
        if rest := len(body) - len(shown):
            parts.append(f"{count(rest, what)} more than fit here: see the other reports.")
    if said := hidden(report):
        parts.append(_text(said))
    return "\n\n".join(parts)


def _title(report: Report) -> str:
    number = len(report.findings)
    return f"fdlint: {number:,} finding{'' if number == 1 else 's'}" if number else "fdlint: no findings"


def _tables(report: Report) -> Iterator[tuple[str, str, list[str], str]]:
    """Yields the two lines of a table's head, its rows, and what one of them is."""
    state = states(report)
    found = sorted(costliest_first(report.findings), key=lambda one: state.get(one) != NEW)
    head, rule = "| Rule | Severity | Where | Finding |", "|---|---|---|---|"
    columns = [(one.span.path, _row(one)) for one in found]
    rows = [row for _, row in columns]
    if report.owners:
        head, rule = f"{head} Owner |", f"{rule}---|"
        rows = [f"{row} {_text(' '.join(report.owners.get(path, ())))} |" for path, row in columns]
    if state:
        head, rule = f"| State {head}", f"|---{rule}"
        rows = [f"| {state[one]} {row}" for one, row in zip(found, rows, strict=True)]
    yield head, rule, rows, "finding"
    yield (
        "| Fixed | Severity | Where it was | Finding |",
        "|---|---|---|---|",
        [_row(one) for one in gone(report)],
        "fixed finding",
    )
    yield "| Not checked in full | Why |", "|---|---|", [_skipped(one) for one in report.skipped], "file"


def _row(finding: Finding) -> str:
    where = f"{finding.span.path}:{finding.span.line}"
    rule = f"{finding.code} {finding.name}"
    level = ", ".join(filter(None, [finding.severity.value, rated(finding), costly(finding)]))
    return f"| {rule} | {level} | {_code(where)} | {_message(finding.message)} |"


def _skipped(entry: Skipped) -> str:
    return f"| {_code(entry.path)} | {_text(entry.reason)} |"


def _within(rows: Iterable[str], room: int) -> Iterator[str]:
    for row in rows:
        room -= _size(row)
        if room < 0:
            return
        yield row


def _size(row: str) -> int:
    return len(row.encode(errors="replace")) + 1


def _message(text: str) -> str:
    """Formats a message of fdlint, which has code between backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _text(text)
    return "".join(_code(part) if number % 2 else _text(part) for number, part in enumerate(parts))


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _text(text: str) -> str:
    """Writes characters with a meaning in Markdown or HTML as numbers. A comment after ``@`` and ``#`` prevents GitHub
    from turning the following text into links."""
    return _PLAIN.sub(_spelled, printable(text))


def _spelled(found: re.Match[str]) -> str:
    character = found[0]
    if ord(character) > 0x7F:
        return character
    return f"&#{ord(character)};{'<!-- -->' if character in _LINKED else ''}"
