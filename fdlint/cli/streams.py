"""Handles standard streams, including closed ones (``fdlint scan >&-``)."""

from __future__ import annotations

import os
import sys

import click

from fdlint.scan.reading import intake


def complete() -> None:
    """Replaces each closed stream. Reading and writing then fail with "Bad file descriptor", as they should, and
    messages to standard error are lost. A file that is opened later does not get the stream's number."""
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY), "r")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def read_stdin(limit: int) -> bytes:
    """Returns all of standard input. Raises ``UsageError`` if it cannot be read or is longer than ``limit`` bytes."""
    try:
        return intake.read_stream(sys.stdin.buffer, limit)
    except intake.RefusedError as error:
        raise click.UsageError(f"standard input: {error}") from None
    except OSError as error:
        raise click.UsageError(f"standard input cannot be read: {error.strerror or error}") from None
