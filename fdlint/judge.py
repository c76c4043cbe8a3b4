"""Facts to findings: every rule is asked, and of the leak rules that hold for one acquiring call the first is said."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fdlint.checks import all_rules
from fdlint.facts import Acquisition
from fdlint.finding import Finding


def findings(acquisitions: Iterable[Acquisition], lines: Sequence[str]) -> list[Finding]:
    """The findings for one file's acquisitions; ``lines`` is its text."""
    by_call: dict[object, list[Acquisition]] = defaultdict(list)
    for acquisition in acquisitions:
        by_call[(acquisition.span, acquisition.function)].append(acquisition)
    said = [found for group in by_call.values() if (found := _judge(group)) is not None]
    said.sort(key=lambda finding: (finding.span, finding.code))
    return _with_fingerprints(said, lines)


def _judge(group: Sequence[Acquisition]) -> Finding | None:
    """The first rule that holds for any descriptor of one call; of a pair that shares its fate, both are named."""
    held = [(loaded, acquisition) for acquisition in group for loaded in all_rules() if loaded.check(acquisition)]
    if not held:
        return None
    loaded, acquisition = min(held, key=lambda pair: pair[0].rule.rank)
    names = [one.variable for rule, one in held if rule is loaded and one.variable is not None]
    if len(set(names)) > 1:
        acquisition = replace(acquisition, variable="` and `".join(dict.fromkeys(names)), shared=True)
    verdict = loaded.check(acquisition)
    assert verdict is not None
    rule = loaded.rule
    return Finding(
        rule.code, rule.name, rule.severity, acquisition.span, verdict.message, acquisition.function, acquisition.api,
        fingerprint="", trace=verdict.ending.trace,
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
