"""A project whose tests leak descriptors on purpose, and its runs with the plugin in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import loaded

ROOT = Path(__file__).parent.parent
# Only the plugins that a test names: what is installed here must not decide.
ENVIRONMENT = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}

HEADER = """\
import asyncio, gc, os, select, selectors, socket, subprocess, sys, tempfile, threading
import pytest
KEPT = []
"""


def project(directory: Path, ini: str = "", **files: str) -> Path:
    """Writes test files, each with the imports, and a configuration."""
    (directory / "pytest.ini").write_text(f"[pytest]\n{ini}", encoding="utf-8")
    for name, text in files.items():
        (directory / f"{name}.py").write_text(HEADER + text, encoding="utf-8")
    return directory


def run(directory: Path, *options: str, forked: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs pytest with the plugin. ``forked``: fdlint is loaded already."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "fdlint.runtime.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "-rA",
        *options,
    ]
    if not forked:
        return subprocess.run(command, cwd=directory, env=ENVIRONMENT, text=True, capture_output=True, check=False)
    return loaded.run(command, cwd=directory, env=ENVIRONMENT, text=True, timeout=120)


def outcomes(output: str) -> dict[str, set[str]]:
    """What the summary says of each test."""
    found: dict[str, set[str]] = {}
    for line in output.splitlines():
        word, _, rest = line.partition(" ")
        if word in {"PASSED", "FAILED", "ERROR", "SKIPPED"}:
            found.setdefault(rest.partition(" ")[0].rpartition("::")[2], set()).add(word)
    return found


def leaks(directory: Path) -> list[dict[str, Any]]:
    """What ``run.json`` has."""
    found: list[dict[str, Any]] = json.loads((directory / "run.json").read_text(encoding="utf-8"))["leaks"]
    return found
