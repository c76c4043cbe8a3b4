"""The examples of the pages about the configuration come out as they say, and not without the model before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fdlint.report.findings.persona import EVERYTHING
from fdlint.scan import config
from fdlint.scan.options import NO_OPTIONS, Options
from fdlint.scan.scan import scan_source

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {name: (DOCS / name).read_text(encoding="utf-8") for name in ("configuration.md", "models.md")}
FENCE = re.compile(
    r"(?:^(?P<mark>Bad|Good)(?:, (?P<rule>FD\d{3}))?:\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)

DOUBTFUL = Options(levels=EVERYTHING)
"""Also reports the findings that unknown calls make doubtful: models are about such calls."""


@dataclass(frozen=True)
class Example:
    """A configuration and the code after it, each with the codes it should get."""

    place: str
    toml: str
    blocks: tuple[tuple[str, str, list[str]], ...]


def examples() -> Iterator[Example]:
    for name, page in PAGES.items():
        fences = list(FENCE.finditer(page))
        starts = [index for index, fence in enumerate(fences) if fence["language"] == "toml"]
        for start, end in zip(starts, [*starts[1:], len(fences)], strict=True):
            blocks = [fence for fence in fences[start + 1 : end] if fence["language"] in ("python", "go")]
            codes = [
                (f"example.{fence['language']}", fence["text"], [fence["rule"]] if fence["rule"] else [])
                for fence in blocks
            ]
            line = page.count("\n", 0, fences[start].start()) + 1
            yield Example(f"{name} line {line}", fences[start]["text"], tuple(codes))


def found(name: str, code: str, configured: config.Config, options: Options = NO_OPTIONS) -> list[str]:
    report = scan_source(code.encode(), name.replace("python", "py"), options, configured)
    assert not report.skipped
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.place)
def test_example(example: Example, tmp_path: Path) -> None:
    file = tmp_path / ("pyproject.toml" if "tool.fdlint" in example.toml else "fdlint.toml")
    file.write_text(example.toml, encoding="utf-8")
    configured = config.load(file)
    for name, code, wanted in example.blocks:
        assert found(name, code, configured) == wanted, code
    if example.blocks:
        assert any(found(name, code, config.UNCONFIGURED, DOUBTFUL) != wanted for name, code, wanted in example.blocks)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_every_block_is_marked(page: str) -> None:
    assert all(fence["mark"] for fence in FENCE.finditer(page) if fence["language"] in ("python", "go"))
    assert page.count("```") == 2 * len(list(FENCE.finditer(page)))
