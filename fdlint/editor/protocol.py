"""Answers a client: which request of the protocol leads to which part of the server."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from fdlint.core.checks import by_code
from fdlint.editor.actions import FIX_ALL, code_actions, fix_all
from fdlint.editor.effects import described, hints
from fdlint.editor.session import Client, Document, Result, Session
from fdlint.languages.registry import LANGUAGES, MAIN, SEARCHED
from fdlint.report.findings.finding import digest_of
from fdlint.report.findings.persona import levels_of
from fdlint.scan.options import Options
from fdlint.scan.select import NoSuchRuleError, codes
from fdlint.version import __version__

_LONG = 0.5  # seconds until the client shows that an analysis runs
_WATCHED = ("**/fdlint.toml", "**/pyproject.toml", *(f"**/*{suffix}" for suffix in SEARCHED))
_LEVELS = ("persona", "minConfidence", "minImpact", "minSeverity", "tests")
_SUFFIXES = {one.key: one.suffix for one in LANGUAGES}  # the protocol has the same names


class FdlintServer(LanguageServer):
    """The server of one client. ``settings``: its ``initializationOptions``."""

    def __init__(self) -> None:
        super().__init__("fdlint", __version__)
        self.settings: object = None
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The texts of the client, once it has said how it counts positions."""
        if self._session is None:
            self._session = self._opened()
        return self._session

    def begin(self) -> None:
        """Opens the session with the client's settings."""
        self._session = self._opened()

    def _opened(self) -> Session:
        settings = self.settings if isinstance(self.settings, Mapping) else {}
        codec = self.workspace.position_codec
        client = Client(self._document, self._publish, self._log, self._warn, self._shown, codec)
        try:
            options = _options(settings)
        except (ValueError, TypeError) as error:
            self._warn(f"initializationOptions: {error}")
            options = Options()
        return Session(client, options, isolated=settings.get("isolated") is True)

    def _document(self, uri: str) -> Document | None:
        found = self.workspace.text_documents.get(uri)
        if found is None:
            return None
        place = to_fs_path(uri) if urlsplit(uri).scheme == "file" else None
        path = (
            Path(place)
            if place and _can_exist(place)
            else Path.cwd() / f"untitled{_SUFFIXES.get(found.language_id or '', MAIN.suffix)}"
        )
        return Document(uri, path, found.source, found.version)

    @property
    def pulls(self) -> bool:
        """Whether the client asks for diagnostics itself. It would show published ones a second time."""
        texts = self.client_capabilities.text_document
        return texts is not None and texts.diagnostic is not None

    def refresh(self, *, moved: bool) -> None:
        """Analyses all texts again: files on disk have changed. ``moved``: some are new, or gone."""
        self.session.refresh(moved=moved)
        workspace = self.client_capabilities.workspace
        asks = workspace.diagnostics if workspace is not None else None
        if self.pulls and asks is not None and asks.refresh_support:
            self.workspace_diagnostic_refresh(None)

    def _publish(self, result: Result) -> None:
        document = result.document
        if not self.pulls:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(document.uri, result.diagnostics, version=document.version)
            )

    async def _shown(self, name: str, work: asyncio.Future[Result]) -> Result:
        """Waits for the analysis of a file. If that takes long, the client shows that it runs."""
        done, _ = await asyncio.wait([work], timeout=_LONG)
        window = self.client_capabilities.window
        if done or window is None or not window.work_done_progress:
            return await work
        progress, token = self.work_done_progress, str(uuid.uuid4())
        asked = asyncio.ensure_future(progress.create_async(token))
        either: list[asyncio.Future[Any]] = [work, asked]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            return await work
        progress.begin(token, types.WorkDoneProgressBegin("fdlint", message=f"analysing {name}"))
        try:
            return await work
        finally:
            progress.end(token, types.WorkDoneProgressEnd())

    def clear(self, uri: str) -> None:
        """Takes the diagnostics of a closed text away."""
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def _log(self, message: str) -> None:
        self.window_log_message(types.LogMessageParams(types.MessageType.Warning, f"fdlint: {message}"))

    def _warn(self, message: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"fdlint: {message}"))


def _can_exist(place: str) -> bool:
    """Whether the system allows a file of this name."""
    try:
        os.lstat(place)
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG
    except ValueError:  # a NUL, or no text
        return False
    return True


def _options(settings: Mapping[str, Any]) -> Options:
    """Returns the options of the client. Raises ``ValueError`` and ``TypeError``."""
    levels = levels_of(*(settings.get(name) for name in _LEVELS))
    return Options(_codes(settings, "select"), _codes(settings, "ignore"), levels=levels)


def _codes(settings: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given: Sequence[str] = settings.get(key) or ()
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        if given:
            raise NoSuchRuleError(f"`{key}` must be a list of codes")
        return ()
    return codes(given, key)


def make() -> FdlintServer:
    """Returns a server with all its features."""
    server = FdlintServer()
    _of_texts(server)
    _of_files(server)
    _of_readers(server)
    _of_askers(server)
    return server


def _of_texts(server: FdlintServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.settings = params.initialization_options

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        root = server.workspace.root_path
        if root:
            with contextlib.suppress(OSError):  # reports and baselines name files relative to the project
                os.chdir(root)
        server.begin()
        await _watch(server)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.session.changed(params.text_document.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.session.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.session.closed(params.text_document.uri)
        server.clear(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    async def shutdown(params: None) -> None:
        server.session.close()


def _of_files(server: FdlintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.refresh(moved=False)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        server.refresh(moved=any(one.type is not types.FileChangeType.Changed for one in params.changes))


def _of_readers(server: FdlintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        result = await server.session.result(params.text_document.uri)
        return _hover(result, params.position) if result is not None else None

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay(params: types.InlayHintParams) -> list[types.InlayHint]:
        result = await server.session.result(params.text_document.uri)
        if result is None:
            return []
        return list(hints(result.text, result.seen.effects, params.range.start.line, params.range.end.line))

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        result = await server.session.result(params.text_document.uri)
        if result is None:
            return []
        only = [str(getattr(one, "value", one)) for one in params.context.only or ()]
        found = await _quick_fixes(server.session, result, params.range) if _wanted("quickfix", only) else []
        if only and _wanted(FIX_ALL, only):  # it costs too much to be offered at each movement of the cursor
            document = result.document
            found += fix_all(document.uri, document.version, result.text, await server.session.repaired(result))
        return found


def _of_askers(server: FdlintServer) -> None:
    """Pull diagnostics: the client asks when it shows a text, and fdlint answers when that version is analysed."""
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="fdlint")

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def asked(
        params: types.DocumentDiagnosticParams,
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        result = await server.session.result(params.text_document.uri)
        found = result.diagnostics if result is not None else []
        name = digest_of(repr(found).encode("utf-8", "replace"))
        if name == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(name)
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=name)


def _wanted(kind: str, only: Sequence[str]) -> bool:
    """Whether a client wants a kind of action. It may name a kind above it."""
    return not only or any(not one or f"{kind}.".startswith(f"{one}.") for one in only)


async def _quick_fixes(session: Session, result: Result, at: types.Range) -> list[types.CodeAction]:
    document = result.document
    chosen = [pair for pair in result.findings if _touch(pair[1].range, at)]
    report = await session.with_fixes(result, [finding for finding, _ in chosen])
    return code_actions(document.uri, document.version, result.text, report, chosen)


def _hover(result: Result, position: types.Position) -> types.Hover | None:
    """Returns the pages of the rules at a position, and the effect of the function that is defined there."""
    here = types.Range(position, position)
    found = [(finding, about) for finding, about in result.findings if _touch(about.range, here)]
    pages = [by_code(code).page for code in dict.fromkeys(finding.code for finding, _ in found)]
    effect = described(result.text, result.seen.effects, position.line)
    said = [*([effect] if effect is not None else []), *pages]
    if not said:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(said))
    return types.Hover(content, found[0][1].range if found else None)


def _touch(one: types.Range, other: types.Range) -> bool:
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


async def _watch(server: FdlintServer) -> None:
    """Asks the client to tell of changed files, if it can."""
    workspace = server.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace is not None else None
    if watching is None or not watching.dynamic_registration:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(one) for one in _WATCHED])
    registration = types.Registration("fdlint-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))
