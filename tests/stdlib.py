"""Python's own tests of descriptors, without and with recording: ``python -m tests.stdlib [MODULE ...]``.

The results must be equal. pytest runs the quick modules; the others wait for minutes, but use little CPU time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
QUICK = ("test_os", "test_fcntl")
SLOW = ("test_tempfile", "test_subprocess", "test_signal", "test_selectors")
MODES = ("without", "recorded", "plugin")
_RECORDED = "from fdlint.runtime.recording.recording import begin_from_environment as begin; begin()\n"
_RUN = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"


def outcomes(modules: tuple[str, ...], mode: str, directory: Path) -> dict[str, str]:
    """Runs modules of the package ``test`` in an empty directory. Returns the outcome of each test."""
    place = directory / mode
    place.mkdir()
    (place / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    options = ["-p", "fdlint.runtime.pytest_plugin", "--fd-leaks=report"] if mode == "plugin" else []
    options += ["-q", "-p", "no:cacheprovider", "--junitxml=run.xml", "--pyargs", *(f"test.{one}" for one in modules)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    environment["TMPDIR"] = str(place)
    if mode == "recorded":
        environment["FDLINT_RECORD"] = str(place / "records")
    program = (_RECORDED if mode == "recorded" else "") + _RUN
    command = [sys.executable, "-c", program, *options]
    result = subprocess.run(
        command, cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    report = place / "run.xml"
    if not report.exists():
        raise RuntimeError(result.stdout + result.stderr)
    return {
        f"{one.get('classname')}.{one.get('name')}": _word(one) for one in ElementTree.parse(report).iter("testcase")
    }


def _word(case: ElementTree.Element) -> str:
    return next((one.tag for one in case if one.tag in {"failure", "error", "skipped"}), "passed")


def _main(modules: tuple[str, ...]) -> int:
    different = 0
    for module in modules:
        with tempfile.TemporaryDirectory() as directory:
            found = {}
            for mode in MODES:
                start, before = time.monotonic(), os.times()
                found[mode] = outcomes((module,), mode, Path(directory))
                used = sum(os.times()[2:4]) - sum(before[2:4])
                failed = sum(word in {"failure", "error"} for word in found[mode].values())
                seconds = f"{time.monotonic() - start:.0f} s, CPU {used:.1f} s"
                print(f"{module:<16} {mode:<9} {len(found[mode])} tests, {failed} failed, {seconds}", flush=True)
        for mode in MODES[1:]:
            for name in sorted(found[mode].keys() | found["without"].keys()):
                pair = found["without"].get(name), found[mode].get(name)
                if pair[0] != pair[1]:
                    different += 1
                    print(f"  {mode}: {name}: {pair[0]} without, {pair[1]} with")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(_main(tuple(sys.argv[1:]) or QUICK + SLOW))
