"""Without the parser of Go, a scan names the files that it did not check, and the rest goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCAN = """
import sys
sys.modules.update(dict.fromkeys(("tree_sitter", "tree_sitter_go")))
import importlib.util as util
find = util.find_spec
util.find_spec = lambda name, *rest: None if name.startswith("tree_sitter") else find(name, *rest)
from fdlint.cli import main
sys.exit(main(["scan", "-j", "1", "--no-cache", "--output-format", "concise", *sys.argv[1:]]))
"""


def test_the_files_are_named_and_python_is_checked(tmp_path: Path) -> None:
    (tmp_path / "a.go").write_text('package a\n\nimport "os"\n\nfunc f() { os.Open("x") }\n')
    (tmp_path / "b.py").write_text("import os\n\n\ndef f():\n    os.open('x', 0)\n")
    done = subprocess.run(
        [sys.executable, "-c", _SCAN, str(tmp_path)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2, "a scan that cannot see what it was given is no success"
    assert "FD107" in done.stdout
    assert "parser of Go is not installed" in done.stdout + done.stderr
    assert "internal error" not in done.stdout + done.stderr
