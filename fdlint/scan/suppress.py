"""Applies the comments that silence findings, and finds those that silence nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fdlint.core.finding import Finding, Unused
from fdlint.report.findings.finding import Suppression

_PREFIX = "FD"


@dataclass(frozen=True, slots=True)
class Silenced:
    """The remaining findings of a file, the unused comments, the findings that comments hide, and those that are part
    of others. ``beyond``: those that nothing but the reader's levels hide."""

    findings: tuple[Finding, ...]
    unused: tuple[Unused, ...] = ()
    hidden: tuple[Finding, ...] = ()
    absorbed: tuple[Finding, ...] = ()
    beyond: tuple[Finding, ...] = ()


def silence(
    findings: Sequence[Finding],
    comments: Sequence[Suppression],
    codes: Iterable[str],
    *,
    ignored: Callable[[str], bool] = lambda _code: False,
    noqa: bool = True,
) -> Silenced:
    """Applies a file's comments to all of its findings, whether they are reported or not: whether a comment is used
    does not depend on the selection.

    ``codes``: all codes. ``ignored``: whether a code is ignored explicitly; its comment does not count as unused.
    ``noqa`` False: flake8 applies ``# noqa`` itself, so such a comment silences nothing here, but counts as used.
    """
    known = frozenset(codes)
    used: dict[Suppression, set[str]] = {comment: set() for comment in comments}
    left: list[Finding] = []
    hidden: list[Finding] = []
    for finding in findings:
        by = [comment for comment in comments if _covers(comment, finding)]
        for comment in by:
            used[comment] |= {code for code in comment.codes if finding.code.startswith(code)} or {"*"}
        (hidden if any(noqa or comment.own for comment in by) else left).append(finding)
    unused = (_unused(comment, used[comment], known, ignored) for comment in comments)
    return Silenced(tuple(left), tuple(one for one in unused if one is not None), tuple(hidden))


def _covers(comment: Suppression, finding: Finding) -> bool:
    last = comment.span.line
    here = comment.whole_file or (finding.span.line <= last and (comment.since or last) <= finding.span.end_line)
    return here and not comment.unknown and (not comment.codes or finding.code.startswith(tuple(comment.codes)))


def _unused(
    comment: Suppression, used: set[str], known: frozenset[str], ignored: Callable[[str], bool]
) -> Unused | None:
    if comment.unknown is not None:
        why = f"`fdlint: {comment.unknown}` is not understood"
        return Unused(comment.span, why, frozenset(), frozenset(), understood=False)
    if not comment.codes:
        said = comment.own and not used and not comment.whole_file
        return Unused(comment.span, "nothing is found here", frozenset(), frozenset()) if said else None
    own = {code for code in comment.codes if comment.own or code.startswith(_PREFIX)}
    strange = {code for code in own if not any(one.startswith(code) for one in known)}
    idle = {code for code in own - used - strange if not any(ignored(one) for one in known if one.startswith(code))}
    reasons = [f"there is no rule {_listed(strange)}"] if strange else []
    reasons += [f"{_listed(idle)} is not found here"] if idle else []
    idle |= strange
    return Unused(comment.span, ", and ".join(reasons), frozenset(idle), comment.codes - idle) if idle else None


def _listed(codes: Iterable[str]) -> str:
    return ", ".join(sorted(codes))
