"""Facts to findings: every rule is asked, and of the leak rules that hold for one acquiring call the first is said."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fdlint.checks import all_rules
from fdlint.checks.rule import Rule, Verdict
from fdlint.domain.facts import Fact, Lifetime, Overwriting
from fdlint.findings.finding import Claim, Finding, fingerprint_of

KEPT = "FD108"


def findings(facts: Iterable[Fact], lines: Sequence[str]) -> tuple[list[Finding], list[Claim]]:
    """The findings for one file's facts, and those that hold only if no other file refutes them; ``lines`` is its
    text."""
    by_call: dict[object, list[Lifetime]] = defaultdict(list)
    said: list[tuple[Finding, Claim | None]] = []
    for fact in facts:
        if isinstance(fact, Lifetime):
            by_call[(fact.span, fact.function)].append(fact)
        else:
            verdicts = ((loaded.rule, loaded.judge(fact)) for loaded in all_rules())
            for rule, verdict in verdicts:
                if verdict is not None:
                    found = _finding(rule, fact, verdict)
                    said.append(
                        (found, _claim(found, fact) if isinstance(fact, Overwriting) and not fact.certain else None)
                    )
    for group in by_call.values():
        judged = _judge(group)
        if judged is not None:
            said.append((judged, _claim_of(judged, group)))
    said.sort(key=lambda pair: (pair[0].span, pair[0].code))
    marked = _with_fingerprints([finding for finding, _ in said], lines)
    certain = [finding for finding, (_, claim) in zip(marked, said, strict=True) if claim is None]
    claims = [
        replace(claim, finding=finding, otherwise=_marked(claim.otherwise, lines))
        for finding, (_, claim) in zip(marked, said, strict=True)
        if claim is not None
    ]
    return certain, claims


def _marked(finding: Finding | None, lines: Sequence[str]) -> Finding | None:
    return _with_fingerprints([finding], lines)[0] if finding is not None else None


def _claim(finding: Finding, fact: Overwriting) -> Claim:
    return Claim(finding, frozenset({fact.attribute.rpartition(".")[2]}), fact.relatives)


def _claim_of(finding: Finding, group: Sequence[Lifetime]) -> Claim | None:
    """The claim that an attribute is never closed; without it, the next best rule holds for the call."""
    keeping = [fact.kept for fact in group if fact.kept is not None]
    if finding.code != KEPT or not keeping:
        return None
    words = frozenset(word for kept in keeping for word in kept.attribute.split(".")[1:])
    relatives = frozenset[str]().union(*(kept.relatives for kept in keeping))
    otherwise = _judge([replace(fact, kept=None) for fact in group])
    return Claim(finding, words, relatives, otherwise)


def _judge(group: Sequence[Lifetime]) -> Finding | None:
    """The first rule that holds for any descriptor of one call; of a pair that shares its fate, both are named."""
    held = [(loaded, lifetime) for lifetime in group for loaded in all_rules() if loaded.judge(lifetime)]
    if not held:
        return None
    loaded, lifetime = min(held, key=lambda pair: pair[0].rule.rank)
    names = [one.variable for rule, one in held if rule is loaded and one.variable is not None]
    if len(set(names)) > 1:
        lifetime = replace(lifetime, variable="` and `".join(dict.fromkeys(names)), shared=True)
    verdict = loaded.judge(lifetime)
    assert verdict is not None
    return _finding(loaded.rule, lifetime, verdict)


def _finding(rule: Rule, fact: Fact, verdict: Verdict) -> Finding:
    return Finding(
        rule.code, rule.name, rule.severity, fact.span, verdict.message, fact.function, fact.api,
        fingerprint="", trace=verdict.trace,
    )  # fmt: skip


def judged(found: Sequence[Finding], lines: Sequence[str]) -> list[Finding]:
    """Findings that were made elsewhere, as if they had been made here: of the leak rules that hold for one acquiring
    call the first is said, and all have fingerprints."""
    ranks = {loaded.rule.code: loaded.rule.rank for loaded in all_rules() if loaded.rule.about is Lifetime}
    by_call: dict[tuple[int, int], list[Finding]] = defaultdict(list)
    kept = []
    for finding in found:
        if finding.code in ranks:
            by_call[finding.span.line, finding.span.column].append(finding)
        else:
            kept.append(finding)
    kept.extend(min(group, key=lambda one: ranks[one.code]) for group in by_call.values())
    return _with_fingerprints(sorted(kept, key=lambda one: (one.span, one.code)), lines)


def _with_fingerprints(found: list[Finding], lines: Sequence[str]) -> list[Finding]:
    """Adds to each finding hashes of what stays when lines move: its code, function, API and the text of its line."""
    seen: Counter[tuple[str, ...]] = Counter()
    texts: dict[int, str] = {}  # one line can be very long and have very many findings: it is gone through once
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
