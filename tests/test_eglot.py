"""The language server in a real editor: Emacs with eglot, without a screen."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "tests" / "editors" / "eglot.el"
PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
CODE = "import os\n\n\ndef read(path):\n    fd = os.open(path, os.O_RDONLY)\n    return os.read(fd, 10)\n"
BATCH = ("emacs", "--batch", "-f", "package-activate-all")


def has_eglot() -> bool:
    if shutil.which("emacs") is None:
        return False
    return subprocess.run([*BATCH, "-l", "eglot"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_eglot(), reason="Emacs with eglot is not installed")
def test_the_session_on_the_page(tmp_path: Path) -> None:
    shown = re.search(r"<!-- tests/editors/eglot.el -->\n+```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown
    (tmp_path / "reader.py").write_text(CODE)
    environment = {**os.environ, "FDLINT_FILE": "reader.py", "FDLINT_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    command = [*BATCH, "-l", str(SCRIPT)]
    found = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert found.stdout == shown[1], found.stderr
