"""Workers that a loop in one file makes in another, and what the catalog says of workers."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

from fdlint.catalog import default_catalog
from fdlint.catalog.errors import CatalogError
from fdlint.catalog.loader import load_contents
from fdlint.scan.files.discover import discover
from fdlint.scan.scan import scan

HELPER = """
import torch.utils.data

def make(job):
    return torch.utils.data.DataLoader(job.images, num_workers=4)
"""
JOB = """
{imports}
from project.loaders import make

def process(job, model):
    loader = make(job)
    try:
        for batch in loader:
            model.step(batch)
    finally:
        {end}
"""
SERVICE = """
from .jobs import process

def serve(queue, model):
    while True:
        process(queue.get(), model)
"""


def found(tree: Path, files: dict[str, str], *names: str) -> list[tuple[str, str, int]]:
    for name, text in {"__init__.py": "", **files}.items():
        (tree / "project").mkdir(exist_ok=True)
        (tree / "project" / name).write_text(text)
    report = scan(discover([str(tree / "project" / name) for name in names] or [str(tree)]).files)
    return [(one.code, Path(one.span.path).name, one.span.line) for one in report.findings]


class TestAcrossFiles:
    left_behind = JOB.format(imports="", end="model.finish()")

    def test_the_finding_is_at_the_construction(self, tmp_path: Path) -> None:
        files = {"loaders.py": HELPER, "jobs.py": self.left_behind, "service.py": SERVICE}
        assert found(tmp_path, files) == [("FD401", "loaders.py", 5)]

    def test_a_teardown_on_the_way_is_enough(self, tmp_path: Path) -> None:
        jobs = JOB.format(imports="import gc", end="del loader; gc.collect()")
        assert found(tmp_path, {"loaders.py": HELPER, "jobs.py": jobs, "service.py": SERVICE}) == []

    def test_no_loop_no_finding(self, tmp_path: Path) -> None:
        assert found(tmp_path, {"loaders.py": HELPER, "jobs.py": self.left_behind}) == []

    def test_a_file_that_is_not_scanned_gets_none(self, tmp_path: Path) -> None:
        files = {"loaders.py": HELPER, "jobs.py": self.left_behind, "service.py": SERVICE}
        assert found(tmp_path, files, "service.py", "jobs.py") == []


STANDARD = sorted(name for name in default_catalog().workers if name.startswith(("multiprocessing.", "concurrent.")))


@pytest.mark.parametrize("name", [*STANDARD, "subprocess.Popen"])
def test_what_makes_workers_exists(name: str) -> None:
    module, *path = name.split(".")
    thing = importlib.import_module(module)
    for part in path:
        if inspect.ismodule(thing) and not hasattr(thing, part):
            importlib.import_module(f"{thing.__name__}.{part}")
        thing = getattr(thing, part)
    assert callable(thing)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"name": "a.Pool"}, "`torn_down_by`: is required"),
        ({"name": "a.Pool", "torn_down_by": ["close"], "returns": "fd"}, "unknown key `returns`"),
        ({"name": "a.Pool", "torn_down_by": ["close"], "borrowed": "yes"}, "`borrowed`: must be true or false"),
        ("a.Pool", "must be a table"),
    ],
)
def test_an_entry_that_is_not_understood_is_an_error(entry: object, message: str) -> None:
    with pytest.raises(CatalogError, match=message):
        load_contents({"worker": [entry]}, "own.toml", "own")
