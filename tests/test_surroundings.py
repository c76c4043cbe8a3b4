"""A file that is scanned alone gets the findings that a scan of its project has in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fdlint.api import scan_paths
from fdlint.report.findings.persona import levels_of
from fdlint.scan.options import NO_OPTIONS
from fdlint.scan.scan import scan_alone

FILES = {
    "pyproject.toml": "",
    "app/__init__.py": "",
    "app/device.py": "import os\n\n\ndef acquire(path):\n    return os.open(path, os.O_RDONLY)\n",
    "app/broken.py": "import os\n\n\ndef unreadable(path:\n    return os.open(path, os.O_RDONLY)\n",
    "app/passing.py": "from app.device import acquire\n\n\ndef get(path):\n    return acquire(path)\n",
    "app/direct.py": "from app.device import acquire\n\n\ndef use(path):\n    got = acquire(path)\n    print(got)\n",
    "app/far.py": "from app import broken, passing\n\n\ndef use(path):\n    got = passing.get(path)\n    print(got)\n",
    "app/lines.py": "from app import (  # two\n    passing,\n)\n\n\ndef use(path):\n    print(passing.get(path))\n",
    "app/tools/__init__.py": "from ..device import acquire as open_device\nfrom ..passing import *\n",
    "app/again.py": "from app.tools import open_device\n\n\ndef use(path):\n    print(open_device(path))\n",
    "app/star.py": "from app import tools\n\n\ndef use(path):\n    print(tools.get(path))\n",
    "app/tools/show.py": "from ..passing import get\n\n\ndef use(path):\n    got = get(path)\n    print(got)\n",
    "app/leaking.py": "import os\n\n\ndef lose(path):\n    os.open(path, os.O_RDONLY)\n",
    "app/importing.py": "from app import leaking\n\n\ndef use(path):\n    leaking.lose(path)\n",
}


@pytest.fixture(name="project")
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, in which the working directory is."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(*paths: str) -> set[tuple[str, int, str]]:
    """What is reported, whatever it costs."""
    report = scan_paths(paths, persona="auditor")
    return {(one.span.path, one.span.line, one.code) for one in report.findings}


@pytest.mark.parametrize("name", ["direct", "far", "lines", "again", "star", "tools/show"])
def test_of_a_file(project: Path, name: str) -> None:
    path = f"app/{name}.py"
    assert found(path) == {one for one in found(".") if one[0] == path} != set()
    alone = scan_alone(Path(path), options=replace(NO_OPTIONS, levels=levels_of("auditor")))
    assert {(one.span.path, one.span.line, one.code) for one in alone.findings} == found(path)


def test_of_a_directory(project: Path) -> None:
    assert {path for path, _, _ in found("app/tools")} == {"app/tools/show.py"}


def test_nothing_is_reported_in_what_was_not_named(project: Path) -> None:
    report = scan_paths(["app/far.py", "app/importing.py"])
    assert {one.span.path for one in report.findings} == {"app/far.py"}
    assert report.skipped == ()
    assert report.scanned == ("app/far.py", "app/importing.py")
