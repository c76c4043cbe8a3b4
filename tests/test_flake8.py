"""The plugin, in flake8 itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import loaded
import pytest

from fdlint.flake8 import Plugin
from fdlint.scan.scan import scan_source

LEAK = "import os\n\n\ndef lose():\n    os.dup(0)\n"


def flake8(folder: Path, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flake8", "--isolated", "-j", "1", *arguments]
    return loaded.run(command, cwd=folder, input=stdin or "", text=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "leak.py").write_text(LEAK)
    return tmp_path


def test_says_what_scan_says(project: Path) -> None:
    (finding,) = scan_source(LEAK.encode(), "leak.py").findings
    result = flake8(project, "--select", "FD")
    assert not result.stderr
    span = finding.span
    assert result.stdout == f"./leak.py:{span.line}:{span.column}: {finding.code} {finding.message}\n"
    assert result.returncode == 1


def test_is_on_by_default_and_chosen_as_other_plugins_are(project: Path) -> None:
    assert "FD107" in flake8(project).stdout
    assert "FD107" not in flake8(project, "--extend-ignore", "FD1").stdout
    assert "FD107" not in flake8(project, "--per-file-ignores", "leak.py:FD107").stdout


def test_comments_silence(project: Path) -> None:
    (project / "leak.py").write_text(
        "import os\n\n\ndef lose():\n    os.dup(0)  # noqa: FD107\n    os.dup(0)  # fdlint: ignore[FD107] why\n"
    )
    assert flake8(project, "--select", "FD").stdout == ""


def test_disable_noqa_shows_what_noqa_silences(project: Path) -> None:
    calls = ["os.dup(0)  # noqa: FD107", "os.dup(1)  # noqa", "os.dup(2)  # fdlint: ignore[FD107] why"]
    lines = ["import os", "def lose():", *(f"    {call}" for call in calls)]
    (project / "leak.py").write_text("\n".join(lines) + "\n")
    shown = flake8(project, "--select", "FD", "--disable-noqa").stdout.splitlines()
    assert [line.split(" FD")[0] for line in shown] == ["./leak.py:3:5:", "./leak.py:4:5:"]
    (project / "leak.py").write_text("# flake8: noqa\nimport os\ndef lose():\n    os.dup(0)\n")
    assert flake8(project, "--select", "FD").stdout == ""
    assert "leak.py:4:5: FD107" in flake8(project, "--select", "FD", "--disable-noqa").stdout


def test_unused_comments_are_reported_and_used_ones_are_not(project: Path) -> None:
    lines = ["import os", "x = 1  # noqa: FD107", "os.dup(0)  # noqa: FD107", "os.dup(0)  # noqa"]
    (project / "leak.py").write_text("\n".join(lines) + "\n")
    for option in ("--disable-noqa", "--verbose"):
        shown = flake8(project, "--select", "FD9", option).stdout
        assert [line.split(" ")[0] for line in shown.splitlines() if "FD900" in line] == ["./leak.py:2:8:"]
    assert flake8(project, "--select", "FD1").stdout == ""
    assert "FD900" not in flake8(project, "--select", "FD", "--ignore", "FD900").stdout


def test_the_prefix_f_covers_it(project: Path) -> None:
    assert "FD107" in flake8(project, "--select", "F").stdout
    assert "FD107" not in flake8(project, "--extend-ignore", "F").stdout


def test_standard_input(project: Path) -> None:
    assert flake8(project, "--select", "FD", "-", stdin=LEAK).stdout.startswith("stdin:5:5: FD107 ")


def test_imports_are_followed(project: Path) -> None:
    (project / "maker.py").write_text("import os\n\n\ndef make():\n    return os.dup(0)\n")
    (project / "leak.py").write_text("import os\n\nfrom maker import make\n\n\ndef sync():\n    os.fsync(make())\n")
    assert "leak.py:7:14: FD107" in flake8(project, "--select", "FD").stdout


def test_the_configuration_of_the_project_counts(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.fdlint]\nignore = ["FD107"]\n')
    assert flake8(project, "--select", "FD").stdout == ""
    assert "FD107" in flake8(project, "--select", "FD", "--fdlint-isolated").stdout
    (project / "other.toml").write_text("")
    (project / "fdlint.toml").write_text('ignore = ["FD2"]\n')
    assert "FD107" in flake8(project, "--select", "FD", "--fdlint-config", "fdlint.toml").stdout


def test_a_configuration_that_is_not_understood(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.fdlint]\nignroe = ["FD107"]\n')
    result = flake8(project)
    assert result.returncode
    assert "unknown key `ignroe`" in result.stderr
    (project / "pyproject.toml").write_text('[tool.fdlint]\nignore = ["FD999"]\n')
    assert "`ignore`: there is no rule FD999" in flake8(project).stderr


def test_what_cannot_be_parsed_is_left_to_flake8(project: Path) -> None:
    (project / "leak.py").write_text("import os\nos.dup(\n")
    result = flake8(project)
    assert "E999" in result.stdout or "E902" in result.stdout
    assert "Traceback" not in result.stderr


def test_kept_objects_are_excluded_from_garbage_collection_now_and_then(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collections: list[int] = []
    monkeypatch.setattr("fdlint.flake8.gc.collect", lambda: collections.append(Plugin._scanned))
    monkeypatch.setattr("fdlint.flake8.gc.freeze", lambda: None)
    monkeypatch.setattr(Plugin, "_scanned", 0)
    monkeypatch.setattr(Plugin, "_next_rest", 16)
    for _ in range(40):
        assert list(Plugin(ast.parse(LEAK), str(project / "leak.py"), [LEAK]).run())
    assert collections == [16, 24, 36]
