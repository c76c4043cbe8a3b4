"""Facts to findings, and to claims that hold only if no other file refutes them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fdlint.core.checks import LoadedRule
from fdlint.core.checks.judge import findings
from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.domain.facts import Death, Ending, Keeping, Lifetime, Overwriting, Staleness
from fdlint.core.finding import Event, EventKind, Severity, Span

HERE = Span("a.py", 3, 10, 3, 20)
THERE = Span("a.py", 7, 9, 7, 22)
STORY = (Event(EventKind.ACQUIRED, HERE, "acquired here"),)
LINES = [f"line {number}" for number in range(1, 9)]
FAMILY = frozenset({"Box", "Crate"})
OVERWRITING = Overwriting("self._fd", "Box.close", THERE, "os.open", trace=STORY, relatives=FAMILY)
STALENESS = Staleness("self._fd", "Box.close", THERE, "os.open", again="__del__", raised=False, trace=STORY)


def acquired(*deaths: Death, released: bool = True, attribute: str | None = None) -> Lifetime:
    """One acquisition that was lost in these ways; ``attribute`` has it for good."""
    endings = tuple(Ending(death, frozenset(), STORY) for death in deaths)
    kept = Keeping(attribute, "Box", STORY, FAMILY) if attribute is not None else None
    return Lifetime("os.open", "Box.fill", HERE, attribute or "fd", False, released, endings, kept=kept)


def test_a_rule_is_asked_only_about_its_kind_of_fact() -> None:
    lost = acquired(Death.RETURN, released=False)
    certain, claims = findings([STALENESS, OVERWRITING, lost], LINES)
    assert [(one.code, one.span.line) for one in certain] == [("FD101", 3), ("FD204", 7)]
    assert [(one.finding.code, one.finding.span.line) for one in claims] == [("FD105", 7)]


def test_what_an_attribute_lost_is_a_claim_about_its_last_name() -> None:
    record = replace(OVERWRITING, attribute="self.files.reader")
    certain, (claim,) = findings([record], LINES)
    assert not certain
    assert (claim.words, claim.relatives, claim.otherwise) == (frozenset({"reader"}), FAMILY, None)


def test_a_global_is_a_claim_about_its_own_name() -> None:
    of_module = replace(OVERWRITING, attribute="_lock", function="unlock", relatives=frozenset())
    _, (claim,) = findings([of_module], LINES)
    assert (claim.words, claim.relatives) == (frozenset({"_lock"}), frozenset())


def test_what_is_never_closed_is_a_claim_about_every_name_on_the_way() -> None:
    _, (claim,) = findings([acquired(attribute="self.files.reader")], LINES)
    assert (claim.words, claim.relatives) == (frozenset({"files", "reader"}), FAMILY)


def test_what_is_closed_elsewhere_is_judged_by_the_next_rule() -> None:
    certain, (claim,) = findings([acquired(Death.EXCEPTION, attribute="self._fd")], LINES)
    assert not certain
    assert claim.finding.code == "FD108"
    assert claim.otherwise is not None
    assert claim.otherwise.code == "FD103"
    assert claim.otherwise.span == claim.finding.span


def test_nothing_is_said_otherwise_where_no_other_rule_holds() -> None:
    _, (claim,) = findings([acquired(attribute="self._fd")], LINES)
    assert claim.otherwise is None


def test_a_stronger_rule_leaves_no_claim() -> None:
    certain, claims = findings([acquired(Death.REBOUND, attribute="self._fd")], LINES)
    assert [one.code for one in certain] == ["FD106"]
    assert not claims


def test_a_claim_has_its_fingerprint_and_so_has_what_is_said_otherwise() -> None:
    _, (claim,) = findings([acquired(Death.EXCEPTION, attribute="self._fd")], LINES)
    assert claim.otherwise is not None
    assert claim.finding.fingerprint
    assert claim.otherwise.fingerprint
    assert claim.finding.fingerprint != claim.otherwise.fingerprint


def test_a_pair_that_is_kept_is_named_together() -> None:
    pair = [acquired(attribute="self._reader"), acquired(attribute="self._writer")]
    _, (claim,) = findings(pair, LINES)
    assert claim.finding.message.startswith("each of `self._reader` and `self._writer` from os.open() is kept in")
    assert claim.words == frozenset({"_reader", "_writer"})


def test_each_rule_that_others_may_refute_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else two of them would take turns without end."""

    def loaded(code: str, rank: int) -> LoadedRule:
        verdict = Verdict(STORY, code, frozenset({"_fd"}))
        return LoadedRule(Rule(code, code.lower(), Severity.ERROR, rank, cwe=None), "", lambda _: verdict)

    rules = (loaded("FD991", 1), loaded("FD992", 2))
    monkeypatch.setattr("fdlint.core.checks.judge.all_rules", lambda: rules)
    certain, (claim,) = findings([acquired(Death.RETURN)], LINES)
    assert not certain
    assert (claim.finding.code, claim.otherwise and claim.otherwise.code) == ("FD991", "FD992")
