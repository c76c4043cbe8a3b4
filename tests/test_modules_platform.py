"""Which module a name comes from when the platform decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from fdlint.scan.files.discover import discover
from fdlint.scan.scan import Options, scan

POSIX = "import os\n\n\ndef mark(fd):\n    os.set_inheritable(fd, False)\n\n\ndef drop(fd):\n    os.close(fd)\n"
OTHER = "def mark(fd):\n    raise NotImplementedError\n\n\ndef drop(fd):\n    print(fd)\n"
USER = """import os
import subprocess

from {module} import mark, drop


def run(argv):
    fd = os.open("/dev/null", os.O_RDWR)
    mark(fd)
    drop(fd)


def risky(argv):
    fd = os.open("/dev/null", os.O_RDWR)
    mark(fd)
    subprocess.run(argv)
    drop(fd)
"""
CHOICES = {
    "the other platform comes first": """import os

if os.name == "nt":
    from other import mark, drop
else:
    from posixly import mark, drop
""",
    "in a chain": """import sys

if sys.platform == "darwin":
    from other import mark, drop
elif sys.platform.startswith(("win", "cygwin")):
    from other import mark, drop
else:
    from posixly import mark, drop
""",
    "over what is not implemented": """import os


def mark(fd):
    raise NotImplementedError


def drop(fd):
    raise NotImplementedError


if os.name == "posix":
    from posixly import mark, drop
""",
    "by a variable": """from sys import platform

ON_LINUX = platform in ("linux", "linux2")
if not ON_LINUX:
    from other import mark, drop
else:
    from posixly import mark, drop
""",
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_the_module_for_linux(choice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"posixly.py": POSIX, "other.py": OTHER, "auto.py": choice, "user.py": USER.format(module="auto")}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    report = scan(discover(["."]).files, Options(jobs=1))
    assert [f"{one.function} {one.code}" for one in report.findings] == ["risky FD103"]
