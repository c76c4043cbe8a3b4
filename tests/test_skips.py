"""The plugin that fails skipped tests: alone and with workers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import loaded
import pytest
from skips import allowed

HERE = Path(__file__).parent
TESTS = {
    "test_a.py": """
import pytest

def test_passes(): pass
def test_is_skipped(): pytest.skip("no browser")
@pytest.mark.skipif(True, reason="no engine")
def test_has_a_mark(): pass
@pytest.mark.parametrize("name", ["[x] y", "z"])
def test_of_names(name): pytest.skip("no " + name)
@pytest.mark.xfail
def test_fails(): assert False
""",
    "test_b.py": "import pytest\npytest.importorskip('no_such_module', reason='no module')\n",
}
ALL = "# comment\n\ntest_a.py::*  the machine\ntest_b.py  needs a module\n"
WORKERS = pytest.mark.parametrize("workers", ["0", "2"])


def run(folder: Path, lines: str | None, *options: str) -> tuple[int, str]:
    """Runs the tests in a folder. Returns the exit status and what pytest writes."""
    for name, text in TESTS.items():
        (folder / name).write_text(text)
    (folder / "allowed.txt").write_text(lines or "")
    given = [] if lines is None else ["--allowed-skips=allowed.txt"]
    done = loaded.run(
        [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "skips", "--rootdir=.", *options, *given],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HERE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


@WORKERS
def test_what_is_allowed_is_skipped(tmp_path: Path, workers: str) -> None:
    status, said = run(tmp_path, f"{ALL}test_c.py::*  gone\n", "-n", workers)
    assert status == 0, said
    assert "1 passed, 5 skipped, 1 xfailed" in said
    assert "= allowed skips that did not happen =" in said
    assert "\ntest_c.py::*\n" in said


@WORKERS
def test_what_is_not_allowed_fails(tmp_path: Path, workers: str) -> None:
    lines = "test_a.py::test_of_names[[x]*  brackets are no class of characters\ntest_b.py  no module\n"
    status, said = run(tmp_path, lines, "-n", workers)
    assert status == 1, said
    assert "2 failed, 1 passed, 2 skipped, 1 xfailed, 1 error" in said
    for test, reason in (("is_skipped", "browser"), ("has_a_mark", "engine"), ("of_names[z]", "z")):
        assert f"no {reason}\n--allowed-skips has no line about test_a.py::test_{test}\n" in said


def test_a_module_is_not_skipped_in_silence(tmp_path: Path) -> None:
    """The others are tested nevertheless."""
    status, said = run(tmp_path, "test_a.py::*  the machine\n", "-n", "2")
    assert status == 1, said
    assert "1 passed, 4 skipped, 1 xfailed, 1 error" in said
    assert "no module\n--allowed-skips has no line about test_b.py\n" in said


def test_without_the_option_all_may_be_skipped(tmp_path: Path) -> None:
    status, said = run(tmp_path, None)
    assert status == 0, said
    assert "1 passed, 5 skipped, 1 xfailed" in said


def test_a_line_has_a_reason(tmp_path: Path) -> None:
    status, said = run(tmp_path, "test_a.py::*\n")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "allowed.txt:1: no reason after two spaces" in said


def test_each_line_is_about_a_test_that_exists() -> None:
    for line in allowed(HERE / "allowed_skips.txt"):
        path, *names = line.split("[")[0].split("::")
        text = (HERE.parent / path).read_text(encoding="utf-8")
        assert all(f"class {name}" in text or f"def {name}(" in text for name in names if name != "*"), line
