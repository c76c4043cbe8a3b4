"""The hook that pre-commit reads."""

from __future__ import annotations

import shlex
from pathlib import Path

import yaml
from click.testing import CliRunner

from fdlint.cli import command

ROOT = Path(__file__).parent.parent


def test_both_files_are_the_same() -> None:
    assert (ROOT / ".pre-commit-hooks.yaml").read_bytes() == (ROOT / "pre-commit-hooks.yaml").read_bytes()


def test_the_hook_runs_and_fails_on_a_finding(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *arguments = shlex.split(hook["entry"])
    assert program == "fdlint"
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_text("import os\nos.dup(0)\n")
    good.write_text("import os\nos.close(os.dup(0))\n")
    result = CliRunner().invoke(command, [*arguments, str(bad), str(good)], standalone_mode=False)
    assert result.return_value == 1
    assert "FD107" in result.output
    assert CliRunner().invoke(command, [*arguments, str(good)], standalone_mode=False).return_value == 0
