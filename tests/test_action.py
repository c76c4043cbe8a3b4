"""The action's own steps, run one after another as a runner would, on a small project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
LEAK = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"
HAZARD = "import os\n\n\ndef f(path, g):\n    fd = os.open(path, 0)\n    os.stat(g)\n    os.close(fd)\n"
EXPRESSION = re.compile(r"\$\{\{\s*(?P<place>[\w.-]+)\s*\}\}")

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@dataclass
class Runner:
    """What GitHub's runner does with a composite action, as far as this one needs it."""

    workspace: Path
    temp: Path
    inputs: Mapping[str, str]
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    log: str = ""
    base: str = ""  # the commit with which a pull request is compared

    def step(self, name: str) -> int:
        """Runs one step with a script and returns its exit status."""
        (step,) = (one for one in ACTION["runs"]["steps"] if one.get("id") == name)
        files = {one: self.temp / f"{name}-{one}" for one in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")}
        for file in files.values():
            file.write_text("")  # each step has its own
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace / self.value(step.get("working-directory", ".")),
            env=self.environment(step, files),
            capture_output=True,
            text=True,
            check=False,
        )
        self.log += done.stdout + done.stderr
        self.outputs[name] = assignments(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))
        return done.returncode

    def environment(self, step: Any, files: Mapping[str, Path]) -> dict[str, str]:
        packages = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.temp),
            "PIP_NO_INDEX": "1",  # no network: what pip needs is what runs these tests
            "PIP_NO_BUILD_ISOLATION": "0",  # pip takes 0 for: no isolation
            "PYTHONPATH": os.pathsep.join(packages),
            "FDLINT_TIMEOUT_PER_FILE": "0",
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTION_PATH": str(self.temp / "action"),
            **{name: str(file) for name, file in files.items()},
            **{name: self.value(text) for name, text in step["env"].items()},
        }

    def value(self, text: str) -> str:
        def looked_up(found: re.Match[str]) -> str:
            kind, *rest = found["place"].split(".")
            if kind == "github":
                return self.base
            if kind == "inputs":
                return self.inputs.get(rest[0], str(ACTION["inputs"][rest[0]]["default"]))
            assert (kind, rest[1]) == ("steps", "outputs")
            return self.outputs[rest[0]][rest[2]]

        return EXPRESSION.sub(looked_up, text)

    @property
    def summary(self) -> str:
        return (self.temp / "scan-GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")


def assignments(text: str) -> dict[str, str]:
    """What a step has written to ``GITHUB_OUTPUT``, in both of its forms."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, sign, rest = re.match(r"([\w-]+)(=|<<)(.*)", line).groups()  # type: ignore[union-attr]
        if sign == "<<":
            rest = "\n".join(iter(lambda end=rest: next(lines, end), rest))  # type: ignore[misc]
        found[name] = rest
    return found


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """The first steps: fdlint is installed from a copy of this checkout, in a workspace that must not be imported."""
    if any(not shutil.os.path.exists(ROOT / one) for one in ("pyproject.toml", "rules")):  # type: ignore[attr-defined]
        pytest.skip("this is no checkout")
    temp, workspace = tmp_path_factory.mktemp("temp"), tmp_path_factory.mktemp("workspace")
    (temp / "action").mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "fdlint", "rules"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, temp / "action" / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, temp / "action")
    for module in ("pip", "venv", "platformdirs", "fdlint", "encodings"):
        (workspace / f"{module}.py").write_text("raise SystemExit('the workspace was imported')\n")
    runner = Runner(workspace, temp, {}, {"python": {"python-path": sys.executable}})
    assert runner.step("install") == 0, runner.log
    return runner


@pytest.fixture
def runner(installed: Runner, tmp_path: Path) -> Runner:
    workspace, temp = tmp_path / "a workspace", tmp_path / "temp"
    workspace.mkdir()
    temp.mkdir()
    (workspace / "leak.py").write_text(LEAK)
    return Runner(workspace, temp, {}, dict(installed.outputs))


def test_it_is_installed_in_an_environment_of_its_own(installed: Runner) -> None:
    outputs = installed.outputs["install"]
    assert Path(outputs["bin"]).is_relative_to(installed.temp)
    assert Path(outputs["cache"]).is_relative_to(installed.temp)  # which is HOME here
    assert outputs["cache"].endswith("fdlint")


def test_findings_fail_and_are_reported_three_times(runner: Runner) -> None:
    assert runner.step("scan") == 1
    assert "::error file=leak.py,line=5," in runner.log
    assert "### fdlint: 1 finding" in runner.summary
    assert "<code>leak.py&#58;5</code>" in runner.summary
    assert runner.outputs["scan"] == {"status": "1", "sarif": "./fdlint.sarif"}
    document = json.loads((runner.workspace / "fdlint.sarif").read_text(encoding="utf-8"))
    assert [one["ruleId"] for one in document["runs"][0]["results"]] == ["FD107"]


def test_no_finding_passes(runner: Runner) -> None:
    (runner.workspace / "leak.py").write_text("x = 1\n")
    assert runner.step("scan") == 0
    assert "### fdlint: no findings" in runner.summary
    assert runner.outputs["scan"]["status"] == "0"


def test_an_error_is_2_and_has_no_report(runner: Runner) -> None:
    runner.inputs = {"paths": "nowhere"}
    assert runner.step("scan") == 2
    assert runner.outputs["scan"] == {"status": "2"}
    assert runner.summary == ""


def test_a_report_that_the_tree_brings_is_not_uploaded(runner: Runner) -> None:
    precious = runner.temp / "precious"
    precious.write_text("precious")
    (runner.workspace / "fdlint.sarif").symlink_to(precious)
    assert runner.step("scan") == 1
    assert precious.read_text() == "precious"
    runner.inputs = {"paths": "nowhere"}
    assert runner.step("scan") == 2
    assert runner.outputs["scan"] == {"status": "2"}


def test_inputs_are_lists_of_lines(runner: Runner) -> None:
    folder = runner.workspace / "a b"
    folder.mkdir()
    (folder / "c.py").write_text(HAZARD)
    runner.inputs = {
        "working-directory": "a b",
        "paths": "c.py\n\n../leak.py\r\n",
        "args": "--select=FD1\n--ignore\nFD103\n",
        "sarif": "out put.sarif",
    }
    assert runner.step("scan") == 1
    assert "1 finding (1 error)" in runner.summary
    assert runner.outputs["scan"]["sarif"] == "a b/out put.sarif"
    assert (folder / "out put.sarif").is_file()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_only_what_a_pull_request_has_changed(runner: Runner) -> None:
    """The checkout is shallow, so the step fetches the commit to compare with."""
    origin, identity = runner.temp / "origin", ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid")

    def git(*arguments: str, cwd: Path = origin) -> str:
        return subprocess.run(
            ["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True, text=True
        ).stdout

    origin.mkdir()
    git("init", "--quiet")
    git("config", "uploadpack.allowReachableSHA1InWant", "true")
    for name in ("old.py", "new.py"):
        (origin / name).write_text(LEAK)
        git("add", name)
        git("commit", "--quiet", "--message", name)
    runner.base = git("rev-parse", "HEAD~1").strip()
    runner.workspace = runner.temp / "clone"
    git("clone", "--quiet", "--depth=1", f"file://{origin}", str(runner.workspace), cwd=runner.temp)
    runner.inputs = {"only-changed": "true"}
    assert runner.step("scan") == 1, runner.log
    assert "file=new.py" in runner.log
    assert "file=old.py" not in runner.log


def test_no_summary(runner: Runner) -> None:
    runner.inputs = {"summary": "false"}
    assert runner.step("scan") == 1
    assert runner.summary == ""


@pytest.mark.parametrize("names", [("paths", "args", "persona", "fail-on"), ("sarif",)])
@pytest.mark.parametrize(
    "text", ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", '"; touch pwned; "', "a\nb=c"]
)
def test_inputs_are_never_code(runner: Runner, names: tuple[str, ...], text: str) -> None:
    """The name of the SARIF file is used once more after a scan without an error."""
    runner.inputs = dict.fromkeys(names, text)
    runner.step("scan")
    assert not list(runner.workspace.rglob("pwned"))
    assert set(runner.outputs["scan"]) <= {"status", "sarif"}


def test_a_path_is_never_an_option(runner: Runner) -> None:
    runner.inputs = {"paths": "--exit-zero"}
    assert runner.step("scan") == 2
    assert "no such file or directory: --exit-zero" in runner.log


@pytest.mark.parametrize(("persona", "status"), [("", 0), ("pedantic", 1)])
def test_persona(runner: Runner, persona: str, status: int) -> None:
    lines = ("fd = os.open(p, 0)", "try:", "    return 1 if fd else 2", "finally:", "    os.close(fd)", "")
    (runner.workspace / "leak.py").write_text("import os\n\n\ndef f(p):\n    " + "\n    ".join(lines))
    runner.inputs = {"persona": persona}
    assert runner.step("scan") == status
    assert ("1 hidden" in runner.summary) is (persona == "")


def test_the_summary_quotes_no_markup(runner: Runner) -> None:
    (runner.workspace / "leak.py").rename(runner.workspace / "<img src=x>`|.py")
    assert runner.step("scan") == 1
    assert "<img" not in runner.summary


@pytest.mark.parametrize(("fail_on", "status"), [("warning", 1), ("error", 0), ("sometimes", 2)])
def test_fail_on(runner: Runner, fail_on: str, status: int) -> None:
    (runner.workspace / "leak.py").write_text(HAZARD)
    runner.inputs = {"fail-on": fail_on}
    assert runner.step("scan") == status
    assert runner.outputs["scan"]["status"] == str(status)


def test_what_needs_what() -> None:
    """The steps that are GitHub's own use what the scripts give."""
    steps = {one["name"]: one for one in ACTION["runs"]["steps"]}
    upload = steps["Upload to code scanning"]
    assert upload["with"]["sarif_file"] == "${{ steps.scan.outputs.sarif }}"
    assert "!cancelled()" in upload["if"]
    assert "head.repo.fork != true" in upload["if"]
    restore, save = steps["Restore the cache"], steps["Save the cache"]
    assert restore["with"]["path"] == save["with"]["path"] == "${{ steps.install.outputs.cache }}"
    assert restore["with"]["key"] == save["with"]["key"]
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])
