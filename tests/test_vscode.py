"""The extension for VS Code: its types, its tests with the real server, and its package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fdlint.report.findings.persona import Persona

ROOT = Path(__file__).parent.parent
EXTENSION = ROOT / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
SETTINGS = MANIFEST["contributes"]["configuration"]["properties"]
BUILT = ("node_modules", "dist", "out", "*.vsix")
PACKED = {
    "dist/extension.js",
    "dist/LICENSES.txt",
    "package.json",
    "icon.png",
    "readme.md",
    "changelog.md",
    "LICENSE.txt",
}


def node() -> int:
    """The major version of Node, beside npm."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        return 0
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return int(said.removeprefix("v").split(".")[0])


@pytest.mark.skipif(node() < 20, reason="npm with Node 20 or newer is not installed")
def test_it_is_built_tested_and_packaged(tmp_path: Path) -> None:
    """One story, because the dependencies take longest. The lock file has their versions and hashes."""
    copy = tmp_path / "vscode"
    shutil.copytree(EXTENSION, copy, ignore=shutil.ignore_patterns(*BUILT))
    environment = {**os.environ, "FDLINT_PYTHON": sys.executable}
    for command in ("ci --ignore-scripts --no-audit --no-fund --prefer-offline", "run check", "test", "run package"):
        done = subprocess.run(
            ["npm", *command.split()], cwd=copy, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"npm {command}\n{done.stdout}\n{done.stderr}"
    with zipfile.ZipFile(copy / "fdlint.vsix") as package:
        files = {one.removeprefix("extension/") for one in package.namelist() if one.startswith("extension/")}
    assert files == PACKED


def test_the_settings_fit_the_server() -> None:
    assert SETTINGS["fdlint.persona"]["enum"] == ["configured", *(one.value for one in Persona)]


def test_a_workspace_without_trust_names_no_program() -> None:
    trust = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    programs = {name for name, one in SETTINGS.items() if one.get("scope") == "machine-overridable"}
    assert set(trust["restrictedConfigurations"]) == programs
    assert programs == {"fdlint.path", "fdlint.interpreter", "fdlint.arguments"}


def test_its_page_names_all_settings_and_commands() -> None:
    page = (EXTENSION / "README.md").read_text(encoding="utf-8")
    commands = MANIFEST["contributes"]["commands"]
    names = [*(f"`{name}`" for name in SETTINGS), *(f"*{one['category']}: {one['title']}*" for one in commands)]
    assert [name for name in names if name not in page] == []


def test_it_has_the_license() -> None:
    assert (EXTENSION / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert MANIFEST["license"] == "MIT"


def test_jetbrains() -> None:
    """As LSP4IJ reads it: docs/UserDefinedLanguageServerTemplate.md there."""
    folder = ROOT / "editors" / "jetbrains" / "fdlint"
    template = json.loads((folder / "template.json").read_text(encoding="utf-8"))
    assert "fdlint server" in template["programArgs"]["default"]
    kinds = {one["languageId"]: one["fileType"]["patterns"] for one in template["fileTypeMappings"]}
    assert kinds == {"python": ["*.py"], "go": ["*.go"]}
    options = json.loads((folder / "initializationOptions.json").read_text(encoding="utf-8"))
    assert Persona(options["persona"])
