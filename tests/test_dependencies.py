"""``--dependencies``: the functions of installed packages are known, and nothing is reported there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from fdlint.catalog import NO_MODELS
from fdlint.cli import command
from fdlint.report.findings.finding import Report
from fdlint.scan.cache import open_cache
from fdlint.scan.config import UNCONFIGURED
from fdlint.scan.files.discover import FileToScan, discover
from fdlint.scan.scan import scan
from fdlint.scan.surroundings import surroundings

_CORE = """import os


def open_device(path):
    return os.open(path, os.O_RDWR)


def finish(fd):
    os.close(fd)


def leaks(path):
    fd = os.open(path, os.O_RDWR)
    os.fsync(fd)


class Device:
    def __init__(self, path):
        self._fd = os.open(path, os.O_RDWR)

    def close(self):
        os.close(self._fd)
"""
_USES = """from devices import Device, finish, open_device


def forgets(path):
    fd = open_device(path)
    print(fd)


def closes(path):
    finish(open_device(path))


def drops(path):
    device = Device(path)
    print(device)
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of installed packages, beside a project."""
    monkeypatch.chdir(tmp_path)
    installed = tmp_path / "site-packages" / "devices"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("from ._core import Device, finish, open_device\n")
    (installed / "_core.py").write_text(_CORE)
    project = tmp_path / "project"
    project.mkdir()
    (project / "uses.py").write_text(_USES)
    (project / "imports.py").write_text(
        "import devices\n\n\ndef forgets(path):\n    print(devices.open_device(path))\n"
    )
    return installed


def project(*below: Path) -> list[FileToScan]:
    models = replace(NO_MODELS, dependencies=tuple(map(str, below)))
    return discover(["project"], lambda _: replace(UNCONFIGURED, models=models)).files


def report(packages: Path, *, cache: Path | None = None, known: bool = True) -> Report:
    files = project(packages.parent) if known else project()
    return scan(files, cache=open_cache(cache) if cache is not None else None)


def said(report: Report) -> list[tuple[str, str, int]]:
    assert not report.skipped
    return [(Path(one.span.path).name, one.code, one.span.line) for one in report.findings]


FOUND = [("imports.py", "FD107", 5), ("uses.py", "FD101", 5), ("uses.py", "FD101", 14)]


def test_what_they_give_is_known_and_nothing_is_reported_there(packages: Path) -> None:
    assert said(report(packages)) == FOUND
    assert said(report(packages, known=False)) == []
    assert report(packages).summary.files == 2


def test_an_edit_of_one_is_seen_although_results_are_kept(packages: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert said(report(packages, cache=cache)) == FOUND
    assert said(report(packages, cache=cache)) == FOUND
    assert said(report(packages, cache=cache, known=False)) == []
    (packages / "_core.py").write_text(_CORE.replace("return os.open(path, os.O_RDWR)", "return len(path)"))
    assert said(report(packages, cache=cache)) == FOUND[2:]


def _too_large(installed: Path) -> None:
    (installed / "_core.py").write_text(_CORE + "#" * 1_100_000)


def _broken(installed: Path) -> None:
    (installed / "_core.py").write_text("def open_device(path:\n")


def _led_away(installed: Path) -> None:
    (installed / "_core.py").rename(installed.parent.parent / "elsewhere.py")
    (installed / "_core.py").symlink_to(installed.parent.parent / "elsewhere.py")


def _circle(installed: Path) -> None:
    (installed / "__init__.py").write_text("from . import _core\nfrom devices import *\n")
    (installed / "_core.py").unlink()
    (installed / "_core.py").symlink_to(installed / "_core.py")


@pytest.mark.parametrize("hostile", [_too_large, _broken, _led_away, _circle])
def test_hostile_ones_are_not_known(packages: Path, hostile: Callable[[Path], None]) -> None:
    hostile(packages)
    assert said(report(packages)) == []


def test_the_project_comes_first(packages: Path) -> None:
    own = Path("project", "devices.py")
    own.write_text("def open_device(path):\n    return len(path)\n\n\nDevice = finish = print\n")
    assert said(report(packages)) == []


def test_only_the_first_directory_that_has_a_module_is_read(packages: Path, tmp_path: Path) -> None:
    other = tmp_path / "others"
    other.mkdir()
    (other / "devices.py").write_text("def open_device(path):\n    return len(path)\n\n\nDevice = finish = print\n")
    assert said(scan(project(packages.parent, other))) == FOUND
    assert said(scan(project(other, packages.parent))) == []
    assert [Path(one.path).name for one in surroundings(project(packages.parent, other))] == ["__init__.py", "_core.py"]


def test_the_option_names_the_directory(packages: Path) -> None:
    words = ["scan", "project", "--isolated", "--no-cache", "-q", "--output-format", "concise"]
    assert CliRunner().invoke(command, words).output == ""
    found = CliRunner().invoke(command, [*words, "--dependencies", "site-packages"])
    assert [line.split(":")[1] for line in found.output.splitlines()] == ["5", "5", "14"]
    assert CliRunner().invoke(command, [*words, "--dependencies", "nowhere"]).exit_code == 2
