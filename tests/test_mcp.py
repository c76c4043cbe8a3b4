"""``fdlint mcp``, by the client of the protocol's own package."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import CallToolResult, TextContent

from fdlint.editor.agents.answers import Tools
from fdlint.editor.agents.confined import Root
from fdlint.editor.agents.serving import make

CODE = """\
import os

from audit import record


def attach(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    if os.fstat(fd).st_size == 0:
        return None
    os.close(fd)
    return path


def safe(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 1)
    finally:
        os.close(fd)


def given(path):
    fd = os.open(path, os.O_RDONLY)
    record(path, adopt(fd))


def twice(path):
    fd = os.open(path, os.O_RDONLY)
    os.close(fd)
    os.close(fd)
"""
LOST = "import os\n\n\ndef lost(path):\n    fd = os.open(path, os.O_RDONLY)\n    os.stat(path)\n    os.close(fd)\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "spam.py").write_text(CODE)
    (root / "lost.py").write_text(LOST)
    (tmp_path / "secret.py").write_text(LOST)
    (root / "link.py").symlink_to(tmp_path / "secret.py")
    (root / "away").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)  # not in the root
    return root


def asked(root: Path, work: Callable[[ClientSession], Awaitable[Any]], *, writes: bool = False) -> Any:
    async def run() -> Any:
        async with create_connected_server_and_client_session(make(Tools(Root(str(root)), writes))) as session:
            return await work(session)

    return asyncio.run(asyncio.wait_for(run(), 60))


def called(root: Path, *calls: tuple[str, dict[str, Any]], writes: bool = False) -> list[CallToolResult]:
    async def work(session: ClientSession) -> list[CallToolResult]:
        return [await session.call_tool(name, arguments) for name, arguments in calls]

    found: list[CallToolResult] = asked(root, work, writes=writes)
    return found


def answer(result: CallToolResult) -> dict[str, Any]:
    assert not result.isError, result.content
    (text,) = result.content
    assert isinstance(text, TextContent)
    found: dict[str, Any] = json.loads(text.text)
    return found


def test_the_tools_only_read(tree: Path) -> None:
    async def work(session: ClientSession) -> Any:
        return (await session.list_tools()).tools

    tools = asked(tree, work)
    assert [one.name for one in tools] == ["scan", "explain", "why_not", "verify_claim", "fix"]
    assert all(one.annotations.readOnlyHint for one in tools)
    assert not asked(tree, work, writes=True)[-1].annotations.readOnlyHint


def test_scan_explain_and_why_not(tree: Path) -> None:
    scan, explain, why_not = called(
        tree,
        ("scan", {"paths": ["spam.py"]}),
        ("explain", {"path": "spam.py", "line": 7}),
        ("why_not", {"path": "spam.py", "line": 16}),
    )
    assert ("FD102", 7) in [(one["code"], one["line"]) for one in answer(scan)["findings"]]
    assert "FD102" in [one["code"] for one in answer(explain)["findings"]]
    assert "every path that fdlint followed closes it" in answer(why_not)["descriptors"][0]["verdict"]


@pytest.mark.parametrize(
    ("claim", "verdict", "reason"),
    [
        pytest.param({"line": 7, "at_line": 10}, "confirmed", "FD102", id="a return"),
        pytest.param({"line": 7, "at_line": 8}, "confirmed", "", id="an exception"),
        pytest.param({"line": 7, "at_line": 12}, "refuted", "not on line 12", id="another line"),
        pytest.param({"line": 16}, "refuted", "every path that fdlint followed closes it", id="closed"),
        pytest.param({"line": 16, "claim": "double close"}, "refuted", "none has a double close", id="closed once"),
        pytest.param({"line": 24}, "not decidable", "hands it over", id="given to what is not known"),
        pytest.param({"line": 31, "claim": "double close"}, "confirmed", "FD201", id="closed twice"),
        pytest.param({"line": 1}, "not decidable", "no descriptor that fdlint knows", id="no descriptor"),
    ],
)
def test_a_claim(tree: Path, claim: dict[str, Any], verdict: str, reason: str) -> None:
    (found,) = called(tree, ("verify_claim", {"path": "spam.py", **claim}))
    assert (answer(found)["verdict"], reason in answer(found)["reason"]) == (verdict, True), answer(found)
    assert answer(found)["trace"] or claim["line"] == 1


def test_a_claim_of_an_unknown_kind(tree: Path) -> None:
    (found,) = called(tree, ("verify_claim", {"path": "spam.py", "line": 7, "claim": "deadlock"}))
    assert found.isError
    assert "'deadlock' is not one of" in str(found.content)


@pytest.mark.parametrize("path", ["../secret.py", "link.py", "away/secret.py", "away", "/etc", "a\0b"])
def test_nothing_outside_of_the_root(tree: Path, path: str) -> None:
    calls = [("explain", {"path": path, "line": 5}), ("scan", {"paths": [path]}), ("fix", {"paths": [path]})]
    for found in called(tree, *calls):
        assert found.isError
        assert "null" in str(found.content) or "not below the directory" in str(found.content)


def test_links_in_a_directory_are_left_out(tree: Path) -> None:
    (found,) = called(tree, ("scan", {"paths": ["."]}))
    assert {one["path"].rpartition("/")[2] for one in answer(found)["findings"]} == {"spam.py", "lost.py"}


def test_a_fix_is_a_diff_unless_the_user_allows_more(tree: Path) -> None:
    preview, write = called(tree, ("fix", {"paths": ["lost.py"]}), ("fix", {"paths": ["lost.py"], "write": True}))
    assert answer(preview)["fixed"] == ["FD103 lost.py:5"] or "FD103" in answer(preview)["fixed"][0]
    assert "+    try:" in answer(preview)["diff"]
    assert write.isError
    assert "--allow-fix" in str(write.content)
    assert (tree / "lost.py").read_text() == LOST
    (write,) = called(tree, ("fix", {"paths": ["lost.py"], "write": True}), writes=True)
    assert answer(write)["written"]
    assert (tree / "lost.py").read_text() != LOST


def test_a_line_that_does_not_exist(tree: Path) -> None:
    (found,) = called(tree, ("explain", {"path": "spam.py", "line": 999}))
    assert found.isError
    assert "no line 999" in str(found.content)


def test_over_standard_input_and_output(tree: Path) -> None:
    async def run() -> CallToolResult:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "fdlint", "mcp", str(tree)], env=dict(os.environ)
        )
        async with stdio_client(command) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            return await session.call_tool("scan", {"paths": ["lost.py"]})

    assert answer(asyncio.run(asyncio.wait_for(run(), 60)))["findings"]
