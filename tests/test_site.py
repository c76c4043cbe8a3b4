"""The documentation: generated pages are what they would be if generated now, and the site can be built."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fdlint.cli.scan import scan

ROOT = Path(__file__).parent.parent


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


@pytest.mark.skipif(mkdocs() is None, reason="MkDocs is not installed: pip install 'fdlint[docs]'")
def test_the_site_can_be_built(tmp_path: Path) -> None:
    """Strictly: a link that leads nowhere fails."""
    done = run(*(mkdocs() or []), "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site"))
    assert done.returncode == 0, done.stdout + done.stderr
    for page in (
        "index.html",
        "threat-model/index.html",
        "patterns/index.html",
        "rules/FD104/index.html",
        "rules/go/index.html",
        "rules/go/kept-after-send/index.html",
        "reference/cli/index.html",
        "reference/api/index.html",
    ):
        assert (tmp_path / "site" / page).is_file()
    assert not list((tmp_path / "site").glob("*.py"))
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    for page in ("rules/FD104/", "rules/go/kept-after-send/", "reference/cli/", "faq/"):
        assert f'href="{page}"' in front, f"the navigation does not lead to {page}"


def test_the_command_line_page_has_every_option_of_a_scan() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for option in [one for parameter in scan.params for one in parameter.opts if one.startswith("--")]:
        assert option in page
