"""Golden cases of ``fdlint doctor``: a tree like /proc, the grades by hand, and the report.

`pytest -n 0 --update-goldens` writes the reports.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from proctree import ON_LINUX, build

from fdlint.runtime.doctor import document, html
from fdlint.runtime.doctor.examination import Examination, examine
from fdlint.runtime.doctor.text import render

pytestmark = ON_LINUX

HERE = Path(__file__).parent / "doctor"


def shown(found: Examination) -> str:
    return "".join(f"{line.plain}\n" for line in render(found))


@pytest.mark.golden_test("doctor/*.yml")
def test_case(golden, tmp_path: Path) -> None:
    found = examine(build(tmp_path, golden["processes"], golden.get("fuse")), golden["examine"])
    assert [one.grade.value for one in found.judgements] == golden["grades"]
    assert shown(found) == golden.out["text"]
    read = json.loads(document.render(found))
    judged = [one["title"] for process in read["processes"] for one in process["judgements"]]
    assert sorted(judged) == sorted(one.title for one in found.judgements)
    assert html.render(found).count("<details") == len(golden["grades"])


def test_a_third_of_the_cases_are_healthy() -> None:
    texts = [path.read_text(encoding="utf-8") for path in HERE.glob("*.yml")]
    assert sum("\ngrades: []\n" in text for text in texts) * 3 >= len(texts)
