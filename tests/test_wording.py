"""The wording of each rule: its message and the sentences of its traces, in every variant, for one example each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from test_cases import CASE_PATH, EVERYTHING, case_files

from fdlint.core.domain.assumption import SENTENCES
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Death
from fdlint.core.domain.typestate import Violation
from fdlint.core.engine.trace import ENDS, loss, message_of
from fdlint.core.finding import AssumptionKind, Confidence, Finding
from fdlint.scan.scan import scan_source

WORDING = sorted((Path(__file__).parent / "wording").glob("*.yml"))
OF_GO = {Event.FINALIZED, Violation.CLOSE_OF_COLLECTED}
ENDS_OF_GO = {Death.DEFERRED}
ELSEWHERE = {AssumptionKind.PATHS_MERGED, AssumptionKind.NAME_TAKES_NOTHING}
"""What only a function with too many paths needs, or one in Go."""


def lines(finding: Finding) -> Iterator[str]:
    where = f"{finding.span.line}:{finding.span.column}"
    doubt = "" if finding.confidence is Confidence.HIGH else f" ({finding.confidence.value} confidence)"
    yield f"{where} {finding.code} {finding.name} {finding.function or '<module>'} | {finding.message}{doubt}"
    yield from (f"  {event.kind.value} {event.span.line}: {event.message}" for event in finding.trace)
    yield from (f"  {one.span.line}: {one.message}" for one in finding.assumptions)


def worded(code: str) -> str:
    report = scan_source(code.encode(), CASE_PATH, EVERYTHING)
    assert not report.skipped
    return "".join(f"{line}\n" for finding in report.findings for line in lines(finding))


@pytest.mark.golden_test("wording/*.yml")
def test_wording(golden) -> None:
    assert [worded(code) for code in golden["code"]] == golden.out["report"]


def test_each_rule_has_its_wording() -> None:
    texts = [path.read_text(encoding="utf-8") for path in case_files()]
    found = {code for text in texts for code in re.findall(r"^- (FD\d+) ", text, re.MULTILINE)}
    assert {path.stem for path in WORDING} == found
    for path in WORDING:
        reports = yaml.safe_load(path.read_text(encoding="utf-8"))["report"]
        assert all(f" {path.stem} " in one for one in reports)


def test_each_sentence_of_a_trace_is_in_an_example() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in WORDING)
    known = [(one, message_of(one, "`.*`")) for one in Event if one not in OF_GO]
    sentences = [message for event, message in known if message != event.value]
    sentences += [one.format(text="`.*`", about=".*") for kind, one in SENTENCES.items() if kind not in ELSEWHERE]
    sentences += [end.message for mark, end in ENDS.items() if mark not in OF_GO]
    sentences += [loss(death).message for death in set(Death) - ENDS_OF_GO]
    patterns = [
        re.escape(one).replace(re.escape("`.*`"), "`.*`").replace(re.escape("{text}"), ".*") for one in sentences
    ]
    assert [one for one in patterns if not re.search(rf"\d: {one}$", text, re.MULTILINE)] == []
