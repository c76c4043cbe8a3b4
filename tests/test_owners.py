"""Who owns a file: CODEOWNERS of GitHub and GitLab, in the reports."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from fdlint.cli import main
from fdlint.scan.files.owners import Owners, owners_of

GITHUB = """\
# a comment
*            @org/all
*.go         @go  # the gophers
/build/      @builders
docs/*       docs@example.org
apps/        @apps
**/logs      @loggers
/free/
src/a\\ b.py  @space
"""
LEAK = "import os\n\n\ndef f(p):\n    os.open(p, 0)\n"


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("a.py", ("@org/all",)),
        ("x/y/a.go", ("@go",)),
        ("build/x/a.py", ("@builders",)),
        ("other/build/a.py", ("@org/all",)),
        ("docs/a.py", ("docs@example.org",)),
        ("docs/deep/a.py", ("@org/all",)),
        ("x/apps/y/a.py", ("@apps",)),
        ("deep/logs/a.py", ("@loggers",)),
        ("free/a.py", ()),
        ("src/a b.py", ("@space",)),
    ],
)
def test_the_last_rule_of_github_counts(path: str, owners: tuple[str, ...]) -> None:
    assert Owners.read(GITHUB).of(path) == owners


def test_each_section_of_gitlab_counts() -> None:
    text = "[Code][2] @coders\n*.py\nsrc/*.py @special\n^[Docs]\n*.md @writers\n[code]\nsrc/b.py @late\n"
    owners = Owners.read(text)
    assert owners.of("x.py") == ("@coders",)
    assert owners.of("src/a.py") == ("@special",)
    assert owners.of("src/b.py") == ("@late",)
    assert Owners.read("[A] @a\n*\n[B]\n*.py @b @a\n").of("x.py") == ("@a", "@b")


@pytest.mark.parametrize(
    "text",
    [
        "a" * 900_000,
        "*a" * 400 + "b @x\n",
        "[" * 10_000 + "\n" + "]" * 10_000,
        f"*{' @x' * 100_000}",
        "\0\n\x1b[31m @x\n!* @x\n[ @x\n\\",
        "\n".join(f"*a*{number}*b @x{number}" for number in range(50_000)),
    ],
    ids=["long", "stars", "brackets", "owners", "characters", "rules"],
)
def test_a_hostile_file_ends_soon(text: str) -> None:
    started = time.process_time()
    owners = Owners.read(text)
    for number in range(20):
        assert len(owners.of("a" * 200 + f"/{number}" * 20)) <= 10
    assert time.process_time() - started < 5


def test_a_link_or_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "CODEOWNERS")
    assert owners_of(["a.py"], tmp_path) == {}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    for name in ("api/a.py", "web/b.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(LEAK)
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "CODEOWNERS").write_text("/api/ @org/api <b>@x\n")
    return tmp_path


def test_the_reports_have_them(project: Path) -> None:
    outputs = [word for name in ("json", "markdown", "html") for word in ("-o", f"{name}=report.{name}")]
    assert main(["scan", "-q", *outputs]) == 1
    found = json.loads((project / "report.json").read_text())["findings"]
    assert [one.get("owners") for one in found] == [["@org/api"], None]
    assert "| Owner |" in (project / "report.markdown").read_text()
    page = (project / "report.html").read_text()
    assert "By owner" in page and "group by owner" in page
    assert main(["merge", "-q", "shop=report.json", "-o", "json=all.json"]) == 1
    found = json.loads((project / "all.json").read_text())["findings"]
    assert [one.get("owners") for one in found] == [["@org/api"], None]
    (project / "report.json").write_text((project / "report.json").read_text().replace('["@org/api"]', "3"))
    assert main(["merge", "-q", "report.json"]) in (0, 1, 2)
