"""The component for GitLab: its form, and its script as a runner's shell would run it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from fdlint.version import __version__

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "templates" / "fdlint.yml").read_text(encoding="utf-8")
HEADER, JOBS = yaml.safe_load_all(TEXT)
INPUTS: Mapping[str, Any] = HEADER["spec"]["inputs"]
LEAK = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"
SHELLS = [shell for shell in ("bash", "dash") if shutil.which(shell)]


def filled(node: Any, values: Mapping[str, str]) -> Any:
    """The jobs with inputs in their places. GitLab fills in parsed YAML, so that no input changes its form."""
    if isinstance(node, dict):
        return {filled(key, values): filled(one, values) for key, one in node.items()}
    if isinstance(node, list):
        return [filled(one, values) for one in node]
    if isinstance(node, str):
        return re.sub(
            r"\$\[\[ inputs\.([\w-]+) ]]", lambda found: values.get(found[1], INPUTS[found[1]]["default"]), node
        )
    return node


def test_every_input_is_used_and_none_is_in_the_script() -> None:
    assert set(re.findall(r"inputs\.([\w-]+)", TEXT)) == set(INPUTS)
    (job,) = JOBS.values()
    assert "$[[" not in json.dumps(job["script"])


def test_it_installs_this_version() -> None:
    assert INPUTS["package"]["default"] == f"fdlint=={__version__}"


@pytest.mark.skipif(find_spec("check_jsonschema") is None, reason="pip install check-jsonschema")
def test_gitlab_takes_it() -> None:
    import jsonschema

    place = resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "gitlab-ci.json"
    validator = jsonschema.Draft7Validator(json.loads(place.read_text("utf-8")))
    assert not [error.message for error in validator.iter_errors(HEADER)]
    assert not [error.message for error in validator.iter_errors(filled(JOBS, {}))]
    assert [error.message for error in validator.iter_errors({"job": {"script": 1}})]


@pytest.mark.skipif(not SHELLS, reason="there is no shell")
class TestScript:
    def run(self, shell: str, project: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
        """The job's last command; the ones before it install fdlint."""
        (job,) = filled(JOBS, {name.replace("_", "-"): text for name, text in inputs.items()}).values()
        script = job["script"][-1].replace("/tmp/fdlint/bin/fdlint", f"'{sys.executable}' -m fdlint")
        variables = {name: text for name, text in job["variables"].items() if name != "FDLINT_CACHE_DIR"}
        return subprocess.run(
            [shell, "-eu", "-c", script],
            cwd=project,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(project), **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    @pytest.fixture
    def project(self, tmp_path: Path) -> Path:
        (tmp_path / "leak.py").write_text(LEAK)
        (tmp_path / "a b").mkdir()
        (tmp_path / "a b" / "leak.py").write_text(LEAK)
        return tmp_path

    @pytest.mark.parametrize("shell", SHELLS)
    def test_findings_fail_and_are_written(self, project: Path, shell: str) -> None:
        done = self.run(shell, project, paths="a b\n\nleak.py\n", args="--select=FD1\n-q")
        assert done.returncode == 1, done.stderr
        entries = json.loads((project / "gl-code-quality-report.json").read_text(encoding="utf-8"))
        assert [one["location"]["path"] for one in entries] == ["a b/leak.py", "leak.py"]
        assert "FD107" in (project / "fdlint.xml").read_text(encoding="utf-8")

    def test_a_link_in_the_tree_is_not_written_through(self, project: Path) -> None:
        (project / "fdlint.xml").symlink_to(project / "leak.py")
        assert self.run(SHELLS[-1], project).returncode == 1
        assert (project / "leak.py").read_text() == LEAK

    @pytest.mark.parametrize("text", ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", '"; touch pwned; "'])
    def test_inputs_are_never_code(self, project: Path, text: str) -> None:
        done = self.run(SHELLS[-1], project, **dict.fromkeys(("paths", "args", "persona", "fail_on"), text))
        assert done.returncode == 2
        assert not list(project.rglob("pwned"))

    @pytest.mark.parametrize("name", ["paths", "args", "persona", "fail_on"])
    def test_inputs_are_never_patterns(self, project: Path, name: str) -> None:
        assert self.run(SHELLS[-1], project, **{name: "*"}).returncode == 2

    def test_a_path_is_never_an_option(self, project: Path) -> None:
        assert self.run(SHELLS[-1], project, paths="--exit-zero").returncode == 2
