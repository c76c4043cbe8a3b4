"""A file that is to change, or why it stays as it is."""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fdlint.driver.patch import patch
from fdlint.reading import intake
from fdlint.reading.lines import with_ends
from fdlint.reading.replacing import write_file


class State(enum.Enum):
    """What is to be done about a file."""

    WRITE = "write"
    KEPT = "kept"
    BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class Change:
    """One file. ``what``: what is added, or why nothing is; ``before``: its lines; ``after``: what each becomes, and
    perhaps one more; ``text``: what the user has to add ``BY_HAND``."""

    name: str
    state: State
    what: str
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    text: str = ""

    def diff(self) -> str:
        """The change as a diff, empty if nothing changes."""
        before = [*self.before, *[""] * (len(self.after) - len(self.before))]
        return patch(self.name, before, self.after)

    def write(self, directory: Path) -> None:
        """Replaces the file. Raises ``OSError``."""
        write_file(directory / self.name, "".join(self.after).encode())


class UnsuitableError(Exception):
    """Why a file cannot be changed."""


def lines_of(place: Path) -> list[str] | None:
    """The lines of a file; None if there is none. Raises ``UnsuitableError`` for what is no regular UTF-8 file."""
    try:
        status = os.lstat(place)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnsuitableError(f"cannot be read: {error.strerror or error}") from None
    if not stat.S_ISREG(status.st_mode):
        raise UnsuitableError("is a link" if stat.S_ISLNK(status.st_mode) else "is not a regular file")
    try:
        return with_ends(intake.read(place, intake.CONFIGURATION).decode("utf-8"))
    except UnicodeDecodeError:
        raise UnsuitableError("is not UTF-8") from None
    except OSError as error:
        raise UnsuitableError(intake.why(error)) from None


def newline_of(lines: Sequence[str]) -> str:
    """How the lines of a file end."""
    return "\r\n" if lines and lines[0].endswith("\r\n") else "\n"


def inserted(lines: Sequence[str], number: int, text: str) -> list[str]:
    """The lines with a text before the one with this number, counted from 0; at the end it is one element more."""
    end = newline_of(lines)
    text = text.replace("\n", end)
    new = list(lines)
    if number < len(new):
        new[number] = text + new[number]
        return new
    if new and not new[-1].endswith(("\n", "\r")):
        new[-1] += end
    return [*new, text]
