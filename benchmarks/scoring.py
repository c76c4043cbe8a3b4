"""Compares a tool's findings with the labels of the corpus."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labels import Corpus, Judged, Pair, Site, Tree

NEAR = 1
"""A finding may be this many lines away from a pair's line; a statement of several lines has several first lines."""

PYTHON2 = "(in Python 2, not in the sum)"
"""The row for pairs in files that today's Python cannot parse."""

ASSUMES = "assumes "
"""Begins the rows that count findings with an assumption of a kind."""

MEASURED = 20
"""So many labelled findings are a measurement."""

PEDANTIC = frozenset({"FD205"})
"""The rules that fdlint does not show without an option."""

UNLIKELY = "exception-leak, unlikely"
"""The row for sites that leak only if a call fails that hardly ever does: silence is right, and so is a warning."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of any tool. ``places`` are its line and those of its trace. ``assumed``: the kinds of what it takes
    for granted. ``shown``: the tool shows it without an option."""

    path: str
    line: int
    rule: str
    severity: str
    confidence: str
    function: str
    places: frozenset[tuple[str, int]]
    assumed: frozenset[str] = frozenset()
    shown: bool = True

    @property
    def family(self) -> str:
        """What the rule is about: ``any`` for the rules of other tools."""
        found = re.fullmatch(r"FD(\d)\d\d", self.rule)
        return {"1": "leak", "2": "misuse", "3": "inheritable", "4": "workers"}.get(found[1] if found else "", "any")

    def about(self, family: str) -> bool:
        """Whether the rule is about this family of defects."""
        return self.family in (family, "any")

    def touches(self, path: str, line: int, near: int, trace: bool = True) -> bool:
        """Whether the finding's line, or one of its trace, is at most ``near`` lines from a place."""
        places = self.places if trace else {(self.path, self.line)}
        return any(where == path and abs(at - line) <= near for where, at in places)


Found = Mapping[Tree, Sequence[Finding]]
"""The findings in each tree that was scanned."""


def report(text: str, root: str = "") -> list[Finding]:
    """The findings of fdlint's JSON output or of a SARIF log. Paths below ``root`` become relative to it."""
    document = json.loads(text)
    if "runs" in document:
        return [_from_sarif(one, root) for run in document["runs"] for one in run.get("results") or ()]
    return [_from_json(one) for one in document["findings"]]


def by_tree(findings: Iterable[Finding], trees: Iterable[Tree]) -> dict[Tree, list[Finding]]:
    """Divides findings whose paths begin with the directories of trees, as ``accuracy.py --export`` names them."""
    found: dict[Tree, list[Finding]] = {tree: [] for tree in trees}
    names = {tree.directory: tree for tree in found}
    for one in findings:
        for name in {part for part in one.path.split("/") if part in names}:
            start = one.path.index(name) + len(name) + 1
            places = frozenset((where[start:], line) for where, line in one.places if where[: start - 1].endswith(name))
            found[names[name]].append(
                Finding(one.path[start:], one.line, one.rule, one.severity, one.confidence, one.function, places)
            )
    return found


@dataclass(frozen=True, slots=True)
class Scores:
    """The counts of everything that was scored, as tables: row -> column -> count."""

    pairs: dict[str, Counter[str]]
    sites: dict[str, Counter[str]]
    at_sites: dict[str, Counter[str]]
    verdicts: dict[str, Counter[str]]
    reported: dict[str, Counter[str]]
    details: list[str]


def score(corpus: Corpus, found: Found) -> Scores:
    """Scores the rows whose trees were scanned."""
    details: list[str] = []
    pairs: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in corpus.pairs:
        if pair.before in found and pair.after in found:
            outcome = _pair(pair, found)
            pairs[PYTHON2 if pair.python2 else pair.kind][outcome] += 1
            details.append(f"pair {outcome:12} {pair.id} {pair.path}:{pair.line} {pair.kind}")
    sites: dict[str, Counter[str]] = defaultdict(Counter)
    at_sites: dict[str, Counter[str]] = defaultdict(Counter)
    for site in corpus.sites:
        if site.tree in found and site.label != "unclear":
            hits = [one for one in found[site.tree] if _hits_site(one, site)]
            outcome = _site(hits)
            sites[UNLIKELY if site.unlikely else site.label][outcome] += 1
            for one in hits:
                _count(at_sites, one, "false" if site.label == "ok" else "harmless" if site.unlikely else "true")
            details.append(f"site {site.label:15} {outcome:12} {site.tree.repository} {site.path}:{site.line}")
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    reported: dict[str, Counter[str]] = defaultdict(Counter)
    for row in corpus.verdicts:
        if row.tree in found:
            same = [one for one in found[row.tree] if _same(one, row)]
            if same:
                _count(verdicts, same[0], row.verdict)
            outcome = "silent" if not same else "reported" if any(one.shown for one in same) else "hidden"
            reported[row.verdict][outcome] += 1
            details.append(f"verdict {row.verdict:8} {outcome} {row.code} {row.tree.repository} {row.path}:{row.line}")
    return Scores(pairs, sites, at_sites, verdicts, reported, details)


def calibration_table(scores: Scores) -> str:
    """How often findings that assume something were right (true or harmless), and the level which that allows."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for table_ in (scores.verdicts, scores.at_sites):
        for name, one in table_.items():
            if name.startswith(ASSUMES):
                counts[name.removeprefix(ASSUMES)].update(one)
    lines = []
    for name, one in sorted(counts.items()):
        right, every = one["true"] + one["harmless"], one.total()
        lines.append((f"`{name}`", right, one["false"], share(right, every), _allowed(right, every)))
    return table(("assumption", "right", "wrong", "right", "level"), lines)


def _allowed(right: int, every: int) -> str:
    """The level that labelled findings allow. Few of them are no measurement."""
    if 100 * right < 80 * every and every >= MEASURED:
        return "low"
    return "high" if 100 * right >= 95 * every and every >= MEASURED else "medium"


def share(part: int, whole: int) -> str:
    """A percentage, or a dash if there is nothing to divide by."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


def table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; the first column is text, the others are numbers."""
    ruler = "|---|" + "---:|" * (len(head) - 1)
    return "\n".join(["| " + " | ".join(map(str, line)) + " |" for line in (head,)] + [ruler] + _rows(lines))


def pair_table(scores: Scores) -> str:
    """How many pairs of each kind were caught before the fix, and are clean after it."""
    lines = [(kind, *_pair_numbers(counts)) for kind, counts in sorted(scores.pairs.items())]
    total = sum((counts for kind, counts in scores.pairs.items() if kind != PYTHON2), Counter[str]())
    return table(("kind", "pairs", "caught", "share", "silent after the fix"), [*lines, ("all", *_pair_numbers(total))])


def site_table(scores: Scores) -> str:
    """What was reported at the sites of each label."""
    lines = []
    for label, counts in sorted(scores.sites.items()):
        every = counts.total()
        lines.append((label, every, counts["error"], counts["warning"], counts["silent"], _right(label, counts, every)))
    return table(("label", "sites", "error", "warning", "silent", "right"), lines)


def reported_table(scores: Scores) -> str:
    """How many of the findings of each verdict are reported now, and how many of them without an option."""
    lines = []
    for verdict, counts in sorted(scores.reported.items(), reverse=True):
        every, shown = counts.total(), counts["reported"]
        now = shown + counts["hidden"]
        lines.append((verdict, every, now, share(now, every), shown, share(shown, now)))
    return table(("verdict", "findings", "reported now", "share", "by `regular`", "of those"), lines)


def precision_table(counts: Mapping[str, Counter[str]], keep: Callable[[str], bool]) -> str:
    """The precision of each rule or level: true findings of all that are true or false."""
    lines = []
    for name, one in sorted(counts.items()):
        if keep(name):
            judged = one["true"] + one["false"]
            with_harmless = share(one["true"] + one["harmless"], judged + one["harmless"])
            lines.append((name, one["true"], one["harmless"], one["false"], share(one["true"], judged), with_harmless))
    return table(("", "true", "harmless", "false", "precision", "not false"), lines)


def _rows(lines: Iterable[Sequence[object]]) -> list[str]:
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def _pair_numbers(counts: Counter[str]) -> tuple[int, int, str, str]:
    caught = counts["caught"] + counts["still flagged"]
    return counts.total(), caught, share(caught, counts.total()), share(counts["caught"], caught)


def _right(label: str, counts: Counter[str], every: int) -> str:
    if label == UNLIKELY:
        return "–"
    if label == "ok":
        return share(counts["silent"], every)
    return share(counts["error"] + (counts["warning"] if label == "exception-leak" else 0), every)


def _pair(pair: Pair, found: Found) -> str:
    before = [
        one
        for one in found[pair.before]
        if one.about(pair.family) and one.touches(pair.path, pair.line, NEAR) and one.path == pair.path
    ]
    if not before:
        return "missed"
    kinds = {(one.rule, one.function) for one in before}

    def alike(tree: Tree) -> int:
        return sum((one.rule, one.function) in kinds and one.path == pair.path for one in found[tree])

    return "caught" if alike(pair.after) < alike(pair.before) else "still flagged"


def _hits_site(one: Finding, site: Site) -> bool:
    family = "misuse" if site.label == "misuse" else "leak"
    return one.about(family) and one.touches(site.path, site.line, 0, trace=site.label not in ("ok", "unclear"))


def _site(hits: Sequence[Finding]) -> str:
    if any(one.severity == "error" for one in hits):
        return "error"
    return "warning" if hits else "silent"


def _same(one: Finding, row: Judged) -> bool:
    family = {"1": "leak", "2": "misuse", "3": "inheritable", "4": "workers"}[row.code[2]]
    same_rule = one.rule == row.code or one.family == "any" or (one.family == family == "leak")
    return same_rule and one.touches(row.path, row.line, 0, trace=False)


def _count(counts: dict[str, Counter[str]], one: Finding, verdict: str) -> None:
    counts[one.rule][verdict] += 1
    if one.confidence:
        counts[f"confidence {one.confidence}"][verdict] += 1
    counts[f"severity {one.severity}"][verdict] += 1
    for kind in one.assumed or {"nothing"}:
        counts[f"{ASSUMES}{kind}"][verdict] += 1


def _from_json(one: dict[str, Any]) -> Finding:
    path = one["path"].removeprefix("./")
    trace = {(event["path"].removeprefix("./"), event["line"]) for event in one.get("trace", ())}
    function = one.get("function") or ""
    confidence = one.get("confidence") or ""
    places = frozenset({(path, one["line"]), *trace})
    assumed = frozenset(each["kind"] for each in one.get("assumptions", ()))
    shown = confidence != "low" and (one.get("impact") or {}).get("level") != "low" and one["code"] not in PEDANTIC
    return Finding(path, one["line"], one["code"], one["severity"], confidence, function, places, assumed, shown)


def _from_sarif(one: dict[str, Any], root: str) -> Finding:
    where = [_place(location, root) for location in one.get("locations") or ()] or [("", 0)]
    steps = [
        _place(step.get("location") or {}, root)
        for flow in one.get("codeFlows") or ()
        for thread in flow.get("threadFlows") or ()
        for step in thread.get("locations") or ()
    ]
    names = [name for location in one.get("locations") or () for name in location.get("logicalLocations") or ()]
    function = next((name.get("fullyQualifiedName") or name.get("name") or "" for name in names), "")
    level = "warning" if one.get("level", "warning") in ("warning", "note", "none") else "error"
    confidence = str((one.get("properties") or {}).get("confidence") or "")
    (path, line), rule = where[0], str(one.get("ruleId") or "")
    return Finding(path, line, rule, level, confidence, function, frozenset([*where, *steps]))


def _place(location: dict[str, Any], root: str) -> tuple[str, int]:
    physical = location.get("physicalLocation") or {}
    uri = str((physical.get("artifactLocation") or {}).get("uri") or "")
    path = uri.removeprefix("file://").removeprefix(f"{root}/").removeprefix("./")
    return path, int((physical.get("region") or {}).get("startLine") or 0)
