"""fdlint as a library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fdlint
from fdlint.scan.config import ConfigError
from fdlint.scan.files.discover import MissingPathError

LEAK = "import os\nos.dup(0)\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.fdlint]\nignore = ["FD1"]\n')
    file = tmp_path / "leak.py"
    file.write_text(LEAK)
    return file


@pytest.mark.parametrize("source", [LEAK, LEAK.encode()])
def test_source(source: str | bytes) -> None:
    (finding,) = fdlint.scan_source(source, "a.py").findings
    assert (finding.code, finding.span.path, finding.span.line) == ("FD107", "a.py", 2)
    assert fdlint.scan_source(source, ignore=["FD107"]).findings == ()


def test_paths(file: Path) -> None:
    assert [one.code for one in fdlint.scan_paths([file], isolated=True).findings] == ["FD107"]
    assert fdlint.scan_paths([str(file.parent)]).findings == ()
    assert [one.code for one in fdlint.scan_paths([file], select=["FD107"], jobs=1).findings] == ["FD107"]


def test_a_configuration(file: Path) -> None:
    other = file.parent / "fdlint.toml"
    other.write_text('unknown-calls = "take"\n')
    assert [one.code for one in fdlint.scan_paths([file], config=other).findings] == ["FD107"]
    assert [one.code for one in fdlint.scan_source(LEAK, config=other).findings] == ["FD107"]
    other.write_text("nonsense = 1\n")
    with pytest.raises(ConfigError, match="nonsense"):
        fdlint.scan_paths([file], config=other)


def test_a_path_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingPathError, match="nowhere"):
        fdlint.scan_paths([tmp_path / "nowhere"])


def test_what_cannot_be_parsed_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import os\nos.dup(\n")
    (skipped,) = fdlint.scan_paths([tmp_path], isolated=True).skipped
    assert skipped.path.endswith("bad.py")


def test_there_is_nothing_else() -> None:
    with pytest.raises(AttributeError, match="scan_everything"):
        fdlint.scan_everything  # noqa: B018


def test_importing_it_imports_nothing_heavy() -> None:
    script = "import fdlint, sys; print([name for name in ('libcst', 'rich', 'click') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
