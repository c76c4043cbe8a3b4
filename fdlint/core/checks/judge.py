"""Turns facts into findings. Every rule judges every fact; of the leak rules that hold for one acquiring call, only the
first is reported."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fdlint.core.checks import all_rules
from fdlint.core.checks.confidence import lowest
from fdlint.core.checks.cost import cost_of, leaves, until_return
from fdlint.core.checks.endings import is_shown
from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import GIVEN_AWAY, Fact, Lifetime, Overwriting, Rebuilding
from fdlint.core.domain.typestate import Mark
from fdlint.core.finding import Claim, Confidence, Cost, Finding, Holding, Repeated, Severity, fingerprint_of

_IN_DOUBT = frozenset({Event.GIVEN, Event.PASSED, Event.EXCUSED, Event.PICKED, Event.FINALIZED, Event.FORKED})


def findings(facts: Iterable[Fact], lines: Sequence[str], language: str = "") -> tuple[list[Finding], list[Claim]]:
    """Returns the findings for one file's facts, and those that hold only if no other file refutes them. ``lines`` is
    the file's text, ``language`` the key of its language."""
    by_call: dict[object, list[Lifetime]] = defaultdict(list)
    found: list[tuple[Finding, Claim | None]] = []
    for fact in facts:
        if isinstance(fact, Lifetime):
            by_call[(fact.span, fact.function)].append(fact)
        else:
            verdicts = ((loaded.rule, loaded.judge(fact)) for loaded in all_rules())
            found.extend(_found(rule, fact, [verdict]) for rule, verdict in verdicts if verdict is not None)
    found = _without_unnamed(found)
    found.extend(filter(None, map(_judge, by_call.values())))
    found.sort(key=lambda pair: (pair[0].span, pair[0].code))
    marked = _with_fingerprints([replace(finding, language=language) for finding, _ in found], lines)
    certain = [finding for finding, (_, claim) in zip(marked, found, strict=True) if claim is None]
    claims = [
        replace(claim, finding=finding, otherwise=_otherwise(claim, finding, lines))
        for finding, (_, claim) in zip(marked, found, strict=True)
        if claim is not None
    ]
    return certain, claims


def _without_unnamed(found: list[tuple[Finding, Claim | None]]) -> list[tuple[Finding, Claim | None]]:
    """Leaves out what is also said of a descriptor whose acquiring call is known: one statement is one mistake."""
    named = {(finding.code, finding.span) for finding, _ in found if finding.api is not None}
    return [pair for pair in found if pair[0].api is not None or (pair[0].code, pair[0].span) not in named]


def _otherwise(claim: Claim, marked: Finding, lines: Sequence[str]) -> Finding | None:
    """Returns the finding that holds if a claim is refuted, with its fingerprint: the same defect has the same one."""
    if claim.otherwise is None:
        return None
    if claim.programs:
        alike = replace(claim.otherwise, fingerprint=marked.fingerprint, likeness=marked.likeness)
    else:
        alike = _with_fingerprints([claim.otherwise], lines)[0]
    return replace(alike, language=marked.language)


def _judge(group: Sequence[Lifetime], without: frozenset[str] = frozenset()) -> tuple[Finding, Claim | None] | None:
    """Returns the finding of the first rule that holds for any descriptor of one call, with low confidence only if all
    that hold have it. It names both descriptors of a
    pair with the same fate. ``without``: codes of rules to skip, because another file refutes them; then the next rule
    counts."""
    held = [
        (loaded, lifetime, verdict)
        for lifetime in group
        for loaded in all_rules()
        if loaded.rule.code not in without and (verdict := loaded.judge(lifetime)) is not None
    ]
    if not held:
        return None
    loaded, lifetime, first = min(held, key=lambda one: _order(_is_hidden(one[2]), one[0].rule.rank))
    hidden = _is_hidden(first)
    alike = [one for rule, one, verdict in held if rule is loaded and _is_hidden(verdict) is hidden]
    names = [one.variable for one in alike if one.variable is not None]
    if len(set(names)) > 1:
        lifetime = replace(lifetime, variable="` and `".join(dict.fromkeys(names)), shared=True)
    shown = loaded.judge(lifetime)
    assert shown is not None
    others = [verdict for rule, _, verdict in held if rule is loaded]
    finding, claim = _found(loaded.rule, lifetime, [shown, *others])
    finding = replace(finding, holding=_holding(event for one in group for event in one.events))
    if claim is not None:
        rest = _judge(group, without | {loaded.rule.code})
        claim = replace(claim, finding=finding, otherwise=rest[0] if rest is not None else None)
    return finding, claim


def _is_hidden(verdict: Verdict) -> bool:
    """Whether a verdict is not certain or not frequent enough to be reported by default."""
    return verdict.confidence is Confidence.LOW or (verdict.ending is not None and not is_shown(verdict.ending))


def _order(hidden: bool, rank: int) -> tuple[bool, int]:
    """Returns the key by which the finding of a call is chosen: one that is hidden by default comes last."""
    return hidden, rank


def _found(rule: Rule, fact: Fact, verdicts: Sequence[Verdict]) -> tuple[Finding, Claim | None]:
    """Returns the finding for the first of the verdicts, and the claim that other files could refute."""
    finding = _finding(rule, fact, verdicts[0])
    if verdicts[0].where_inherited:
        otherwise = _finding(rule, fact, replace(verdicts[0], harmless=""))
        importers = verdicts[0].by_importers
        return finding, Claim(finding, frozenset(), frozenset(), otherwise, programs=True, importers=importers)
    names = frozenset[str]().union(*(one.names for one in verdicts))
    relatives = frozenset[str]().union(*(one.relatives for one in verdicts))
    return finding, Claim(finding, names, relatives) if names else None


def _finding(rule: Rule, fact: Fact, verdict: Verdict) -> Finding:
    collected = _is_finalized(fact)
    severity = Severity.WARNING if collected else rule.severity
    return Finding(
        rule.code, rule.name, severity, fact.span, verdict.message, fact.function, fact.api,
        fingerprint="", trace=verdict.trace, causes=verdict.causes, assumptions=verdict.assumptions,
        confidence=lowest(rule.at_most, verdict.confidence),
        impact=cost_of(rule, fact, verdict), leaves=leaves(fact, verdict), until_return=until_return(verdict),
        collected=collected, counts=fact.counts if isinstance(fact, Rebuilding) else Repeated.IN_ANY_CASE,
    )  # fmt: skip


def _holding(events: Iterable[Mark]) -> Holding:
    """Returns who can hold descriptors with these events."""
    seen = set(events)
    if seen & (_IN_DOUBT - {Event.FINALIZED}):
        return Holding.UNKNOWN
    if Event.FINALIZED in seen:
        return Holding.UNKNOWN if seen & GIVEN_AWAY else Holding.COLLECTED
    return Holding.GIVES if seen & GIVEN_AWAY else Holding.SOLE


def _is_finalized(fact: Fact) -> bool:
    """Whether an object owns what is lost: its finalizer will close it, but nobody knows when."""
    return isinstance(fact, (Lifetime, Overwriting)) and fact.finalized


def judged(found: Sequence[Finding], lines: Sequence[str]) -> list[Finding]:
    """Treats findings from other files like our own. Of several leak rules for one acquiring call the first is
    reported, and every finding gets a fingerprint."""
    ranks = {loaded.rule.code: loaded.rule.rank for loaded in all_rules() if loaded.rule.about is Lifetime}
    by_call: dict[tuple[int, int], list[Finding]] = defaultdict(list)
    kept = []
    for finding in found:
        if finding.code in ranks:
            by_call[finding.span.line, finding.span.column].append(finding)
        else:
            kept.append(finding)
    kept.extend(min(group, key=lambda one: _order(_is_low(one), ranks[one.code])) for group in by_call.values())
    return _with_fingerprints(sorted(kept, key=lambda one: (one.span, one.code)), lines)


def _is_low(finding: Finding) -> bool:
    return finding.confidence is Confidence.LOW or finding.impact.cost is Cost.LOW


def _with_fingerprints(found: list[Finding], lines: Sequence[str]) -> list[Finding]:
    """Adds fingerprints: hashes of the parts that stay when lines move, which are code, function, API and the line's
    text."""
    seen: Counter[tuple[str, ...]] = Counter()
    texts: dict[int, str] = {}  # one line can be very long and have many findings, so it is read once
    hashes = {}
    result = []
    for finding in found:
        number = finding.span.line
        if number not in texts:
            texts[number] = lines[number - 1].strip() if number <= len(lines) else ""
        parts = (finding.code, finding.span.path, finding.function or "", finding.api or "", texts[number])
        if parts not in seen:
            pathless = "\0".join((finding.code, *parts[2:], ""))
            hashes[parts] = hashlib.sha256(pathless.encode(errors="surrogateescape"))
        seen[parts] += 1
        hashed = hashes[parts].copy()
        hashed.update(str(seen[parts]).encode())
        likeness = hashed.hexdigest()[:16]
        fingerprint = fingerprint_of(finding.span.path, likeness)
        result.append(replace(finding, fingerprint=fingerprint, likeness=likeness))
    return result
