"""A plugin of pytest: a test in which fdlint reports an internal error fails, with the traceback.

It watches this process and those that fork from it, and what other programs write to pipes that ``subprocess`` reads.
Tests that cause internal errors on purpose have the mark ``internal_error``.
"""

from __future__ import annotations

import subprocess
import tempfile
import traceback
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from fdlint.scan.files import guard

MARK = "internal_error"
SAID = "internal error, please report it"
_folder = tempfile.TemporaryDirectory(prefix="fdlint-tests-")
_record = Path(_folder.name, "internal errors")  # a file, for a fork has a memory of its own
_internal_error = guard.internal_error
_communicate = subprocess.Popen.communicate


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARK}: the test causes an internal error on purpose")
    guard.internal_error = _noted
    subprocess.Popen.communicate = _read  # type: ignore[method-assign]


def pytest_unconfigure() -> None:
    guard.internal_error = _internal_error
    subprocess.Popen.communicate = _communicate  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    try:
        yield
    finally:
        said = _taken()
    if said and item.get_closest_marker(MARK) is None:
        pytest.fail(said, pytrace=False)


def look_at(output: str | bytes | None) -> None:
    """Notes an internal error in what a program has written."""
    text = output.decode(errors="replace") if isinstance(output, bytes) else output or ""
    if SAID in text:
        _note(text)


def _noted(error: Exception) -> str:
    _note("".join(traceback.format_exception(error)))
    return _internal_error(error)


def _read(self: subprocess.Popen[Any], *arguments: Any, **named: Any) -> tuple[Any, Any]:
    streams = _communicate(self, *arguments, **named)
    for stream in streams:
        look_at(stream)
    return streams


def _note(text: str) -> None:
    with _record.open("a", encoding="utf-8", errors="replace") as file:
        print(text, file=file)


def _taken() -> str:
    try:
        return _record.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    finally:
        _record.unlink(missing_ok=True)
