"""The plugin that fails tests in which fdlint reports an internal error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = """
import os, subprocess, sys
import pytest
import fdlint.scan.scan
from fdlint.cli import main
from fdlint.scan.scan import scan_bytes

DEFECT = '''
import sys, fdlint.scan.scan
from fdlint.cli import main
fdlint.scan.scan.may_matter = None
sys.exit(main(["scan", "--no-cache", "-j1", *sys.argv[1:], "."]))
'''

@pytest.fixture
def defect(monkeypatch):
    monkeypatch.setattr(fdlint.scan.scan, "may_matter", None)

def test_in_this_process(defect):
    assert scan_bytes(b"import os", "a.py").skipped

def test_in_a_fork(defect):
    child = os.fork()
    if child == 0:
        scan_bytes(b"import os", "a.py")
        os._exit(0)
    os.waitpid(child, 0)

def test_in_another_program():
    subprocess.run([sys.executable, "-c", DEFECT], check=False, capture_output=True)

def test_as_text():
    subprocess.run([sys.executable, "-c", DEFECT, "-q"], check=False, capture_output=True, text=True)

@pytest.mark.internal_error
def test_on_purpose(defect):
    assert scan_bytes(b"import os", "a.py").skipped

def test_none():
    assert not scan_bytes(b"import os", "a.py").skipped
"""


@pytest.mark.internal_error
def test_each_fails_with_the_traceback(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(TESTS)
    path = os.pathsep.join((str(HERE), str(HERE.parent)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "defects", "--strict-markers", "-rE", "--rootdir=."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = set(re.findall(r"^ERROR test_a.py::(\w+) - ", done.stdout, re.MULTILINE))
    assert failed == {"test_in_this_process", "test_in_a_fork", "test_in_another_program", "test_as_text"}
    assert "6 passed, 4 errors" in done.stdout
    errors, _, _ = done.stdout.partition("short test summary info")  # which has it all once more in CI
    assert errors.count("\nTypeError: 'NoneType' object is not callable") == 2
    assert errors.count("skipped test_a.py: internal error, please report it: TypeError: ") == 2
