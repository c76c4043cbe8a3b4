"""The examples say what their README promises: the buggy ones these codes, the fixed ones none."""

from __future__ import annotations

from pathlib import Path

import pytest

from fdlint.languages.go.description import GO
from fdlint.scan.files.discover import discover
from fdlint.scan.scan import scan

EXAMPLES = Path(__file__).parent.parent / "examples"
TODAY = {
    "fast_file_writer/buggy.py": ["FD105"],
    "fast_file_writer/buggy_in_one_function.py": ["FD106"],
    "fuse_broker/buggy.go": ["FD104", "FD109"],
    "fuse_broker/buggy.py": ["FD104", "FD109"],
    "gpu_export/buggy.py": ["FD104", "FD109", "FD301"],
    "loader_per_job/buggy.py": ["FD401"],
    "live/broker.py": ["FD104"],
    "live/checkpoints.py": ["FD105"],
    "live/gpu_memory.py": ["FD104", "FD104", "FD109", "FD301"],
    "live/pool_per_job.py": ["FD401"],
    "live/probe.py": ["FD107"],
    "live/trainer.py": ["FD401"],
    "live/trainer_fixed.py": [],
    "vfio_probe/buggy.go": ["FD107"],
    "vfio_probe/buggy.py": ["FD101", "FD107"],
}
PYTHON = sorted(EXAMPLES.rglob("*.py"))


def codes(path: Path) -> list[str]:
    report = scan(discover([str(path)]).files)
    assert not report.skipped
    return sorted(finding.code for finding in report.findings)


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_example(path: Path) -> None:
    name = path.relative_to(EXAMPLES).as_posix()
    assert codes(path) == ([] if path.name.startswith("fixed") else TODAY.get(name, []))


def test_all_at_once_they_say_the_same() -> None:
    """What is said of attributes gives way to other files of the project: not to these."""
    missing = () if GO.parser.is_installed else GO.suffixes
    wanted = {name: codes for name, codes in TODAY.items() if codes and not name.endswith(missing)}
    found = [(Path(one.span.path), one.code) for one in scan(discover([str(EXAMPLES)]).files).findings]
    together = {path.resolve().relative_to(EXAMPLES.resolve()).as_posix() for path, _ in found}
    assert together == set(wanted)
    assert sorted(code for _, code in found) == sorted(code for codes in wanted.values() for code in codes)


def test_every_buggy_example_has_a_fixed_one() -> None:
    for path in EXAMPLES.rglob("buggy*"):
        assert path.with_name(path.name.replace("buggy", "fixed")).is_file()
