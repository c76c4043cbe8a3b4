"""Code actions: comments that silence a finding, the removal of unused ones, and quick fixes."""

from __future__ import annotations

import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from fdlint.core.checks.fd900_unused_suppression import RULE as UNUSED
from fdlint.core.finding import Finding
from fdlint.editor.text import Text
from fdlint.fixes.alignment import applied
from fdlint.languages.registry import by_key
from fdlint.languages.text import text_of
from fdlint.report.findings.finding import Report


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of one text that ends a finding. ``after``: the new form of each line, as in ``Text.edits``.
    ``preferred``: an editor may apply it without a choice."""

    title: str
    after: Sequence[str]
    preferred: bool = False


Proposer = Callable[[Sequence[str], Report, Finding], Iterable[Proposal]]
"""Proposes changes for one finding of a text, given its lines with their ends, and the report on it."""


def suppressed(lines: Sequence[str], _report: Report, finding: Finding) -> Iterator[Proposal]:
    """Proposes a comment that silences the finding."""
    if finding.code == UNUSED.code:
        return
    add = text_of(by_key(finding.language)).with_ignores
    yield Proposal(f"fdlint: silence {finding.code} on this line", add(lines, [finding]))


def unused_removed(lines: Sequence[str], report: Report, finding: Finding) -> Iterator[Proposal]:
    """Proposes to remove the unused comment that the finding is about."""
    unused = [one for one in report.unused if one.span == finding.span and one.understood]
    without = text_of(by_key(finding.language)).without
    if unused and without is not None:
        yield Proposal("fdlint: remove the unused suppression", without(lines, unused), preferred=True)


def repaired(lines: Sequence[str], report: Report, finding: Finding) -> Iterator[Proposal]:
    """Proposes the proved fixes of the finding. An editor may apply a safe one without a choice."""
    fix = report.fixes.get(finding)
    if fix is not None:
        title = fix.title if fix.safe else f"{fix.title} (unsafe)"
        yield Proposal(f"fdlint: {title}", applied(lines, fix), preferred=fix.safe)


PROPOSERS: tuple[Proposer, ...] = (repaired, unused_removed, suppressed)
"""In the order in which an editor shows them. Quick fixes go first."""


FIX_ALL = "source.fixAll.fdlint"
"""The kind of the action with all safe fixes. Editors apply it when they save, if they are told so."""


def fix_all(uri: str, version: int | None, text: Text, after: Sequence[str]) -> list[types.CodeAction]:
    """Returns the action that gives a text the lines ``after`` all safe fixes; none if nothing changes."""
    if list(after) == list(text.lines):
        return []
    title = "fdlint: apply all safe fixes"
    return [types.CodeAction(title=title, kind=FIX_ALL, edit=_edit(uri, version, text, after))]


def code_actions(
    uri: str, version: int | None, text: Text, report: Report, chosen: Iterable[tuple[Finding, types.Diagnostic]]
) -> list[types.CodeAction]:
    """Returns the actions for some findings of a text, each with its diagnostic."""
    found = []
    for finding, about in chosen:
        for one in _proposals(text.lines, report, finding):
            found.append(
                types.CodeAction(
                    title=one.title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[about],
                    is_preferred=one.preferred or None,
                    edit=_edit(uri, version, text, one.after),
                )
            )
    return found


def _edit(uri: str, version: int | None, text: Text, after: Sequence[str]) -> types.WorkspaceEdit:
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, text.edits(after))])


def _proposals(lines: Sequence[str], report: Report, finding: Finding) -> Iterator[Proposal]:
    """Yields what applies. A line that cannot have a comment gets none."""
    for proposer in PROPOSERS:
        try:
            yield from proposer(lines, report, finding)
        except (ValueError, SyntaxError, tokenize.TokenError):
            continue
