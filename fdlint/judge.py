"""Facts to findings: every rule is asked, and of the leak rules that hold for one acquiring call the first is said."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fdlint.checks import all_rules
from fdlint.checks.rule import Rule, Verdict
from fdlint.facts import Acquisition, Fact
from fdlint.finding import Finding


def findings(facts: Iterable[Fact], lines: Sequence[str]) -> list[Finding]:
    """The findings for one file's facts; ``lines`` is its text."""
    by_call: dict[object, list[Acquisition]] = defaultdict(list)
    said: list[Finding] = []
    for fact in facts:
        if isinstance(fact, Acquisition):
            by_call[(fact.span, fact.function)].append(fact)
        else:
            verdicts = ((loaded.rule, loaded.judge(fact)) for loaded in all_rules())
            said.extend(_finding(rule, fact, verdict) for rule, verdict in verdicts if verdict is not None)
    said.extend(found for group in by_call.values() if (found := _judge(group)) is not None)
    said.sort(key=lambda finding: (finding.span, finding.code))
    return _with_fingerprints(said, lines)


def _judge(group: Sequence[Acquisition]) -> Finding | None:
    """The first rule that holds for any descriptor of one call; of a pair that shares its fate, both are named."""
    held = [(loaded, acquisition) for acquisition in group for loaded in all_rules() if loaded.judge(acquisition)]
    if not held:
        return None
    loaded, acquisition = min(held, key=lambda pair: pair[0].rule.rank)
    names = [one.variable for rule, one in held if rule is loaded and one.variable is not None]
    if len(set(names)) > 1:
        acquisition = replace(acquisition, variable="` and `".join(dict.fromkeys(names)), shared=True)
    verdict = loaded.judge(acquisition)
    assert verdict is not None
    return _finding(loaded.rule, acquisition, verdict)


def _finding(rule: Rule, fact: Fact, verdict: Verdict) -> Finding:
    return Finding(
        rule.code, rule.name, rule.severity, fact.span, verdict.message, fact.function, fact.api,
        fingerprint="", trace=verdict.trace,
    )  # fmt: skip


def _with_fingerprints(found: list[Finding], lines: Sequence[str]) -> list[Finding]:
    """Adds to each finding a hash of what stays when lines move: its code, function, API and the text of its line."""
    seen: Counter[str] = Counter()
    result = []
    for finding in found:
        line = lines[finding.span.line - 1].strip() if finding.span.line <= len(lines) else ""
        parts = (finding.code, finding.span.path, finding.function or "", finding.api or "", line)
        text = "\0".join(parts)
        seen[text] += 1
        digest = hashlib.sha256(f"{text}\0{seen[text]}".encode(errors="surrogateescape")).hexdigest()[:16]
        result.append(replace(finding, fingerprint=digest))
    return result
