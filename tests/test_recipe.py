"""The recipe of CONTRIBUTING for a rule about a new fact, followed on a copy of fdlint."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "fdlint"

EVENT = (
    '    CLOEXEC_SET = "closed by the next exec"\n',
    '    CLOEXEC_CLEARED = "handed to a child by the next exec"\n',
)
MARK = ("MARKS = {", 'MARKS = {"cloexec_cleared": Event.CLOEXEC_CLEARED, ')
SINGLE = ("SINGLE = (", "SINGLE = (Event.CLOEXEC_CLEARED, ")

ENTRY = """
[[api]]
name = "os.set_inheritable"
params = ["fd", "inheritable"]
when.inheritable = [true, 1]
source = "https://docs.python.org/3/library/os.html#os.set_inheritable"
uses = ["fd"]
events = { fd = "cloexec_cleared" }
raises = false
"""

RULE = '''"""# FD302 made-inheritable"""

from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.domain.event import Event
from fdlint.core.finding import Severity

RULE = Rule("FD302", "made-inheritable", Severity.WARNING, rank=98, about={Event.CLOEXEC_CLEARED}, cwe=403)


def check(one):
    return None if Event.CLOEXEC_SET in one.events else Verdict(one.trace, "made inheritable for good")
'''

CODE = """import os


def direct(path):
    fd = os.open(path, os.O_RDONLY)
    os.set_inheritable(fd, True)  # found
    os.close(fd)


def taken_back(path):
    fd = os.open(path, os.O_RDONLY)
    os.set_inheritable(fd, True)
    spawn()
    os.set_inheritable(fd, False)
    os.close(fd)


def expose(fd):
    os.set_inheritable(fd, True)  # found


def through_a_helper(path):
    fd = os.open(path, os.O_RDONLY)
    expose(fd)
    os.close(fd)


class Holder:
    def __init__(self, path):
        self._fd = os.open(path, os.O_RDONLY)

    def share(self):
        os.set_inheritable(self._fd, True)  # found

    def close(self):
        os.close(self._fd)
        self._fd = -1
"""


def changed(path: Path, *pairs: tuple[str, str]) -> None:
    """Puts text behind, or in the place of, what a file has once."""
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, old + new if old.endswith("\n") else new)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    package = tmp_path / "lib" / "fdlint"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    changed(package / "core/domain/event.py", EVENT, MARK, SINGLE)
    toml = package / "catalog/os_uses.toml"
    text = toml.read_text(encoding="utf-8")
    general = text.rindex("[[api]]", 0, text.rindex('name = "os.set_inheritable"'))
    toml.write_text(text[:general] + ENTRY.lstrip() + "\n" + text[general:], encoding="utf-8")
    (package / "core/checks/fd302_made_inheritable.py").write_text(RULE, encoding="utf-8")
    return package.parent


def test_it_is_found_directly_through_a_helper_and_through_an_attribute(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    options = ("--isolated", "--no-cache", "--select", "FD302", "--output-format", "json")
    done = subprocess.run(
        [sys.executable, "-m", "fdlint", "scan", "code.py", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    lines = [finding["line"] for finding in json.loads(done.stdout)["findings"]]
    assert lines == [number for number, line in enumerate(CODE.split("\n"), 1) if "# found" in line]
