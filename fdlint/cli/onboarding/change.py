"""A planned change of a file, or the reason why the file stays as it is."""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fdlint.scan.patch import patch
from fdlint.scan.reading import intake
from fdlint.scan.reading.lines import with_ends
from fdlint.scan.reading.replacing import write_file


class State(enum.Enum):
    """The action for a file."""

    WRITE = "write"
    KEPT = "kept"
    BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one file. ``what``: the addition, or the reason why there is none. ``before``: the old lines.
    ``after``: the replacement of each line, perhaps with one more at the end. ``text``: the text that the user must add
    ``BY_HAND``."""

    name: str
    state: State
    what: str
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    text: str = ""

    def diff(self) -> str:
        """Returns the change as a diff, empty if nothing changes."""
        before = [*self.before, *[""] * (len(self.after) - len(self.before))]
        return patch(self.name, before, self.after)

    def write(self, directory: Path) -> None:
        """Replaces the file. Raises ``OSError``."""
        write_file(directory / self.name, "".join(self.after).encode())


class UnsuitableError(Exception):
    """The file cannot be changed. The message is the reason."""


def lines_of(place: Path) -> list[str] | None:
    """Returns the lines of a file; None if it does not exist. Raises ``UnsuitableError`` for a file that is not regular
    or not UTF-8."""
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


def inserted(lines: Sequence[str], number: int, text: str) -> list[str]:
    """Inserts a text before the line with this number, counted from 0. At the end it adds one element."""
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    text = text.replace("\n", end)
    new = list(lines)
    if number < len(new):
        new[number] = text + new[number]
        return new
    if new and not new[-1].endswith(("\n", "\r")):
        new[-1] += end
    return [*new, text]
