"""Writes to standard output and standard error: with colour or without, to a closed reader or a full disk."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from fdlint.report.printable import printable_lines

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from fdlint.report.line import Line

_LINKING_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "mintty", "Tabby", "rio")


class OutputClosedError(Exception):
    """The reader of standard output has stopped (``fdlint … | head``)."""


class OutputFailedError(Exception):
    """Standard output cannot be written, for example because the disk is full. The message is the reason."""


def emit(text: str) -> None:
    """Writes ``text`` and a newline to standard output. Escapes characters that its encoding lacks.

    ``text`` is written as it is: names and lines of the scanned tree in it must be ``printable`` already.
    """
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise OutputClosedError from None
    except OSError as error:
        raise OutputFailedError(error.strerror or str(error)) from None


def emit_printable(text: str) -> None:
    """Writes text that may quote the scanned tree."""
    emit(printable_lines(text))


def say(text: str) -> None:
    """Writes a message to standard error. Ignores errors, because the message is not the result."""
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(printable_lines(text).encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)


@contextlib.contextmanager
def writable(file: Path) -> Iterator[None]:
    """Raises ``ClickException`` if a file cannot be written inside the ``with``."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{file}: cannot be written: {error.strerror or error}") from None


def write_out(file: Path, data: bytes) -> None:
    """Writes a file as a whole. Raises ``ClickException``."""
    from fdlint.scan.reading.replacing import write_file

    with writable(file):
        write_file(file, data)


def emit_lines(lines: Sequence[Line], *, colour: bool) -> None:
    """Writes lines, if there are any."""
    if lines and colour:
        from rich.text import Text

        emit_rich([Text.assemble(*line.pieces) for line in lines], colour=True)
    elif lines:
        emit("\n".join(line.plain for line in lines))


def emit_rich(lines: Iterable[RenderableType], *, colour: bool, width: int | None = None) -> None:
    """Renders and writes lines. Without ``width`` a line stays one line, however long."""
    console = in_memory_console(colour=colour, width=width)
    for line in lines:
        console.print(line, soft_wrap=width is None)
    assert isinstance(console.file, io.StringIO)
    emit(console.file.getvalue().removesuffix("\n"))


def in_memory_console(*, colour: bool, width: int | None) -> Console:
    """Returns a rich console that interprets no markup and guesses nothing about its terminal."""
    from rich.console import Console

    return Console(
        file=io.StringIO(),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=width or 10_000,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )


def wants_colour(stream: TextIO | None = None) -> bool:
    """Whether to use colour: in a terminal, unless TERM=dumb. FORCE_COLOR and CLICOLOR_FORCE ask for colour elsewhere
    too; NO_COLOR always turns it off."""
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return is_terminal(stream or sys.stdout) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO) -> bool:
    """Whether a person probably reads ``stream``."""
    return not stream.closed and stream.isatty()


def terminal_width() -> int | None:
    """Returns the cells of a line of the terminal on standard output; None if it goes elsewhere."""
    if not is_terminal(sys.stdout):
        return None
    import shutil

    return shutil.get_terminal_size().columns


def shows_links() -> bool:
    """Whether standard output is a terminal that shows links (OSC 8); other terminals would show garbage.
    https://github.com/Alhadis/OSC8-Adoption lists them."""
    if not is_terminal(sys.stdout) or os.environ.get("TERM", "dumb") in ("dumb", "linux"):
        return False
    given = os.environ
    return (
        any(name in given for name in ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM"))
        or given.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or given["TERM"].startswith(("foot", "alacritty", "xterm-kitty", "xterm-ghostty"))
        or (given.get("VTE_VERSION", "").isdigit() and int(given["VTE_VERSION"]) >= 5000)
    )


def abandon(stream: TextIO) -> None:
    """Sends buffered output to the null device, so that the interpreter does not fail on exit."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
