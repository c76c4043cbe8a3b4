"""The page about GPU memory: its code is judged as it says, and its reports are what fdlint prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from fenced import Block, marked_blocks

from fdlint.report.findings.persona import Levels, Persona
from fdlint.scan.files.discover import discover
from fdlint.scan.options import Options
from fdlint.scan.scan import scan, scan_source

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8")
PEDANTIC = Options(levels=Levels(Persona.PEDANTIC))
BLOCKS = [pytest.param(block, id=f"line-{block.line}-{block.rule or 'good'}") for block in marked_blocks(PAGE)]


def shown(mark: str) -> str:
    """Returns the text block behind a comment."""
    found = re.search(rf"^<!-- {re.escape(mark)} -->\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found, mark
    return found[1]


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block: Block) -> None:
    report = scan_source(block.text.encode(), "gpu.py", PEDANTIC)
    assert not report.skipped
    assert [finding.code for finding in report.findings] == ([block.rule] if block.rule else [])


def test_every_python_block_is_marked() -> None:
    assert len(marked_blocks(PAGE)) == PAGE.count("```python")


def test_the_scan_prints_what_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    path = "examples/gpu_export/buggy.py"
    findings = scan(discover([path]).files).findings
    lines = [f"{path}:{one.span.line}:{one.span.column}: {one.code} {one.message}\n" for one in findings]
    assert shown(f"output: fdlint scan {path} --output-format concise") == "".join(lines)


def test_the_doctor_prints_what_the_page_shows() -> None:
    case = yaml.safe_load((ROOT / "tests" / "doctor" / "dma_buffers.yml").read_text(encoding="utf-8"))
    assert shown("doctor: dma_buffers") == case["text"]


def test_the_page_is_short_and_has_the_words_of_a_search() -> None:
    assert len(PAGE.split()) <= 1200
    assert {"VRAM", "GPU", "dma-buf", "nvidia-smi"} <= set(re.findall(r"[\w-]+", PAGE))
