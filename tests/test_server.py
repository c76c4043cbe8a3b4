"""The language server, over standard input and output, with a client of its own process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import loaded
import pytest
import pytest_lsp
from defects import look_at
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from fdlint.editor import protocol
from fdlint.editor.protocol import FdlintServer

SERVER = ClientServerConfig(server_command=loaded.program("-m", "fdlint", "server"))
HEAD = "import os\n\n\n"
LEAK = HEAD + "def read(path):\n    fd = os.open(path, os.O_RDONLY)\n    return os.read(fd, 10)\n"
CLEAN = HEAD + "def read(path):\n    fd = os.open(path, os.O_RDONLY)\n    os.close(fd)\n"
GO = 'package a\n\nimport "golang.org/x/sys/unix"\n\nfunc f(p string) int {\n\tfd, err := unix.Open(p, 0, 0)\n'
GO += "\tif err != nil {\n\t\treturn 1\n\t}\n\t_ = fd\n\treturn 0\n}\n"


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    loaded.start()


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await lsp_client.initialize_session(parameters(tmp_path))
    yield
    await lsp_client.shutdown_session()
    for one in lsp_client.log_messages:
        look_at(one.message)


def parameters(root: Path, encodings: list[str] | None = None, options: object = None) -> types.InitializeParams:
    general = types.GeneralClientCapabilities(position_encodings=encodings or ["utf-8", "utf-16"])  # type: ignore[arg-type]
    return types.InitializeParams(
        capabilities=types.ClientCapabilities(general=general),
        root_uri=root.as_uri(),
        initialization_options=options,  # type: ignore[arg-type]
    )


class Buffer:
    """A text in the client."""

    def __init__(self, client: LanguageClient, path: Path, language: str = "python") -> None:
        self.client, self.uri, self.version = client, path.as_uri(), 1
        self.language = language

    def open(self, text: str) -> Buffer:
        item = types.TextDocumentItem(self.uri, self.language, self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return self

    def write(self, *changes: types.TextDocumentContentChangeEvent | str) -> None:
        self.version += 1
        events = [types.TextDocumentContentChangeWholeDocument(one) if isinstance(one, str) else one for one in changes]
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, events))

    async def found(self) -> list[types.Diagnostic]:
        """The diagnostics of the present version."""
        await self.client.text_document_inlay_hint_async(self.hinting())
        return list(self.client.diagnostics.get(self.uri, ()))

    async def codes(self) -> list[object]:
        return [one.code for one in await self.found()]

    def hinting(self) -> types.InlayHintParams:
        return types.InlayHintParams(self.identifier, types.Range(types.Position(0, 0), types.Position(999, 0)))

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    async def actions(self, at: types.Range, *only: str) -> list[types.CodeAction]:
        context = types.CodeActionContext(diagnostics=[], only=list(only) or None)
        asked = types.CodeActionParams(self.identifier, at, context)
        found = await self.client.text_document_code_action_async(asked)
        return [one for one in found or () if isinstance(one, types.CodeAction)]

    async def hover(self, line: int, character: int) -> str:
        asked = types.HoverParams(self.identifier, types.Position(line, character))
        found = await self.client.text_document_hover_async(asked)
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value


def applied(text: str, action: types.CodeAction) -> str:
    """The text after an action whose edits replace parts of lines of ASCII."""
    assert action.edit
    (document,) = action.edit.document_changes or ()
    assert isinstance(document, types.TextDocumentEdit)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for edit in reversed(document.edits):
        assert isinstance(edit, types.TextEdit)
        first, last = (starts[at.line] + at.character for at in (edit.range.start, edit.range.end))
        text = text[:first] + edit.new_text + text[last:]
    return text


@pytest.mark.asyncio
async def test_one_session(client: LanguageClient, tmp_path: Path) -> None:
    """One story, because the start of a server takes longest."""
    buffer = Buffer(client, tmp_path / "a.py").open(LEAK)
    (one,) = await buffer.found()
    assert (one.code, one.source, one.severity) == ("FD101", "fdlint", types.DiagnosticSeverity.Error)
    assert one.range == types.Range(types.Position(4, 9), types.Position(4, 35))
    assert one.related_information and one.related_information[0].location.uri == buffer.uri
    assert "# FD101" in await buffer.hover(4, 12)

    (repair, action) = await buffer.actions(one.range)
    assert repair.title == "fdlint: Close `fd` in a `finally`" and repair.is_preferred
    repaired = LEAK.split("return")[0] + "try:\n        return os.read(fd, 10)\n    finally:\n        os.close(fd)\n"
    assert applied(LEAK, repair) == repaired
    buffer.write(repaired)
    assert await buffer.codes() == []
    buffer.write(LEAK)
    assert await buffer.codes() == ["FD101"]

    silenced = applied(LEAK, action)
    assert silenced.split("\n")[4].endswith("os.O_RDONLY)  # fdlint: ignore[FD101]")
    buffer.write(silenced)
    assert await buffer.codes() == []

    insert = types.Range(types.Position(5, 0), types.Position(5, 0))
    buffer.write(types.TextDocumentContentChangePartial(insert, "    os.close(fd); return\n"))
    (unused,) = await buffer.found()
    assert (unused.code, *(unused.tags or ())) == ("FD900", types.DiagnosticTag.Unnecessary)
    (action,) = await buffer.actions(unused.range)
    assert action.title == "fdlint: remove the unused suppression" and action.is_preferred

    buffer.write(LEAK + "\ndef broken(:\n")
    (one, _) = await buffer.found()
    assert (one.code, one.range.start) == ("invalid-syntax", types.Position(7, 0))
    assert one.message.startswith("invalid syntax at the end of the file: something is not closed")
    buffer.write("\0" * 100, LEAK)
    assert await buffer.codes() == ["FD101"]
    for number in range(20):  # only the last one counts
        buffer.write(LEAK + f"# {number}\n")
    buffer.write(CLEAN)
    assert await buffer.codes() == []


@pytest.mark.asyncio
async def test_all_safe_fixes_at_once(client: LanguageClient, tmp_path: Path) -> None:
    two = LEAK + "\n\n" + LEAK.removeprefix(HEAD).replace("read(path)", "more(path)")
    buffer = Buffer(client, tmp_path / "a.py").open(two)
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    for kind in ("source", "source.fixAll", "source.fixAll.fdlint"):
        (action,) = await buffer.actions(start, kind)
        assert action.kind == "source.fixAll.fdlint"
    buffer.write(applied(two, action))
    assert await buffer.codes() == []
    assert await buffer.actions(start, "source.fixAll") == []
    assert await buffer.actions(start, "source.fixAll.other", "sourcery", "refactor") == []


@pytest.mark.asyncio
async def test_files_around_a_text(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "opening.py").write_text(HEAD + "def opened(p):\n    return os.open(p, 0)\n")
    text = "from opening import opened\n\n\ndef use(p):\n    fd = opened(p)\n    print(p)\n"
    buffer = Buffer(client, tmp_path / "b.py").open(text)
    assert await buffer.codes() == ["FD101"]

    (tmp_path / "opening.py").write_text("def opened(p):\n    return 5\n")
    buffer.write(text + "#\n")
    assert await buffer.codes() == []

    other = Buffer(client, tmp_path / "c.py").open(LEAK)
    assert await other.codes() == ["FD101"]
    (tmp_path / "fdlint.toml").write_text('ignore = ["FD101"]\n')
    other.write(LEAK + "#\n")
    assert await other.codes() == []
    (tmp_path / "fdlint.toml").write_text("ignore = 3\n")
    other.write(LEAK)
    assert await other.codes() == []
    assert any("ignore" in one.message for one in client.messages)
    (tmp_path / "fdlint.toml").write_text('exclude = ["c.py"]\n')
    other.write(LEAK)
    assert await other.codes() == []
    (tmp_path / "fdlint.toml").unlink()
    other.write(LEAK)
    assert await other.codes() == ["FD101"]

    (tmp_path / "opening.py").unlink()
    gone = types.FileEvent((tmp_path / "opening.py").as_uri(), types.FileChangeType.Deleted)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([gone]))
    client.text_document_did_save(types.DidSaveTextDocumentParams(other.identifier))
    assert (await buffer.codes(), await other.codes()) == ([], ["FD101"])

    closing = types.DidCloseTextDocumentParams(other.identifier)
    client.text_document_did_close(closing)
    await buffer.found()
    assert not client.diagnostics[other.uri]


@pytest.mark.asyncio
async def test_effects_and_go(client: LanguageClient, tmp_path: Path) -> None:
    text = HEAD + "def drop(fd):\n    os.close(fd)\n\n\ndef give(p):\n    return os.open(p, 0)\n"
    buffer = Buffer(client, tmp_path / "a.py").open(text)
    found = await client.text_document_inlay_hint_async(buffer.hinting())
    assert [(one.position.line, one.label) for one in found or ()] == [
        (3, "fd: closes `fd`"),
        (7, "fd: returns a descriptor"),
    ]
    assert "`drop` closes `fd`" in await buffer.hover(3, 5)
    go = Buffer(client, tmp_path / "a.go", "go").open(GO)
    one, *_ = await go.found()
    assert one.code == "FD101"
    action, *_ = await go.actions(one.range)
    assert "//nolint:FD101" in applied(GO, action)


@pytest.mark.asyncio
async def test_a_name_that_no_file_can_have(client: LanguageClient, tmp_path: Path) -> None:
    logged = len(client.log_messages)
    assert await Buffer(client, tmp_path / f"{'a' * 300}.py").open(LEAK).codes() == ["FD101"]
    assert client.log_messages[logged:] == []


@pytest_lsp.fixture(scope="function", config=SERVER)
async def plain(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
async def test_positions_in_the_encoding_of_the_client(plain: LanguageClient, tmp_path: Path, encoding: str) -> None:
    text = HEAD + 'def read(path):\n    s = "é😀"; fd = os.open(path, 0)\n    return s\n'
    started = await plain.initialize_session(parameters(tmp_path, [encoding], {"ignore": ["FD2"]}))
    assert started.capabilities.position_encoding == encoding
    buffer = Buffer(plain, tmp_path / "a.py").open(text)
    (one,) = await buffer.found()
    line = text.split("\n")[4]
    codec, size = ("utf-16-le", 2) if encoding == "utf-16" else ("utf-8", 1)
    assert one.range.start.character == len(line[: line.index("os.open")].encode(codec)) // size


@pytest.mark.asyncio
async def test_a_client_that_asks_for_diagnostics(plain: LanguageClient, tmp_path: Path) -> None:
    started = parameters(tmp_path)
    started.capabilities.text_document = types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities()
    )
    answer = await plain.initialize_session(started)
    offered = answer.capabilities.diagnostic_provider
    assert isinstance(offered, types.DiagnosticOptions) and offered.inter_file_dependencies
    buffer = Buffer(plain, tmp_path / "a.py").open(LEAK)

    async def asked(known: str | None = None) -> object:
        params = types.DocumentDiagnosticParams(buffer.identifier, previous_result_id=known)
        return await plain.text_document_diagnostic_async(params)

    full = await asked()
    assert isinstance(full, types.RelatedFullDocumentDiagnosticReport)
    assert [one.code for one in full.items] == ["FD101"]
    assert await buffer.found() == []  # they are not published as well
    same = await asked(full.result_id)
    assert isinstance(same, types.RelatedUnchangedDocumentDiagnosticReport)
    buffer.write(CLEAN)
    clean = await asked(full.result_id)
    assert isinstance(clean, types.RelatedFullDocumentDiagnosticReport)
    assert not clean.items


@pytest.mark.asyncio
@pytest.mark.parametrize("can", [True, False])
async def test_a_long_analysis_is_shown(monkeypatch: pytest.MonkeyPatch, can: bool) -> None:
    told: list[object] = []

    class Progress:
        async def create_async(self, token: str) -> None:
            told.append("create")

        def begin(self, token: str, value: types.WorkDoneProgressBegin) -> None:
            told.append(value.message)

        def end(self, token: str, value: types.WorkDoneProgressEnd) -> None:
            told.append("end")

    monkeypatch.setattr(protocol, "_LONG", 0.01)
    window = types.WindowClientCapabilities(work_done_progress=can)
    monkeypatch.setattr(FdlintServer, "client_capabilities", types.ClientCapabilities(window=window))
    monkeypatch.setattr(FdlintServer, "work_done_progress", Progress())
    server, loop = FdlintServer(), asyncio.get_running_loop()
    for pause, expected in ((0, []), (0.2, ["create", "analysing a.py", "end"] if can else [])):
        told.clear()
        work: asyncio.Future[Any] = loop.create_future()
        loop.call_later(pause, work.set_result, "done")
        assert await server._shown("a.py", work) == "done"
        assert told == expected
