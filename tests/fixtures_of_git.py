"""Small repositories for tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_NOBODY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Nobody"), ("EMAIL", "nobody@example.invalid"))
}


def git(top: Path, *arguments: str, data: str | bytes = "") -> str:
    """Runs git in a repository and returns what it says."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**kept, **_NOBODY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    given = data.encode() if isinstance(data, str) else data
    done = subprocess.run(["git", *arguments], cwd=top, check=True, capture_output=True, env=environment, input=given)
    return done.stdout.decode(errors="replace").strip()


def commit(top: Path, files: Mapping[str, str]) -> None:
    """Writes and commits files."""
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "--message=more")


def made(top: Path, files: Mapping[str, str]) -> Path:
    """Makes a repository with one commit."""
    top.mkdir(parents=True)
    git(top, "init", "--quiet", "--initial-branch=main")
    commit(top, files)
    return top
