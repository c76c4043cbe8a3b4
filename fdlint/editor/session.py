"""The texts of one client: when each is analysed, and what is known about it.

A change is analysed after a short pause, in a thread, one text at a time, so that the server answers meanwhile. Each
analysis has a budget of work. A text that has changed again before its turn is left out, and its result too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from fdlint.core.finding import Finding
from fdlint.editor.configurations import Configurations
from fdlint.editor.diagnostics import diagnostic, syntax_error
from fdlint.editor.text import Text
from fdlint.fixes.files import fixes_of_text, repaired_text
from fdlint.languages.registry import language_of
from fdlint.languages.text import text_of
from fdlint.report.findings.finding import Report, Skipped
from fdlint.report.findings.fix import Fix
from fdlint.scan.config import Config, resolved
from fdlint.scan.files.guard import reason
from fdlint.scan.live import LEFT_OUT, Live, Seen
from fdlint.scan.options import Options
from fdlint.scan.reading import intake

PAUSE = 0.1
"""Seconds without a change before a text is analysed."""


@dataclass(frozen=True, slots=True)
class Document:
    """A version of a text of the client."""

    uri: str
    path: Path
    source: str
    version: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """What is known about one version of a text. ``findings``: in the order of the diagnostics. ``troubles``: what
    keeps fdlint from analysing the text."""

    document: Document
    text: Text
    seen: Seen
    findings: tuple[tuple[Finding, types.Diagnostic], ...] = ()
    troubles: tuple[types.Diagnostic, ...] = ()

    @property
    def diagnostics(self) -> list[types.Diagnostic]:
        """All of it, as a client shows it."""
        return [*self.troubles, *(one for _, one in self.findings)]


@dataclass(frozen=True, slots=True)
class Client:
    """What a session needs of its client. ``document``: the present version of a text, None if it is closed.
    ``shown``: waits for the analysis of a file, and shows that it runs."""

    document: Callable[[str], Document | None]
    publish: Callable[[Result], None]
    log: Callable[[str], None]
    warn: Callable[[str], None]
    shown: Callable[[str, asyncio.Future[Result]], Awaitable[Result]]
    codec: PositionCodec


class Session:
    """Analyses the texts of a client."""

    def __init__(self, client: Client, options: Options, *, isolated: bool = False, pause: float = PAUSE) -> None:
        self._client, self._options, self._pause = client, options, pause
        self._configurations = Configurations(alone=isolated)
        self._live = Live()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fdlint")
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._results: dict[str, Result] = {}
        self._warned: set[str] = set()
        self._stale: bool | None = None  # whether files have moved; None: none has changed
        self._skipped: dict[str, tuple[Skipped, ...]] = {}
        self._fixed: dict[str, tuple[str, dict[Finding, Fix | None]]] = {}  # by text, with its source

    def changed(self, uri: str, pause: float | None = None) -> None:
        """Analyses a text after a pause. A later call replaces an earlier one."""
        earlier = self._waiting.pop(uri, None)
        if earlier is not None:
            earlier.cancel()
        wait = self._pause if pause is None else pause
        self._waiting[uri] = asyncio.get_running_loop().create_task(self._analyse(uri, wait))

    def closed(self, uri: str) -> None:
        """Forgets a text."""
        earlier = self._waiting.pop(uri, None)
        if earlier is not None:
            earlier.cancel()
        self._results.pop(uri, None)
        self._skipped.pop(uri, None)
        self._fixed.pop(uri, None)

    def refresh(self, *, moved: bool) -> None:
        """Analyses all texts again: files on disk have changed. ``moved``: some are new, or gone."""
        self._stale = bool(self._stale) or moved
        for uri in {*self._results, *self._waiting}:
            self.changed(uri)

    async def result(self, uri: str) -> Result | None:
        """Returns what is known about the present version of a text. Waits for the analysis."""
        while (task := self._waiting.get(uri)) is not None:
            await asyncio.wait([task])
        found, now = self._results.get(uri), self._client.document(uri)
        return found if found is not None and now is not None and found.document.source == now.source else None

    async def with_fixes(self, result: Result, findings: Sequence[Finding]) -> Report:
        """Returns the report of a result with the fixes of some of its findings."""
        run = asyncio.get_running_loop().run_in_executor
        fixes = await run(self._thread, self._fixes, result.document, findings)
        return replace(result.seen.report, fixes=fixes)

    async def repaired(self, result: Result) -> Sequence[str]:
        """Returns the new form of each line of a text after all safe fixes."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._repaired, result)

    def close(self) -> None:
        """Ends the session."""
        for task in self._waiting.values():
            task.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _analyse(self, uri: str, pause: float) -> None:
        try:
            await asyncio.sleep(pause)
            document = self._client.document(uri)
            if document is None:
                return
            work = asyncio.get_running_loop().run_in_executor(self._thread, self._look, document)
            result = await self._client.shown(document.path.name, work)
            now = self._client.document(uri)
            if now is not None and now.source == document.source:
                self._results[uri] = result
                self._client.publish(result)
        except Exception as error:  # a defect must not end the server
            self._client.log(reason(error))
        finally:
            if self._waiting.get(uri) is asyncio.current_task():
                del self._waiting[uri]

    def _look(self, document: Document) -> Result:
        """Analyses a text. Runs in the thread."""
        if self._stale is not None:
            moved, self._stale = self._stale, None
            self._live.refresh(moved=moved)
        text = Text.of(document.source, self._client.codec)
        config, error = self._configurations.of(document.path)
        if error is not None and error not in self._warned:
            self._warned.add(error)
            self._client.warn(error)
        if config.excludes(resolved(str(document.path))):
            return Result(document, text, LEFT_OUT)
        seen = self._seen(document, config)
        troubles = tuple(one for skip in seen.report.skipped if (one := syntax_error(skip, text)) is not None)
        return Result(document, text, seen, self._diagnosed(document, text, seen), troubles)

    def _seen(self, document: Document, config: Config) -> Seen:
        data = text_of(language_of(document.path.name)).encoded(document.source)
        seen = self._live.look(data, document.path, config, self._options)
        said = self._skipped.get(document.uri, ())
        for one in seen.report.skipped:
            if one not in said:  # once, and not at every change
                self._client.log(f"{one.path}: {one.reason}")
        self._skipped[document.uri] = seen.report.skipped
        return seen

    def _fixes(self, document: Document, findings: Sequence[Finding]) -> dict[Finding, Fix]:
        """Returns the fixes of findings of a text. Runs in the thread."""
        try:
            known_source, known = self._fixed.get(document.uri, ("", {}))
            if known_source != document.source:
                known = {}
            new = [one for one in findings if one not in known]
            config, _ = self._configurations.of(document.path)
            data = text_of(language_of(document.path.name)).encoded(document.source)
            found = fixes_of_text(data, document.path, config, self._live, new) if new else {}
            known.update((one, found.get(one)) for one in new)
            self._fixed[document.uri] = document.source, known
            return {one: fix for one in findings if (fix := known[one]) is not None}
        except Exception as error:  # a defect must not take the other actions away
            self._client.log(reason(error))
            return {}

    def _repaired(self, result: Result) -> Sequence[str]:
        """Applies all safe fixes. Runs in the thread."""
        document = result.document
        try:
            config, _ = self._configurations.of(document.path)
            data = text_of(language_of(document.path.name)).encoded(document.source)
            return repaired_text(data, document.path, config, self._live, [one for one, _ in result.findings])
        except Exception as error:  # a defect of one fix must not end the server
            self._client.log(reason(error))
            return result.text.lines

    def _diagnosed(self, document: Document, text: Text, seen: Seen) -> tuple[tuple[Finding, types.Diagnostic], ...]:
        known = {document.path.absolute(): text}

        def read(path: Path) -> Text:
            if path not in known:
                data = intake.content(path, intake.SOURCE) or b""
                known[path] = Text.of(data.decode("utf-8", "replace"), text.codec)
            return known[path]

        return tuple((one, diagnostic(one, text, read)) for one in seen.report.findings)
