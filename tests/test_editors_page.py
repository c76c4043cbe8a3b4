"""The page about editors: the patterns read fdlint's lines, and the commands are accepted."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from fdlint.cli import COMMANDS, command

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
LEAK = (
    "import os\nimport socket\n\n\ndef hand_out(peer: socket.socket, device: str) -> None:\n"
    '    fd = os.open(device, os.O_RDWR)\n    socket.send_fds(peer, [b"here it is"], [fd])\n'
)


def test_every_editor_starts_the_server() -> None:
    assert 'cmd = { "fdlint", "server" }' in block("lua", "Neovim", "###")
    helix = tomllib.loads(block("toml", "Helix", "###"))["language-server"]["fdlint"]
    zed = json.loads(block("json", "Zed", "###"))["lsp"]["fdlint"]["binary"]
    assert [helix["command"], *helix["args"]] == [zed["path"], *zed["arguments"]] == ["fdlint", "server"]
    assert '"fdlint" "server"' in block("elisp", "Emacs: eglot", "###")
    assert "server" in COMMANDS


def block(language: str, heading: str, level: str = "##") -> str:
    """The first block of code in a language below a heading, without a first line that names its file."""
    section = PAGE[PAGE.index(f"\n{level} {heading}\n") :]
    found = re.search(rf"^```{language}\n(?://[^\n]*\n)?(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "broker.py").write_text(LEAK)
    (tmp_path / "src" / "a: b.py").write_text(LEAK)
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, [*arguments], standalone_mode=False)
    assert result.return_value == 1, result.output
    return result.stdout


def task() -> Any:
    (found,) = json.loads(block("json", "VS Code: a task"))["tasks"]
    return found


def test_the_line_that_is_shown(project: Path) -> None:
    shown = re.search(r"^```text\n(src/.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert shown
    assert run("scan", "--output-format", "concise", "src/broker.py") == shown[1]


def test_the_problem_matcher_reads_every_line(project: Path) -> None:
    pattern = task()["problemMatcher"]["pattern"]
    lines = run(*task()["args"]).splitlines()
    assert len(lines) == 2
    for line, path in zip(lines, ["src/a: b.py", "src/broker.py"], strict=True):
        found = re.search(pattern["regexp"], line)
        assert found
        place = [found[pattern[name]] for name in ("file", "line", "column", "code")]
        assert place == [path, "6", "10", "FD104"]
        assert found[pattern["message"]].startswith("`fd` from os.open()")


def test_the_problem_matcher_passes_over_other_lines() -> None:
    pattern = task()["problemMatcher"]["pattern"]["regexp"]
    for line in ("fdlint: ended by a signal", "skipped a.py: nested too deeply", "1 file, 0 findings in 0.1 s"):
        assert not re.search(pattern, line)


def test_efm(project: Path) -> None:
    tool = yaml.safe_load(block("yaml", "Any editor with LSP: efm"))["tools"]["fdlint"]
    arguments = tool["lint-command"].replace("${INPUT}", "src/broker.py").split()
    (form,) = tool["lint-formats"]
    fields = {"%f": "(?P<f>.+?)", "%l": r"(?P<l>\d+)", "%c": r"(?P<c>\d+)", "%m": "(?P<m>.*)"}
    pattern = re.sub("%[flcm]", lambda found: fields[found[0]], form)
    (line,) = run(*arguments[1:]).splitlines()
    found = re.fullmatch(pattern, line)
    assert found
    assert found.groups()[:3] == ("src/broker.py", "6", "10")


def test_none_ls(project: Path) -> None:
    code = block("lua", "Neovim: none-ls")
    arguments = re.search(r"args = \{(.*?)\}", code)
    assert arguments
    words = re.findall(r'"([^"]*)"', arguments[1].replace("$FILENAME", "src/broker.py"))
    (finding,) = json.loads(run(*words))["findings"]
    used = set(re.findall(r"\bone\.(\w+)", code))
    assert used == {"line", "column", "end_line", "end_column", "code", "message", "severity"}
    assert used <= set(finding)


def test_the_other_commands(project: Path) -> None:
    emacs = re.search(r":command \(([^)]*) source-original\)", block("elisp", "Emacs"))
    assert emacs
    lines = [" ".join(re.findall(r'"([^"]*)"', emacs[1])) + " src/broker.py"]
    make = re.search(r"makeprg=(.*)", block("vim", "Vim"))
    assert make
    lines.append(make[1].replace("\\ ", " ").replace("%", "src/broker.py"))
    for line in lines:
        assert run(*line.split()[1:]).startswith("src/broker.py:6:10: FD104 ")


def test_pylsp_has_a_plugin_for_it() -> None:
    assert json.loads(block("json", "Any editor with LSP: pylsp"))["pylsp"]["plugins"]["flake8"]["enabled"]
