"""The documentation: generated pages are what they would be if generated now, and the site can be built."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fenced import marked_blocks

from fdlint.cli.scan import scan

ROOT = Path(__file__).parent.parent
PAGES = {path.relative_to(ROOT / "docs").as_posix(): path for path in sorted((ROOT / "docs").rglob("*.md"))}
WORDS = 2500
"""So many words of prose and tables may a page have."""
REFERENCES = {
    "configuration.md",
    "models.md",
    "ledger.md",
    "found.md",
    "upstream.md",
    "reference/cli.md",
    "reference/output.md",
    "reference/api.md",
}
TRIED = ("patterns/", "gpu.md", "configuration.md", "models.md", "rules/")
"""The pages whose marked blocks tests run: ``test_patterns``, ``test_gpu_page`` and so on."""
SOUGHT = {
    "VRAM": "gpu/",
    "monorepo": "scale/",
    "false positive": "faq/#false-positive",
    "ignore": "suppressing/",
    "exit code": "faq/#what-does-the-exit-code",
}
"""What readers look for, and the section whose heading has it."""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


def test_the_generated_pages_are_up_to_date() -> None:
    done = run(sys.executable, "docs/generate.py", "--check")
    assert done.returncode == 0, f"run `python docs/generate.py`, for these have changed:\n{done.stdout}{done.stderr}"


def mkdocs() -> list[str] | None:
    if importlib.util.find_spec("mkdocs") and importlib.util.find_spec("material"):
        return [sys.executable, "-m", "mkdocs"]
    found = shutil.which("mkdocs")
    return [found] if found else None


@pytest.mark.parametrize("name", sorted(PAGES.keys() - REFERENCES))
def test_no_page_is_long(name: str) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", PAGES[name].read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert sum(bool(re.search("[A-Za-z]", word)) for word in text.split()) <= WORDS


@pytest.mark.parametrize("name", PAGES)
def test_marked_code_is_tried(name: str) -> None:
    assert not marked_blocks(PAGES[name].read_text(encoding="utf-8")) or name.startswith(TRIED)


@pytest.mark.skipif(mkdocs() is None, reason="MkDocs is not installed: pip install 'fdlint[docs]'")
def test_the_site_can_be_built(tmp_path: Path) -> None:
    """Strictly: a link that leads nowhere fails."""
    done = run(*(mkdocs() or []), "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site"))
    assert done.returncode == 0, done.stdout + done.stderr
    for page in (
        "index.html",
        "threat-model/index.html",
        "patterns/index.html",
        "patterns/kept-after-send/index.html",
        "rules/FD104/index.html",
        "rules/go/index.html",
        "rules/go/kept-after-send/index.html",
        "reference/cli/index.html",
        "reference/api/index.html",
    ):
        assert (tmp_path / "site" / page).is_file()
    assert not list((tmp_path / "site").glob("*.py"))
    index = json.loads((tmp_path / "site" / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    for words, place in SOUGHT.items():
        headed = [one["location"] for one in index if words.lower() in one["title"].lower()]
        assert any(one.startswith(place) for one in headed), f"no heading of {place} has {words!r}: {headed}"
    assert 'class="picture"' in (tmp_path / "site/patterns/missed-path/index.html").read_text(encoding="utf-8")
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    for page in ("rules/FD104/", "rules/go/kept-after-send/", "reference/cli/", "faq/"):
        assert f'href="{page}"' in front, f"the navigation does not lead to {page}"


def test_the_command_line_page_has_every_option_of_a_scan() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for option in [one for parameter in scan.params for one in parameter.opts if one.startswith("--")]:
        assert option in page
