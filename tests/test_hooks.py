"""The hooks that pre-commit reads: by themselves, and run by pre-commit."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from fdlint.cli import command
from fdlint.languages.go.description import GO

ROOT = Path(__file__).parent.parent
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NEEDED = ("pre_commit", "hatchling")
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml", "fdlint", "rules")


def test_both_files_are_the_same() -> None:
    assert (ROOT / ".pre-commit-hooks.yaml").read_bytes() == (ROOT / "pre-commit-hooks.yaml").read_bytes()


@pytest.mark.parametrize(("name", "suffix"), [("fdlint", ".py"), ("fdlint-go", ".go")])
def test_each_hook_is_a_scan(name: str, suffix: str, tmp_path: Path) -> None:
    program, *arguments = shlex.split(HOOKS[name]["entry"])
    assert program == "fdlint"
    good = tmp_path / f"good{suffix}"
    good.write_text("")
    assert CliRunner().invoke(command, [*arguments, str(good)], standalone_mode=False).return_value == 0


def test_the_hook_fails_on_a_finding(tmp_path: Path) -> None:
    _, *arguments = shlex.split(HOOKS["fdlint"]["entry"])
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_text("import os\nos.dup(0)\n")
    good.write_text("import os\nos.close(os.dup(0))\n")
    result = CliRunner().invoke(command, [*arguments, str(bad), str(good)], standalone_mode=False)
    assert result.return_value == 1
    assert "FD107" in result.output
    (tmp_path / "fdlint.toml").write_text("extend-exclude = ['bad.py']")
    assert CliRunner().invoke(command, [*arguments, str(bad), str(good)], standalone_mode=False).return_value == 0


def test_go_is_checked_without_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {one.partition(";")[0] for one in project["dependencies"]} >= set(project["optional-dependencies"]["go"])


def clean_environment(home: Path) -> dict[str, str]:
    """No network: what pip needs is what runs these tests. Nothing of the user's git."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PIP_", "PRE_COMMIT"))}
    packages = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    return own | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_NAME": "Nobody" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "nobody@example.invalid" for who in ("AUTHOR", "COMMITTER")},
        "HOME": str(home),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), own.get("PATH", os.defpath)]),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_BUILD_ISOLATION": "0",  # pip takes 0 for: no isolation
        "PIP_NO_INDEX": "1",
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PRE_COMMIT_COLOR": "never",
        "PYTHONPATH": os.pathsep.join(packages),
    }


def repository(folder: Path, environment: dict[str, str]) -> Path:
    """What lies in a folder, committed."""
    for arguments in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=all"]):
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return clean_environment(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """A repository of fdlint itself."""
    folder = tmp_path_factory.mktemp("fdlint")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return repository(folder, environment)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in NEEDED),
    reason="pre-commit or hatchling is not installed: pip install 'fdlint[test]'",
)
class TestByPreCommit:
    """Both hooks in one run: pre-commit makes their environment only once."""

    @pytest.fixture
    def project(self, hooks: Path, environment: dict[str, str], tmp_path: Path) -> Path:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=hooks, check=True, capture_output=True, text=True)
        used = {"repo": str(hooks), "rev": head.stdout.strip(), "hooks": [{"id": name} for name in HOOKS]}
        (tmp_path / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [used]}))
        (tmp_path / "maker.py").write_text("import os\n\ndef make():\n    return os.dup(0)\n")
        (tmp_path / "user.py").write_text("from maker import make\n\ndef use():\n    fd = make()\n    print(fd)\n")
        (tmp_path / "left_out.py").write_text("import os\nos.dup(0)\n")
        (tmp_path / "fdlint.toml").write_text("extend-exclude = ['left_out.py']")
        shutil.copy(ROOT / "examples" / "vfio_probe" / "buggy.go", tmp_path)
        return repository(tmp_path, environment)

    def run(self, project: Path, environment: dict[str, str], *hook: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "pre_commit", "run", "--all-files", *hook]
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_both(self, project: Path, environment: dict[str, str]) -> None:
        status, output = self.run(project, environment)
        assert status == 1, output
        assert "user.py:4:10: FD101" in output
        assert "left_out.py" not in output
        assert ("buggy.go:" in output and "FD107" in output) is GO.parser.is_installed
        (project / "user.py").write_text("import os\nfrom maker import make\n\ndef use():\n    os.close(make())\n")
        status, output = self.run(project, environment, "fdlint")
        assert (status, "Passed" in output) == (0, True), output
