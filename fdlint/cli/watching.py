"""``fdlint scan --watch`` scans again after each change of a file.

Each scan uses the cache, so only what a change can matter to is analysed again. The watcher has a thread of its own:
signals then reach the scan as without ``--watch``.
"""

from __future__ import annotations

import functools
import importlib.util
import queue
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any, TypeVar, cast

import click

from fdlint.cli.choices import STDIN
from fdlint.cli.output import say

Command = TypeVar("Command", bound=Callable[..., Any])
_DEBOUNCE = 300  # milliseconds without a change: editors and git write in several steps
_POLL = 0.5  # seconds; on Windows, only a wait with an end can be interrupted
_EXCLUDED = ("fix", "fix_preview", "show_fixes", "add_ignores", "add_ignores_preview", "compare")


def watching(command: Command) -> Command:
    """Adds ``--watch``. Apply it above the options that rewrite files."""

    @functools.wraps(command)
    def called(*args: Any, watch: bool, **rest: Any) -> Any:
        if not watch:
            return command(*args, **rest)
        _check(rest)
        paths = rest["paths"] or (".",)
        return _again_and_again(lambda: command(*args, **rest), paths)

    option = click.option(
        "--watch", is_flag=True, help="Scan again after each change, until Ctrl-C. Needs `fdlint[watch]`."
    )
    return option(cast(Command, called))


def _check(given: dict[str, Any]) -> None:
    """Raises ``UsageError`` for options that make no sense with ``--watch``, and ``ClickException`` if the watcher is
    missing."""
    if STDIN in given["paths"]:
        raise click.UsageError("--watch needs files: standard input does not change")
    for name in _EXCLUDED:
        if given[name]:
            raise click.UsageError(f"--watch and --{name.replace('_', '-')} exclude each other")
    if importlib.util.find_spec("watchfiles") is None:
        raise click.ClickException("--watch needs watchfiles: pip install 'fdlint[watch]'")


def _again_and_again(scan: Callable[[], object], paths: Sequence[str]) -> None:
    """Scans now and after each change. Only a signal ends it."""
    changes: queue.Queue[BaseException | None] = queue.Queue()
    stop = threading.Event()
    thread = threading.Thread(target=_watch, args=(paths, changes, stop), daemon=True)
    thread.start()
    try:
        while True:
            _scan(scan)
            _wait(changes)
            say(f"fdlint: {time.strftime('%H:%M:%S')}: files have changed")
    finally:
        stop.set()


def _scan(scan: Callable[[], object]) -> None:
    """Scans once. A configuration that is being edited may be wrong, and a path may be gone for a moment."""
    from fdlint.languages.index.imports import forget

    forget()
    try:
        scan()
    except click.ClickException as error:
        say(f"fdlint: {error.format_message()}")


def _wait(changes: queue.Queue[BaseException | None]) -> None:
    """Returns after the next change, and forgets those after it: the next scan sees them all."""
    while True:
        try:
            error = changes.get(timeout=_POLL)
        except queue.Empty:
            continue
        if error is not None:
            raise click.ClickException(f"--watch: {error}")
        while not changes.empty():
            changes.get_nowait()
        return


def _watch(paths: Sequence[str], changes: queue.Queue[BaseException | None], stop: threading.Event) -> None:
    """Reports changes until it is told to stop. Runs in a thread."""
    import watchfiles

    try:
        for _ in watchfiles.watch(*paths, watch_filter=_counts, debounce=_DEBOUNCE, stop_event=stop):
            changes.put(None)
    except Exception as error:  # such as too few inotify watches
        changes.put(error)


def _counts(_change: object, path: str) -> bool:
    """Whether a change of a file can matter to a scan."""
    from fdlint.languages.registry import PROJECT_FILES, SUFFIXES
    from fdlint.scan.config import OWN_FILE, SHARED_FILE
    from fdlint.scan.files.discover import NEVER_THE_PROJECT

    place = PurePath(path)
    named = place.name in {OWN_FILE, SHARED_FILE, ".gitignore", *PROJECT_FILES}
    return (named or place.suffix in SUFFIXES) and NEVER_THE_PROJECT.isdisjoint(place.parts)
