"""The owner's name, which is a placeholder until somebody publishes fdlint: every place is known and set at once."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fdlint.links import HOME

ROOT = Path(__file__).parent.parent
PLACEHOLDER = "OWNER/fdlint"
PLACES = {
    "README.md",
    "RELEASING.md",
    "docs/adopting.md",
    "docs/ci.md",
    "docs/editors.md",
    "docs/fleet-store.md",
    "docs/fleets.md",
    "docs/gpu.md",
    "docs/first-scan.md",
    "docs/scale.md",
    "docs/suppressing.md",
    "editors/vscode/package.json",
    "fdlint/links.py",
    "fdlint/cli/onboarding/hook.py",
    "pyproject.toml",
    "tests/test_ci_page.py",
    "tests/test_links.py",
    "tests/test_placeholder.py",
    "tests/test_report_text.py",
}
"""All files that may have it."""
COMMAND = re.compile(r"^\$ (?P<command>git grep .* sed .*)$", re.MULTILINE)

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="git is not installed, or this is no checkout"
)


def files_with_it(folder: Path) -> set[str]:
    done = subprocess.run(["git", "grep", "-l", PLACEHOLDER], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.splitlines())


def test_every_place_is_known() -> None:
    assert files_with_it(ROOT) <= PLACES


def test_nothing_else_names_an_owner() -> None:
    done = subprocess.run(
        ["git", "grep", "-nE", r"github\.com/[A-Za-z-]+/fdlint\b"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    owners = set(re.findall(r"github\.com/([A-Za-z-]+)/fdlint\b", done.stdout))
    assert len(owners) == 1, owners


@pytest.mark.skipif(shutil.which("sed") is None, reason="sed is not installed")
def test_one_command_sets_them_all(tmp_path: Path) -> None:
    found = COMMAND.search((ROOT / "RELEASING.md").read_text(encoding="utf-8"))
    assert found
    places = files_with_it(ROOT)
    for name in places:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for arguments in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    command = found["command"].replace("sed -i ", "sed -i.bak ")  # which every sed understands
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True)
    assert files_with_it(tmp_path) == set()
    for name in places:
        before, after = (folder.joinpath(name).read_text(encoding="utf-8") for folder in (ROOT, tmp_path))
        assert after == before.replace(PLACEHOLDER, "acme/fdlint")


def test_addresses_are_the_same() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(rf'^Source = "{re.escape(HOME)}"$', text, re.MULTILINE)
